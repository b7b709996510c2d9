//! Process groups of engines: an engine ends together with the processes that it has started, even
//! if the arena is killed.
//!
//! Each engine leads a process group, and a shell kills this group if the arena is killed. On
//! Linux, the arena and the shell also find processes outside the group by an environment variable,
//! and the arena becomes their parent when their own parent has ended.

use std::{
    collections::BTreeSet,
    process::{Child, Command, Stdio},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The environment variable of engines and their processes: the process id of the arena and the
/// number of the engine.
const MARK: &str = "ASHTA_ENGINE";

/// A shell script that waits for the end of its input. Then it kills the process group `$1` and, on
/// Linux, all processes whose environment contains the mark `$0`.
const WATCH: &str = r#"
read -r _
kill -s KILL -- "-$1" 2>/dev/null
for again in 1 2 3; do
  grep -lsaF "$0" /proc/[0-9]*/environ | while IFS=/ read -r _ _ process _; do kill -s KILL "$process" 2>/dev/null; done
done
"#;

/// The engines and shells that the arena itself has started.
static CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn children() -> MutexGuard<'static, BTreeSet<u32>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// On Linux, collects the exit status of processes that engines have detached. Otherwise these
/// processes would stay as zombies.
pub fn reap() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
        let children = children();
        let looks = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Some(pid) = waitid(Id::All, looks).ok().and_then(|status| status.pid())
            && !children.contains(&(pid.as_raw() as u32))
        {
            let _ = waitpid(pid, None);
        }
    }
}

/// Starts a program in its own process group, so that Ctrl-C reaches only the arena, which then
/// ends its engines.
fn in_group(command: &mut Command) -> std::io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Does nothing: other systems do not show the environment of a process.
#[cfg(not(target_os = "linux"))]
fn end_marked(_: &str) {}

/// Kills all processes whose environment has a variable with this beginning.
#[cfg(target_os = "linux")]
fn end_marked(mark: &str) {
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    let is_marked = |&pid: &i32| {
        std::fs::read(format!("/proc/{pid}/environ"))
            .unwrap_or_default()
            .split(|&byte| byte == 0)
            .any(|variable| variable.starts_with(mark.as_bytes()))
    };
    let mut ended = BTreeSet::new();
    // A process can start another process before it is killed, so look again.
    for _ in 0..100 {
        let found: Vec<i32> = std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .filter_map(|name| name.to_str()?.parse().ok())
            .filter(is_marked)
            .collect();
        if found.is_empty() {
            break;
        }
        found
            .iter()
            .for_each(|&pid| _ = kill(Pid::from_raw(pid), Signal::SIGKILL));
        ended.extend(found);
    }
    // For processes that are not children of the arena, `waitpid` fails immediately.
    ended
        .into_iter()
        .for_each(|pid| _ = nix::sys::wait::waitpid(Pid::from_raw(pid), None));
}

/// An engine and the processes that it has started; all are killed when it is dropped.
pub struct EngineGroup {
    /// The engine.
    pub child: Child,
    /// The shell that kills the engine if the arena is killed. Without a shell, the engine
    /// continues to run then.
    shell: Option<Child>,
    /// The environment variable of the engine, `NAME=value`.
    mark: String,
}

impl EngineGroup {
    /// Starts an engine.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(command: &mut Command) -> std::io::Result<EngineGroup> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_child_subreaper(true);
        let value = format!(
            "{}.{}.",
            std::process::id(),
            STARTED.fetch_add(1, Ordering::Relaxed)
        );
        let mark = format!("{MARK}={value}");
        // While this is locked, no other thread reaps the new processes.
        let mut children = children();
        let child = in_group(command.env(MARK, value))?;
        let mut watch = Command::new("sh");
        watch.args(["-c", WATCH, &mark, &child.id().to_string()]);
        watch
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let shell = if cfg!(unix) {
            in_group(&mut watch).ok()
        } else {
            None
        };
        children.extend([&child].into_iter().chain(&shell).map(Child::id));
        Ok(EngineGroup { child, shell, mark })
    }
}

impl Drop for EngineGroup {
    fn drop(&mut self) {
        // The shell ends first: after the group has ended, another group can get its number.
        for process in self.shell.iter_mut().chain([&mut self.child]) {
            #[cfg(unix)]
            {
                use nix::sys::signal::{Signal, killpg};
                // Perhaps the group has already ended.
                let _ = killpg(
                    nix::unistd::Pid::from_raw(process.id() as i32),
                    Signal::SIGKILL,
                );
            }
            let _ = process.kill();
            let _ = process.wait();
        }
        end_marked(&self.mark);
        self.shell
            .iter()
            .chain([&self.child])
            .map(Child::id)
            .for_each(|id| _ = children().remove(&id));
    }
}

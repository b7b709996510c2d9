//! Process groups of engines: an engine ends together with the processes that it has started, even if the arena is
//! killed.
//!
//! Each engine leads a process group. On Linux, the arena also finds processes outside the group by an environment
//! variable, and becomes their parent when their own parent has ended.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The environment variable of engines and their processes: the process id of the arena and the number of the engine.
const MARK: &str = "ASHTA_ENGINE";

/// A shell script that reads which groups have started (`+ 12`) and ended (`- 12`). When its input ends, it kills the
/// remaining groups and, on Linux, all processes whose environment contains the mark `$0`.
const WATCH: &str = r#"
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for again in 1 2 3; do
  for process in /proc/[0-9]*; do
    grep -qsaF "$0" "$process/environ" && kill -s KILL "${process#/proc/}" 2>/dev/null
  done
done
"#;

/// A shell that kills the remaining engines when the arena ends or is killed.
#[derive(Debug, Default)]
pub struct GroupWatch {
    children: Mutex<Children>,
    /// Number of engines so far.
    engines: AtomicU64,
}

/// The processes that the arena itself has started.
#[derive(Debug, Default)]
struct Children {
    /// `None` before the first engine; `Some(None)` if the shell cannot be started.
    shell: Option<Option<Child>>,
    engines: BTreeSet<u32>,
}

impl GroupWatch {
    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// On Linux, collects the exit status of processes that engines have detached. Otherwise these processes would stay
    /// as zombies.
    pub fn reap(&self) {
        #[cfg(target_os = "linux")]
        {
            use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
            let children = self.children();
            let looks = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            let is_shell = |pid: u32| children.shell.iter().flatten().any(|shell| shell.id() == pid);
            let is_own = |pid: u32| children.engines.contains(&pid) || is_shell(pid);
            while let Some(pid) = waitid(Id::All, looks).ok().and_then(|status| status.pid())
                && !is_own(pid.as_raw() as u32)
            {
                let _ = waitpid(pid, None);
            }
        }
    }
}

impl Children {
    fn report(&mut self, sign: char, group: u32) {
        let shell = self.shell.get_or_insert_with(|| {
            #[cfg(target_os = "linux")]
            let _ = nix::sys::prctl::set_child_subreaper(true);
            let mut command = Command::new("sh");
            command.args(["-c", WATCH, &mark("")]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            if cfg!(unix) { in_group(&mut command).ok() } else { None }
        });
        if let Some(input) = shell.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            // If the shell fails, engines continue to run after the arena is killed.
            let _ = writeln!(input, "{sign} {group}");
        }
    }
}

/// The variable [`MARK`] with its value for one engine; for `""`, the beginning that all engines of this arena share.
fn mark(engine: &str) -> String {
    format!("{MARK}={}.{engine}", std::process::id())
}

/// Starts a program in its own process group, so that Ctrl-C reaches only the arena, which then ends its engines.
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
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let is_marked = |&pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    let mut ended = BTreeSet::new();
    // A process can start another process before it is killed, so look again.
    for _ in 0..100 {
        let names = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
        let pids = names.filter_map(|name| name.to_str()?.parse().ok());
        let found: Vec<i32> = pids.filter(is_marked).collect();
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|&pid| _ = kill(Pid::from_raw(pid), Signal::SIGKILL));
        ended.extend(found);
    }
    // For processes that are not children of the arena, `waitpid` fails immediately.
    ended.into_iter().for_each(|pid| _ = nix::sys::wait::waitpid(Pid::from_raw(pid), None));
}

impl Drop for GroupWatch {
    fn drop(&mut self) {
        let children = self.children.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(shell)) = &mut children.shell {
            shell.stdin = None;
            let _ = shell.wait();
        }
    }
}

/// An engine and the processes that it has started; all are killed when it is dropped.
#[derive(Debug)]
pub struct EngineGroup {
    /// The engine.
    pub child: Child,
    /// Kills the group if the arena is killed.
    pub watch: Arc<GroupWatch>,
    /// The environment variable of the engine, `NAME=value`.
    mark: String,
}

impl EngineGroup {
    /// Starts an engine.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(command: &mut Command, watch: &Arc<GroupWatch>) -> std::io::Result<EngineGroup> {
        let mark = mark(&format!("{}.", watch.engines.fetch_add(1, Ordering::Relaxed)));
        command.env(MARK, &mark[MARK.len() + 1..]);
        let mut children = watch.children();
        let child = in_group(command)?;
        children.engines.insert(child.id());
        children.report('+', child.id());
        Ok(EngineGroup { child, watch: Arc::clone(watch), mark })
    }
}

impl Drop for EngineGroup {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            // Perhaps the group has already ended.
            let _ = killpg(nix::unistd::Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        end_marked(&self.mark);
        let mut children = self.watch.children();
        children.engines.remove(&self.child.id());
        children.report('-', self.child.id());
    }
}

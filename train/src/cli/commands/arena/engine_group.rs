//! Engines with all that they have started: ended together, also when the arena itself is killed.
//!
//! An engine leads a group of processes. What leaves the group is known by a variable of its environment; on Linux the
//! arena becomes its parent when its own parent has ended.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The variable that engines and what they start have in their environment: the arena's process, and a number.
const MARK: &str = "ASHTA_ENGINE";

/// Reads the groups that begin (`+ 12`) and end (`- 12`), and ends what is left when its input ends: the groups, and
/// on Linux all that have the mark `$0`.
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

/// A shell that outlives the arena for a moment, and ends the engines that are left.
#[derive(Debug, Default)]
pub struct GroupWatch {
    children: Mutex<Children>,
    /// Engines so far.
    engines: AtomicU64,
}

/// The processes that the arena has started itself and waits for.
#[derive(Debug, Default)]
struct Children {
    /// Started with the first engine; `None` where there is no shell.
    shell: Option<Option<Child>>,
    engines: BTreeSet<u32>,
}

impl GroupWatch {
    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets processes that engines have detached and that have ended: Linux has made them children of the arena.
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
    fn tell(&mut self, sign: char, group: u32) {
        let shell = self.shell.get_or_insert_with(|| {
            #[cfg(target_os = "linux")]
            let _ = nix::sys::prctl::set_child_subreaper(true);
            let mut command = Command::new("sh");
            command.args(["-c", WATCH, &mark("")]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            if cfg!(unix) { in_group(&mut command).ok() } else { None }
        });
        if let Some(input) = shell.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            // Without it only a kill of the arena leaves engines behind.
            let _ = writeln!(input, "{sign} {group}");
        }
    }
}

/// The beginning of the variable in the environment of all engines of this arena, or of one of them.
fn mark(engine: &str) -> String {
    format!("{MARK}={}.{engine}", std::process::id())
}

/// Starts a program as the first of a group of its own: Ctrl-C is for the arena, which ends its engines itself.
fn in_group(command: &mut Command) -> std::io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Other systems do not show the environment of a process.
#[cfg(not(target_os = "linux"))]
fn end_marked(_: &str) {}

/// Ends all processes with this beginning of a variable in their environment.
#[cfg(target_os = "linux")]
fn end_marked(mark: &str) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let is_marked = |&pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    let mut ended = BTreeSet::new();
    // One that is ended may just have started another.
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
    // Parents first, mostly; of others their own parents learn it.
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

/// An engine and what it has started; all are killed when it is dropped.
#[derive(Debug)]
pub struct EngineGroup {
    /// The engine itself.
    pub child: Child,
    /// Ends it when the arena is no more.
    pub watch: Arc<GroupWatch>,
    /// Its variable in the environment.
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
        children.tell('+', child.id());
        Ok(EngineGroup { child, watch: Arc::clone(watch), mark })
    }
}

impl Drop for EngineGroup {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            // They may have ended before.
            let _ = killpg(nix::unistd::Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        end_marked(&self.mark);
        let mut children = self.watch.children();
        children.engines.remove(&self.child.id());
        children.tell('-', self.child.id());
    }
}

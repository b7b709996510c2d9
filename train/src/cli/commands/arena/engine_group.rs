//! Engines with all that they have started: ended together, also when the arena itself is killed.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// Reads the groups that begin (`+ 12`) and end (`- 12`), and ends what is left when its input ends.
const WATCH: &str = r#"
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
"#;

/// A shell that outlives the arena for a moment, and ends the engines that are left.
#[derive(Debug, Default)]
pub struct GroupWatch {
    /// Started with the first engine; `None` where there is no shell.
    shell: Mutex<Option<Option<Child>>>,
}

impl GroupWatch {
    fn tell(&self, sign: char, group: u32) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        let shell = shell.get_or_insert_with(|| {
            let mut command = Command::new("sh");
            command.args(["-c", WATCH]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            if cfg!(unix) { in_group(&mut command).ok() } else { None }
        });
        if let Some(input) = shell.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            // Without it only a kill of the arena leaves engines behind.
            let _ = writeln!(input, "{sign} {group}");
        }
    }
}

/// Starts a program as the first of a group of its own: Ctrl-C is for the arena, which ends its engines itself.
fn in_group(command: &mut Command) -> std::io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

impl Drop for GroupWatch {
    fn drop(&mut self) {
        let shell = self.shell.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(shell)) = shell {
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
    watch: Arc<GroupWatch>,
}

impl EngineGroup {
    /// Starts an engine.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(command: &mut Command, watch: &Arc<GroupWatch>) -> std::io::Result<EngineGroup> {
        let child = in_group(command)?;
        watch.tell('+', child.id());
        Ok(EngineGroup { child, watch: Arc::clone(watch) })
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
        self.watch.tell('-', self.child.id());
    }
}

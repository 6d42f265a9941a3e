//! Ends the children if the gateway itself was killed, and so could not.
//!
//! Most servers exit when their input ends. Some do not, and neither do the processes that they
//! have started. A shell outlives the gateway for a few seconds: its input ends with the gateway,
//! and then it signals the process groups that it knows. A gateway that must end at once lets it do
//! so, too.

use parking_lot::Mutex;
use std::{
    io::Write,
    process::{Child, ChildStdin, Command, Stdio},
};

/// Reads `+ GROUP`, `- GROUP`, and `!` for the end of all groups, until its input ends. It is a
/// script for POSIX: dash has no `kill -TERM --`.
// It ignores signals, because it must outlive the gateway, and the first second is for children
// that exit when their input ends.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=
while read -r sign group; do
    case $sign in
        +) groups="$groups $group" ;;
        !) for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done; groups= ;;
        -) rest=; for other in $groups; do [ "$other" = "$group" ] || rest="$rest $other"; done; groups=$rest ;;
    esac
done
[ -n "$groups" ] || exit 0
sleep 1
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
"#;

/// The shell, which starts with the first child.
#[derive(Debug, Default)]
pub(crate) struct OrphanGuard(Mutex<Option<GuardShell>>);

#[derive(Debug)]
struct GuardShell {
    shell: Child,
    input: Option<ChildStdin>,
}

impl OrphanGuard {
    /// Guards a process group.
    pub(crate) fn add(&self, group: u32) {
        let mut shell = self.0.lock();
        if shell.is_none() {
            match GuardShell::start() {
                Ok(started) => *shell = Some(started),
                Err(error) => {
                    tracing::warn!(%error, "no shell: a killed gateway may leave processes behind")
                }
            }
        }
        if let Some(shell) = &mut *shell {
            shell.write('+', group);
        }
    }

    /// Forgets a process group that has ended.
    pub(crate) fn remove(&self, group: u32) {
        if let Some(shell) = &mut *self.0.lock() {
            shell.write('-', group);
        }
    }

    /// Kills all process groups.
    #[cfg(feature = "cli")]
    pub(crate) fn kill(&self) {
        if let Some(shell) = &mut *self.0.lock() {
            shell.write('!', 0);
        }
    }
}

impl GuardShell {
    fn start() -> std::io::Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // A signal to the gateway's group, as Ctrl-C sends one, must not end the shell first.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut shell = command.spawn()?;
        let input = shell.stdin.take();
        Ok(Self { shell, input })
    }

    fn write(&mut self, sign: char, group: u32) {
        // If the shell is gone, nothing is guarded, and everything else still works.
        let _ = self
            .input
            .as_mut()
            .map(|input| writeln!(input, "{sign} {group}"));
    }
}

impl Drop for GuardShell {
    fn drop(&mut self) {
        self.input = None;
        // It has nothing left to guard, so it ends at once.
        let _ = self.shell.try_wait();
    }
}

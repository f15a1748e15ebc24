use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::Context;

/// Waits for the end of its input, then stops the server at once and removes the folder. The script signals the server
/// repeatedly, because the server may still be starting. The server has ended when its pid file is gone: its process
/// may stay as a zombie if no process collects orphans, as in many containers.
const SCRIPT: &str = r#"
cd /
cat > /dev/null
for attempt in 1 2 3; do
  pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null) || break
  kill -QUIT "$pid" 2> /dev/null
  for wait in $(seq 100); do
    [ -e "$1/data/postmaster.pid" ] && kill -0 "$pid" 2> /dev/null || break
    sleep 0.05
  done
done
rm -rf "$1"
"#;

/// A shell that reads a pipe from this process. However the process ends, by returning, a panic or SIGKILL, the
/// kernel closes the pipe, and the shell cleans up.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    pub(crate) fn over(folder: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "throwaway-postgres"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A separate process group: a Ctrl-C in the terminal must not reach it.
        let mut shell = command.process_group(0).spawn().context("cannot start the watchdog")?;
        let pipe = shell.stdin.take();
        Ok(Self { shell, pipe })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
    }
}

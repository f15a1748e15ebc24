use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use tempfile::TempDir;

use super::page::{Block, Page};
use crate::harness::{build, free_address, gatepost_binary, search_path, until};

/// The addresses that pages use. A test replaces each of them by a free one.
const ADDRESSES: [&str; 3] = ["127.0.0.1:8080", "127.0.0.1:9000", "127.0.0.1:3000"];

/// Runs in the terminal before the blocks of a page. A block that keeps running is ready when it has printed something.
const PRELUDE: &str = r#"set -e
await() {
    tries=0
    until grep -sqF "$2" "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || exit 99
        sleep 0.1
    done
}
"#;

/// The only command of cargo that a page may run. It starts the binary that is built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
"run -p gatepost-client --example tower") LISTEN=127.0.0.1:3000 exec TOWER ;;
*) echo "the test does not run cargo $*" >&2; exit 98 ;;
esac
"#;

/// A reader that pastes the blocks of one page, in their order, into terminals in one folder.
pub(super) struct Session {
    folder: TempDir,
    addresses: [SocketAddr; 3],
}

impl Session {
    pub(super) fn new(page: &Page) -> Self {
        let session = Self { folder: TempDir::new().expect("a temporary folder"), addresses: free_addresses() };
        for name in ["bin", "steps", "home"] {
            fs::create_dir(session.folder.path().join(name)).expect("creates a folder");
        }
        std::os::unix::fs::symlink(gatepost_binary(), session.path("bin/gatepost")).expect("creates a link");
        if page.text.contains("--example tower") {
            // With the features of the whole workspace, as the test run has built it already.
            session.add_cargo(&build(&["--workspace", "--example", "tower"]));
        }
        session
    }

    fn add_cargo(&self, tower: &Path) {
        let shim = self.with_own_addresses(CARGO).replace("TOWER", &tower.display().to_string());
        self.write("bin/cargo", &shim);
        fs::set_permissions(self.path("bin/cargo"), Permissions::from_mode(0o755)).expect("its own file");
    }

    /// Runs the blocks, each in the terminal as the earlier ones have left it, and returns the standard output of each,
    /// with the page's addresses.
    pub(super) fn run(&self, blocks: &[(&Block, Way)]) -> Vec<String> {
        let mut script = PRELUDE.to_owned();
        for (step, (block, way)) in blocks.iter().enumerate() {
            self.add(&mut script, step, block, way);
        }
        self.write("terminal.sh", &script);
        let mut terminal = Command::new("sh");
        terminal.arg(self.path("terminal.sh")).current_dir(self.path("home")).env_clear();
        terminal.env("PATH", self.search_path()).env("HOME", self.path("home"));
        terminal.env("LISTEN", self.addresses[0].to_string());
        let status = Group::start(terminal).ended();
        assert!(status.success(), "{status}\n{}", self.failure(blocks));
        (0..blocks.len()).map(|step| self.with_addresses_of_the_page(&self.printed(step, "out"))).collect()
    }

    fn add(&self, script: &mut String, step: usize, block: &Block, way: &Way) {
        let text = self.with_own_addresses(&block.text);
        let (out, err) = (self.step(step, "out"), self.step(step, "err"));
        match way {
            Way::ToItsEnd => write!(script, "exec >{out} 2>{err}\n{text}"),
            Way::KeepsRunning { ready } => {
                self.write(&format!("steps/{step}.sh"), &text);
                writeln!(script, "sh {} >{out} 2>&1 </dev/null &\nawait {out} '{ready}'", self.step(step, "sh"))
            }
        }
        .expect("a string takes everything");
    }

    /// The output of the last block that began, and of the blocks that still run.
    fn failure(&self, blocks: &[(&Block, Way)]) -> String {
        let begun = |step: &usize| self.path(&format!("steps/{step}.out")).exists();
        let mut failure = String::new();
        for step in (0..blocks.len()).filter(begun) {
            let (block, printed) = (blocks[step].0, [self.printed(step, "out"), self.printed(step, "err")].concat());
            let _ = writeln!(failure, "── line {}:\n{}── printed:\n{printed}", block.line, block.text);
        }
        failure
    }

    fn printed(&self, step: usize, kind: &str) -> String {
        let bytes = fs::read(self.path(&format!("steps/{step}.{kind}"))).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn with_own_addresses(&self, text: &str) -> String {
        let pairs = ADDRESSES.iter().zip(self.addresses);
        pairs.fold(text.to_owned(), |text, (page, own)| text.replace(page, &own.to_string()))
    }

    fn with_addresses_of_the_page(&self, text: &str) -> String {
        let pairs = ADDRESSES.iter().zip(self.addresses);
        pairs.fold(text.to_owned(), |text, (page, own)| text.replace(&own.to_string(), page))
    }

    fn search_path(&self) -> String {
        let folders = [vec![self.path("bin")], search_path()].concat();
        folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":")
    }

    fn step(&self, step: usize, kind: &str) -> String {
        self.path(&format!("steps/{step}.{kind}")).display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("writes into its own folder");
    }
}

/// Three different addresses.
fn free_addresses() -> [SocketAddr; 3] {
    let mut addresses = BTreeSet::new();
    while addresses.len() < 3 {
        addresses.insert(free_address());
    }
    addresses.into_iter().collect::<Vec<_>>().try_into().expect("three")
}

/// How a block is run.
pub(super) enum Way {
    ToItsEnd,
    /// In another terminal, until the page ends.
    KeepsRunning {
        ready: String,
    },
}

/// A process and everything that it starts. All of them are killed with this value.
struct Group(Child);

impl Group {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).process_group(0);
        Self(command.spawn().expect("sh runs"))
    }

    /// Waits for the first process, not for processes that it leaves behind.
    fn ended(&mut self) -> ExitStatus {
        self.0.wait().expect("our own child")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        signal_group("KILL", self.0.id());
        let _ = self.0.wait();
    }
}

/// Whether the group had a process. Some shells do not know `kill -KILL -- -1234`.
fn signal_group(name: &str, group: u32) -> bool {
    let kill = format!("kill -s {name} -- -{group}");
    Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status().expect("sh runs").success()
}

#[tokio::test]
async fn a_group_is_killed_with_what_it_left_behind() {
    let mut terminal = Command::new("sh");
    terminal.args(["-c", "sleep 600 &"]);
    let mut group = Group::start(terminal);
    assert!(group.ended().success());
    let id = group.0.id();
    assert!(signal_group("0", id), "the sleep goes on");
    drop(group);
    until("the group is gone", async || !signal_group("0", id)).await;
}

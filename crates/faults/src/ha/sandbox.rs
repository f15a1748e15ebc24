//! Where a run happens: in separate namespaces, in which it cuts networks and fills disks without an effect on the
//! machine. When the run ends, however it ends, the kernel ends all its processes and removes its networks and disks.

use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, ensure};

/// How many nodes a cluster has.
pub(super) const NODES: usize = 3;
/// The arguments of the process inside.
const INSIDE: &str = "--inside";
const FOLDER: &str = "--folder";
/// The first process of a namespace must collect orphans, which a shell does.
const FIRST_PROCESS: &str = r#""$@"; exit $?"#;
/// A bridge with one network for each node. The store of Patroni has its own address, so that a node can lose it
/// and still be reached by clients.
const PREPARE: &str = r#"
set -eu
mount -t tmpfs -o mode=755 tmpfs "$2"
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
ip link set lo up
ip link add gatepost-ha type bridge
ip addr add 10.213.0.1/24 dev gatepost-ha
ip addr add 10.213.0.2/24 dev gatepost-ha
ip link set gatepost-ha up
for node in $(seq "$1"); do
    ip netns add "node$node"
    ip link add "ha-node$node" type veth peer name eth0 netns "node$node"
    ip link set "ha-node$node" master gatepost-ha up
    ip -n "node$node" addr add "10.213.0.1$node/24" dev eth0
    ip -n "node$node" link set eth0 up
    ip -n "node$node" link set lo up
    mkdir -p "$2/node$node"
    mount -t tmpfs -o size=512m tmpfs "$2/node$node"
done
"#;

/// The networks of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sandbox {
    /// Whether each node has its own network and its own disk.
    pub(super) is_private: bool,
}

impl Sandbox {
    /// Prepares the networks and the disks, if this process is inside.
    pub(super) fn prepare(is_inside: bool, folder: &Path) -> anyhow::Result<Self> {
        if is_inside {
            let mut sh = Command::new("sh");
            sh.args(["-c", PREPARE, "sh", &NODES.to_string()]).arg(folder);
            ensure!(sh.status().context("cannot run sh")?.success(), "cannot prepare the networks of the nodes");
        }
        Ok(Self { is_private: is_inside })
    }

    /// The address of a node; the first has the number 1.
    pub(super) fn node(self, number: usize) -> IpAddr {
        let last = u8::try_from(10 + number).unwrap_or(u8::MAX);
        self.address(last)
    }

    /// The address of the store of Patroni.
    pub(super) fn store(self) -> IpAddr {
        self.address(2)
    }

    fn address(self, last: u8) -> IpAddr {
        if self.is_private { [10, 213, 0, last].into() } else { [127, 0, 0, 1].into() }
    }

    /// A command that runs in the network of the node.
    pub(super) fn command(self, number: usize) -> Command {
        if !self.is_private {
            return Command::new("env");
        }
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &format!("node{number}")]);
        command
    }

    /// Cuts the node off from the store and from the other nodes. Clients still reach it.
    pub(super) fn cut(self, number: usize) -> anyhow::Result<()> {
        self.blackholes("add", number)
    }

    pub(super) fn mend(self, number: usize) -> anyhow::Result<()> {
        self.blackholes("del", number)
    }

    fn blackholes(self, verb: &str, number: usize) -> anyhow::Result<()> {
        let others = (1..=NODES).filter(|other| *other != number).map(|other| self.node(other));
        for address in others.chain([self.store()]) {
            let mut ip = Command::new("ip");
            ip.args(["-n", &format!("node{number}"), "route", verb, "blackhole", &format!("{address}/32")]);
            ensure!(ip.status().context("cannot run ip")?.success(), "cannot change the routes of node{number}");
        }
        Ok(())
    }
}

/// Whether this user may make namespaces.
pub(super) fn is_allowed() -> bool {
    let mut unshare = unshare();
    let quiet = unshare.args(["ip", "link", "add", "ha-probe", "type", "bridge"]).stdin(Stdio::null());
    quiet.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs this program again, with these arguments, in new namespaces, where temporary files are in `folder`.
pub(super) fn enter(arguments: &[String], folder: &Path) -> anyhow::Result<ExitStatus> {
    let own = std::env::current_exe()?;
    let mut unshare = unshare();
    unshare.args(["sh", "-c", FIRST_PROCESS, "sh"]).arg(own).arg("ha").args(arguments).arg(INSIDE);
    unshare.arg(FOLDER).arg(folder).env("TMPDIR", folder).status().context("cannot run unshare")
}

/// The namespaces end with this process, even if it is killed.
fn unshare() -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare"]);
    command.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command
}

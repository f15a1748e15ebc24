use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

/// The user that runs the server: the current user, or another user if that is root, which Postgres refuses.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    other: Option<(u32, u32)>,
}

impl Account {
    /// Chooses the account for this process.
    ///
    /// # Errors
    ///
    /// This process runs as root, and the system has neither a user postgres nor a user nobody.
    pub fn choose() -> anyhow::Result<Self> {
        if !is_root() {
            return Ok(Self { other: None });
        }
        let users = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        let other = ["postgres", "nobody"].iter().find_map(|name| ids_of(&users, name));
        let missing = "this process runs as root, and the system has neither a user postgres nor a user nobody";
        Ok(Self { other: Some(other.context(missing)?) })
    }

    /// The numbers of the user and its group; `None` for the user of this process.
    pub fn other(self) -> Option<(u32, u32)> {
        self.other
    }

    /// Changes the owner of a file or folder to the account.
    ///
    /// # Errors
    ///
    /// The path does not exist.
    pub fn own(self, path: &Path) -> anyhow::Result<()> {
        let Some((user, group)) = self.other else { return Ok(()) };
        chown(path, Some(user), Some(group)).with_context(|| format!("cannot hand over {}", path.display()))
    }

    /// Runs the command as the account.
    pub(crate) fn apply(self, command: &mut Command) {
        if let Some((user, group)) = self.other {
            command.uid(user).gid(group);
        }
    }
}

/// Whether this process runs as root: the user of a process owns its `/proc/self`.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn ids_of(users: &str, name: &str) -> Option<(u32, u32)> {
    let fields: Vec<&str> = users.lines().map(|line| line.split(':').collect()).find(|f: &Vec<_>| f[0] == name)?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

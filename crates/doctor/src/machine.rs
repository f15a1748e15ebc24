use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{Access, statvfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::finding::Finding;

/// Less free space than this may be gone within minutes of webhooks.
const FREE_BYTES_MIN: u64 = 1024 * 1024 * 1024;
/// A default instance with its default connections to clients, receivers and the database needs more than this.
const OPEN_FILES_MIN: u64 = 4_096;

/// The bytes that this user may still write to the disk with this file or folder; `None` if the disk does not say.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let disk = statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Checks the free space of the disk with the folder of the SQLite file.
pub fn check_disk(folder: &Path) -> Option<Finding> {
    let free = free_bytes(folder)?;
    (free < FREE_BYTES_MIN).then(|| Finding {
        check: "disk",
        what: format!("the disk of {} has {} MiB free", folder.display(), free / 1024 / 1024),
        why: "a full disk takes no writes: keys cannot be created or revoked, and no event is accepted",
        cure: format!(
            "make room: `du -xh {} | sort -h | tail` shows what is large; or set WEBHOOK_RETENTION_DAYS lower",
            folder.display()
        ),
    })
}

/// Checks that this user may write to the file that a setting names, or may make it, and the folders above it if the
/// service makes them.
pub fn check_writable(setting: &str, path: &Path, makes_folders: bool) -> Option<Finding> {
    let path = std::path::absolute(path).ok()?;
    let target = fs::read_link(&path).map_or_else(|_| path.clone(), |to| path.with_file_name(to));
    let place: &Path = if target.exists() {
        &target
    } else if makes_folders {
        target.ancestors().find(|folder| folder.exists())?
    } else {
        target.parent()?
    };
    let refusal = match (place == target, place.is_dir()) {
        (true, true) => Errno::ISDIR,
        (false, false) if place.exists() => Errno::NOTDIR,
        _ => rustix::fs::access(place, Access::WRITE_OK).err()?,
    };
    Some(Finding {
        check: "files",
        what: format!("{setting}: this user cannot write {}: {}: {refusal}", path.display(), place.display()),
        why: "`gatepost serve` ends at its start",
        cure: format!("`ls -ld '{}'` shows its owner; run this command as the user of the service", place.display()),
    })
}

/// Checks the hard limit on open files, to which Gatepost raises its own.
pub fn check_open_files() -> Option<Finding> {
    let limit = getrlimit(Resource::Nofile).maximum?;
    (limit < OPEN_FILES_MIN).then(|| Finding {
        check: "open files",
        what: format!("this user may open {limit} files and sockets at most"),
        why: "Gatepost uses three quarters of them for connections of clients, and webhooks need more at the same time",
        cure: "set LimitNOFILE=65536 in the systemd unit, or `ulimit -Hn 65536` before the start".to_owned(),
    })
}

/// Checks that only the owner and the group of a file with a secret may read it.
pub fn check_secret_file(path: &Path) -> Option<Finding> {
    let mode = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.permissions().mode();
    let file = path.display();
    (mode & 0o004 != 0).then(|| Finding {
        check: "secret files",
        what: format!("every user of this machine can read {file}, which has a secret"),
        why: "who reads it can act as Gatepost or as its operator",
        cure: format!("`chmod o-r '{file}'`; in Kubernetes, set defaultMode of the volume to 0440"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_found() {
        let found = check_disk(Path::new("/proc")).expect("a file system without room");
        assert!(found.what.contains("0 MiB free") && found.cure.contains("`du -xh /proc "), "{found:?}");
    }
}

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::binary::search_path;

/// The user id of `nobody`.
const NOBODY: u32 = 65_534;

/// The path of a program that `cargo xtask test` gets where it can.
pub(crate) fn find(name: &str) -> PathBuf {
    let folders = search_path().into_iter().chain(["/usr/sbin".into()]);
    let mut found = folders.map(|folder| folder.join(name)).filter(|path| path.is_file());
    found.next().unwrap_or_else(|| {
        panic!(
            "{name} is not installed: `cargo xtask test` gets it where it can, and skips its tests by name elsewhere"
        )
    })
}

/// A command that runs this program in this folder, which only the command uses.
///
/// If the test runs as root, the command runs as `nobody`, because the program needs no rights. `nobody` may not be able
/// to read the program's folder, so the program is copied.
pub(crate) fn without_rights(program: &Path, folder: &Path) -> Command {
    // `/proc/self` belongs to the user that the process runs as.
    if !fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        return Command::new(program);
    }
    let copy = folder.join("program");
    fs::copy(program, &copy).expect("copies the program");
    chown(folder, Some(NOBODY), Some(NOBODY)).expect("root may change owners");
    let mut command = Command::new(copy);
    command.uid(NOBODY).gid(NOBODY);
    command
}

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::search_path;

/// Whom everybody takes for nobody.
const NOBODY: u32 = 65_534;

/// The path of a gateway's program.
pub(super) fn find(name: &str) -> PathBuf {
    let folders = search_path().into_iter().chain(["/usr/sbin".into()]);
    let mut found = folders.map(|folder| folder.join(name)).filter(|path| path.is_file());
    found.next().unwrap_or_else(|| {
        panic!(
            "{name} is not installed: `cargo xtask test` gets it where it can, and skips its tests by name elsewhere"
        )
    })
}

/// A command that runs this program in this folder, which is the command's own.
///
/// When we are root, it runs as nobody: a gateway needs no rights. Nobody may have no way to where the program is, so
/// that is copied.
pub(super) fn without_rights(program: &Path, folder: &Path) -> Command {
    // `/proc/self` belongs to whom the process runs as.
    if !fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        return Command::new(program);
    }
    let copy = folder.join("program");
    fs::copy(program, &copy).expect("copies the program");
    chown(folder, Some(NOBODY), Some(NOBODY)).expect("root may give away");
    let mut command = Command::new(copy);
    command.uid(NOBODY).gid(NOBODY);
    command
}

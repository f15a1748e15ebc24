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
    find_first_of(&[name])
}

/// The path of the first of these programs that is installed, of which `cargo xtask test` gets one where it can.
pub(crate) fn find_first_of(names: &[&str]) -> PathBuf {
    let folders = || search_path().into_iter().chain(["/usr/sbin".into()]);
    let paths = names.iter().flat_map(|name| folders().map(move |folder| folder.join(name)));
    let mut found = paths.filter(|path| path.is_file());
    found.next().unwrap_or_else(|| {
        panic!(
            "{} is not installed: `cargo xtask test` gets it where it can, and skips its tests by name elsewhere",
            names.join(" or ")
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

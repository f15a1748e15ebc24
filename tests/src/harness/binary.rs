use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The binary under test: `GATEPOST_BIN` if it is set, otherwise cargo builds it now.
pub(crate) fn gatepost_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        from_the_environment("GATEPOST_BIN").unwrap_or_else(|| build(&["--package", "app", "--bin", "gatepost"]))
    })
}

/// The binary of the version before: `GATEPOST_OLD_BIN` if it is set. Otherwise the binary under test is used.
pub(crate) fn old_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| from_the_environment("GATEPOST_OLD_BIN").unwrap_or_else(|| gatepost_binary().to_owned()))
}

/// The folder of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate of the workspace")
}

/// The environment of a command without settings.
pub(crate) const NO_SETTINGS: [(&str, &str); 0] = [];

/// Runs the binary to its end in `folder`, with exactly this environment.
pub(crate) fn run_gatepost(
    folder: &Path,
    arguments: &[impl AsRef<OsStr>],
    environment: &[(impl AsRef<OsStr>, impl AsRef<OsStr>)],
) -> Output {
    feed_gatepost(folder, arguments, environment, "")
}

/// The same with standard input, at most as much as a pipe holds.
pub(crate) fn feed_gatepost(
    folder: &Path,
    arguments: &[impl AsRef<OsStr>],
    environment: &[(impl AsRef<OsStr>, impl AsRef<OsStr>)],
    input: &str,
) -> Output {
    let mut command = Command::new(gatepost_binary());
    let environment = environment.iter().map(|(name, value)| (name, value));
    feed(command.args(arguments).env_clear().envs(environment).current_dir(folder), input)
}

/// Runs a command to its end with this standard input, at most as much as a pipe holds.
pub(crate) fn feed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // A process that does not read its input may have ended before the write.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the process ends")
}

/// The standard output of a command that must succeed, without the final newline.
#[track_caller]
pub(crate) fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", complaint(output));
    String::from_utf8(output.stdout.clone()).expect("UTF-8").trim_end().to_owned()
}

/// Checks the exit code of a command that must fail, and these words on standard error. Standard output must be empty.
#[track_caller]
pub(crate) fn assert_failed(output: &Output, code: i32, what: &str) {
    assert_eq!(output.status.code(), Some(code), "{what}: {}", complaint(output));
    assert!(complaint(output).contains(what), "{what}: {}", complaint(output));
    assert!(output.stdout.is_empty(), "errors go to standard error");
}

/// The standard error.
pub(crate) fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[expect(clippy::disallowed_methods, reason = "names the binaries under test; not a setting of Gatepost")]
fn from_the_environment(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// The path of the one executable that `cargo build` makes with these arguments.
pub(crate) fn build(arguments: &[&str]) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--message-format=json"]).args(arguments);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let mut executables = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    executables.next_back().expect("cargo names the executable")
}

/// The folders in which the shell looks for programs.
#[expect(clippy::disallowed_methods, reason = "finds programs; not a setting of Gatepost")]
pub(crate) fn search_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect()
}

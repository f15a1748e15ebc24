//! Other programs, run in the root of the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The cargo that runs this program.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    program(env!("CARGO"), arguments)
}

pub(crate) fn program<'a>(name: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    command
}

/// A shell script that runs in this folder.
pub(crate) fn script(folder: &Path, text: &str) -> Command {
    let mut shell = program("sh", ["-c", text]);
    shell.current_dir(folder);
    shell
}

/// Runs a command to its end, and shows its output.
pub(crate) fn run(mut command: Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
    ensure!(status.success(), "{} failed", shown(&command));
    Ok(())
}

/// Runs a command to its end, and returns its output.
pub(crate) fn output(mut command: Command) -> anyhow::Result<Vec<u8>> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {}", shown(&command)))?;
    ensure!(output.status.success(), "{} failed", shown(&command));
    Ok(output.stdout)
}

/// Whether a command succeeds. Its output is not shown.
pub(crate) fn succeeds(mut command: Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[expect(clippy::print_stdout, reason = "a command line program")]
pub(crate) fn say(text: &str) {
    println!("{}", text.trim_end());
}

#[expect(clippy::print_stderr, reason = "a command line program")]
pub(crate) fn complain(text: &str) {
    eprintln!("{}", text.trim_end());
}

/// Builds the binary that the suite tests, once before all tests. It has the dependencies of the tests, with their features,
/// so that cargo does not compile 40 of them again for the tests: of a build without a test, cargo leaves these features out.
pub(crate) fn build_binary() -> anyhow::Result<PathBuf> {
    let build = ["build", "--locked", "--workspace", "--bin", "gatepost", "--test", "configuration"];
    run(cargo(build))?;
    let messages = output(cargo(build.into_iter().chain(["--quiet", "--message-format=json"])))?;
    let messages = String::from_utf8(messages).context("cargo wrote something that is not UTF-8")?;
    let executables = messages.split("\"executable\":\"").skip(1).filter_map(|after| after.split('"').next());
    let mut binaries =
        executables.map(PathBuf::from).filter(|path| path.file_stem().is_some_and(|name| name == "gatepost"));
    binaries.next().context("cargo named no executable")
}

fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    format!("`{} {}`", name.to_string_lossy(), arguments.join(" "))
}

/// Tests to skip, because a program that they need is not available.
pub(crate) struct Skip {
    /// A part of their names, which no other test has.
    pub(crate) tests: String,
    /// Why they are skipped.
    pub(crate) reason: String,
}

/// The arguments that make a test runner skip them.
pub(crate) fn skip_arguments(skips: &[Skip]) -> Vec<&str> {
    let named = skips.iter().flat_map(|skip| ["--skip", &skip.tests]);
    if skips.is_empty() { Vec::new() } else { ["--"].into_iter().chain(named).collect() }
}

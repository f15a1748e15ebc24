//! Runs all tests. They need a Postgres server, curl and jq, which this installs where it can. It skips by name the tests
//! of gateways, of the pooler, of the browser, of Prometheus, of clients and of libraries in other languages that it cannot
//! get.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, thread};

use anyhow::{Context, anyhow, ensure};
use throwaway_postgres::{Cluster, ClusterSettings};

use crate::browser;
use crate::gateways::Gateways;
use crate::program::{self, Skip, build_binary, cargo, program, root, say, skip_arguments, succeeds};
use crate::reference_libraries;

/// Runs the tests that match the filter of the test runner.
pub(crate) fn run(filter: &[&str]) -> anyhow::Result<()> {
    need("curl")?;
    need("jq")?;
    let Gateways { path, mut skips } = Gateways::find_or_get()?;
    let (libraries, more_skips) = reference_libraries::find_or_get()?;
    skips.extend(more_skips);
    let (browser, more_skips) = browser::find_or_get();
    skips.extend(more_skips);
    skips.extend(no_promtool());
    skips.extend(no_namespaces());
    let binary = build_binary()?;
    // One server for all processes that the test runner starts. It ends with this process.
    let runtime = tokio::runtime::Builder::new_current_thread().build().context("cannot start a runtime")?;
    // With 16 shards, an instance opens up to 208 connections, and a test has up to four instances.
    let cluster = runtime.block_on(Cluster::start(ClusterSettings { connections_max: 3_000, ..Default::default() }))?;
    let citus = Cluster::coordinator()?;
    let _sweepers = (cluster.sweeper(), citus.as_ref().map(Cluster::sweeper));
    if citus.is_none() {
        say("SKIPPED every test on Citus: CITUS_URL names no coordinator");
    }
    let files = files_in_memory(&cluster);
    // Most tests wait more than they compute: with two for each processor, a third of the processors was idle.
    let at_once = 3 * thread::available_parallelism().map_or(1, NonZero::get);
    let prepared = |mut command: Command| {
        let (name, value) = cluster.loan();
        command
            .args(filter)
            .env(name, value)
            .env("GATEPOST_BIN", &binary)
            .env("PATH", &path)
            .env("RECEIVER_LIBRARIES", &libraries)
            .envs(browser.iter().map(|path| ("CHROMIUM", path)))
            .env("NEXTEST_TEST_THREADS", at_once.to_string())
            .envs(files.iter().map(|folder| ("TMPDIR", folder)));
        command
    };
    let suite = |arguments: &[&'static str]| {
        let mut command = prepared(cargo(arguments.iter().copied()));
        command.args(skip_arguments(&skips));
        let outcome = program::run(command);
        for Skip { tests, reason } in &skips {
            say(&format!("SKIPPED {tests}: {reason}"));
        }
        outcome
    };
    let doc_tests = prepared(cargo(["test", "--workspace", "--locked", "--quiet", "--doc"]));
    program::run(doc_tests)?;
    thread::scope(|scope| {
        let others = filter.is_empty().then(|| scope.spawn(|| OTHER_TESTS.map(run_quietly)));
        let outcome = if succeeds(cargo(["nextest", "--version"])) {
            suite(&["nextest", "run", "--workspace", "--locked"])
        } else {
            say("cargo-nextest is not installed: the slower `cargo test` runs instead");
            suite(&["test", "--workspace", "--locked", "--all-targets"])
        };
        let Some(others) = others else { return outcome };
        let others = others.join().map_err(|_| anyhow!("a thread panicked"))?;
        others.into_iter().fold(outcome, |outcome, other| match (outcome, other) {
            (Err(first), Err(second)) => Err(first.context(second)),
            (first, second) => first.and(second),
        })
    })
}

/// The tests of this program that need no test runner. They run during the suite, one after the other: the suite leaves
/// a third of two processors idle.
const OTHER_TESTS: [&str; 2] = ["clients", "api"];

/// Runs such tests, and shows their output when they have ended. That of a failure is in the error: a reader finds it at
/// the end, and not within the output of the suite.
fn run_quietly(tests: &str) -> anyhow::Result<()> {
    let output = Command::new(env::current_exe()?).args(["test", tests]).current_dir(root()).output()?;
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let shown = format!("── cargo xtask test {tests}\n{stdout}{stderr}");
    ensure!(output.status.success(), "{shown}\n`cargo xtask test {tests}` failed");
    say(&shown);
    Ok(())
}

/// A folder in memory for the files of tests, which ends with the cluster. `None` if the cluster is not in memory, or programs
/// cannot run there: the tests start a copy of PgBouncer. A short test on SQLite takes 80 ms there and 200 ms on a disk.
fn files_in_memory(cluster: &Cluster) -> Option<PathBuf> {
    const TRY: &str = r#"mkdir -m 777 "$1" && cp /bin/sh "$1/sh" && "$1/sh" -c true && rm "$1/sh""#;
    let folder = cluster.folder_in_memory()?.join("files");
    let made = succeeds(program("sh", ["-c", TRY, "sh", folder.to_str()?]));
    made.then_some(folder)
}

/// The tests of the alerts, if `promtool` is neither installed nor installable.
fn no_promtool() -> Option<Skip> {
    const INSTALL: &str =
        "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends prometheus";
    let runs = || succeeds(program("promtool", ["--version"]));
    let get = || {
        say("getting promtool");
        Path::new("/usr/bin/apt-get").exists() && succeeds(program("sh", ["-c", INSTALL]))
    };
    let is_there = runs() || (get() && runs());
    let reason = "promtool cannot be installed here".to_owned();
    (!is_there).then(|| Skip { tests: "metrics::promtool::".to_owned(), reason })
}

/// The test of the container image, if this user cannot make a container. See decision 85.
fn no_namespaces() -> Option<Skip> {
    let reason = "this user or this machine may not make namespaces".to_owned();
    let can = succeeds(program("unshare", ["--mount", "--pid", "--fork", "true"]));
    (!can).then(|| Skip { tests: "image::".to_owned(), reason })
}

/// Runs the test of a rolling upgrade with this binary of an earlier version. Without one, the test upgrades this
/// commit to itself. See `docs/operations/upgrades.md`.
///
/// # Errors
///
/// When there is no such file, the build fails, or a request fails during the upgrade.
pub(crate) fn run_upgrade(old_binary: &str) -> anyhow::Result<()> {
    let old = Path::new(old_binary).canonicalize().with_context(|| format!("no binary at {old_binary}"))?;
    let mut test = cargo(["test", "--locked", "--package", "tests", "--test", "suite", "upgrade::"]);
    test.env("GATEPOST_OLD_BIN", old);
    program::run(test)
}

/// Installs a program with which the documentation calls Gatepost.
fn need(name: &str) -> anyhow::Result<()> {
    let install = format!("apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y {name}");
    let get = || Path::new("/usr/bin/apt-get").exists() && succeeds(program("sh", ["-c", &install]));
    let is_there = succeeds(program(name, ["--version"])) || get();
    ensure!(is_there, "{name} is not installed. On Debian and Ubuntu: sudo sh -c '{install}'");
    Ok(())
}

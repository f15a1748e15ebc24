//! Runs the tests of the clients in TypeScript and Python, at the binary. See decision 125.

use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Context, anyhow};
use throwaway_postgres::{Cluster, ClusterSettings};

use crate::program::{build_binary, program, root, run, say, succeeds};

const TYPESCRIPT: &str = "clients/typescript";
/// Installs exactly the packages of the lock file, unless they are installed: npm writes its copy of the lock file
/// last.
const INSTALL_TYPESCRIPT: &str = "node --version && { test node_modules/.package-lock.json -nt package-lock.json \
     || npm ci --silent --no-audit --no-fund --ignore-scripts; }";
/// Deno, Bun and Workers. Their packages put the programs in place when they are installed.
const INSTALL_RUNTIMES: &str = "test runtimes/node_modules/.package-lock.json -nt runtimes/package-lock.json \
     || npm ci --prefix runtimes --silent --no-audit --no-fund";
const PYTHON: &str = "clients/python";
/// Makes the virtual environment of Python, unless it is there, for this folder and for the packages that are needed.
const INSTALL_PYTHON: &str = "mark=target/clients/installed; \
     test $mark -nt clients/python/pyproject.toml && test \"$(cat $mark)\" = \"$PWD\" \
     || { python3 -m venv target/clients && target/clients/bin/python -m pip install --quiet \
     --editable 'clients/python[test]' && pwd > $mark; }";

/// The variable with the database on which the tests of the service run again.
const DATABASE: &str = "GATEPOST_TEST_DATABASE_URL";

/// The tests of Python that start most programs. The rest takes as long.
const PROGRAMS_OF_PYTHON: [&str; 2] = ["clients/python/tests/test_examples.py", "clients/python/tests/test_files.py"];

/// Runs the tests of both clients, several at the same time. A client with packages that cannot be installed is skipped by
/// name.
///
/// # Errors
///
/// When a test fails, no Postgres server is installed, or the binary cannot be built.
pub(crate) fn run_all() -> anyhow::Result<()> {
    let binary = build_binary()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().context("cannot start a runtime")?;
    let cluster = runtime.block_on(Cluster::start(ClusterSettings::default()))?;
    let database = || runtime.block_on(cluster.database()).map(|database| database.url);
    let (for_python, for_typescript) = (database()?, database()?);
    thread::scope(|scope| {
        let python = scope.spawn(|| python(&binary, &for_python));
        let typescript = typescript(&binary, &for_typescript);
        let python = python.join().map_err(|_| anyhow!("a thread panicked")).flatten();
        python.map_err(|error| error.context("the tests of the client in Python")).and(typescript)
    })
}

/// Runs all commands at the same time, and to their ends.
fn run_at_once<const N: usize>(commands: [Command; N]) -> anyhow::Result<()> {
    thread::scope(|scope| {
        let running = commands.map(|command| scope.spawn(|| run(command)));
        let ends = running.map(|command| command.join().map_err(|_| anyhow!("a thread panicked")).flatten());
        ends.into_iter().collect()
    })
}

fn typescript(binary: &Path, database: &str) -> anyhow::Result<()> {
    let here = |name: &str, arguments: &[&str]| {
        let mut command = program(name, arguments.iter().copied());
        command.current_dir(root().join(TYPESCRIPT)).env("GATEPOST_BIN", binary);
        command
    };
    if !succeeds(here("sh", &["-c", INSTALL_TYPESCRIPT])) {
        say("SKIPPED the client in TypeScript: Node, or its packages, cannot be installed here");
        return Ok(());
    }
    if !succeeds(here("sh", &["-c", INSTALL_RUNTIMES])) {
        say("SKIPPED Deno, Bun and Workers: they cannot be installed here");
    }
    say("── clients/typescript");
    run(here("npm", &["run", "pretest", "--silent"]))?;
    let all = here("npm", &["test", "--ignore-scripts", "--silent"]);
    let mut on_postgres = here("node", &["--test", "test/contract.test.mjs"]);
    on_postgres.env(DATABASE, database);
    run_at_once([all, on_postgres])
}

fn python(binary: &Path, database: &str) -> anyhow::Result<()> {
    if !succeeds(program("sh", ["-c", INSTALL_PYTHON])) {
        say("SKIPPED the client in Python: Python, or its packages, cannot be installed here");
        return Ok(());
    }
    say("── clients/python");
    let python = root().join("target/clients/bin/python");
    let tests = |arguments: &[&str]| {
        let mut command = program(&python, ["-m", "pytest", "--quiet"].into_iter().chain(arguments.iter().copied()));
        command.env("GATEPOST_BINARY", binary);
        command
    };
    let rest: Vec<&str> =
        [PYTHON].into_iter().chain(PROGRAMS_OF_PYTHON.iter().flat_map(|file| ["--ignore", file])).collect();
    let of_service = ["test_service.py", "test_operations.py"].map(|name| format!("{PYTHON}/tests/{name}"));
    let mut on_postgres = tests(&of_service.each_ref().map(String::as_str));
    on_postgres.env(DATABASE, database);
    run_at_once([tests(&PROGRAMS_OF_PYTHON), tests(&rest), on_postgres])
}

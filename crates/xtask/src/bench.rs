//! Runs the crate `bench`, which has the dependencies of measuring and is built only here.

use crate::program::{cargo, run};

pub(crate) fn run_parts(parts: &[&str]) -> anyhow::Result<()> {
    run(cargo(["build", "--release", "--locked", "--package", "app", "--package", "bench"]))?;
    let bench = ["run", "--release", "--locked", "--quiet", "--package", "bench", "--"];
    run(cargo(bench.into_iter().chain(parts.iter().copied())))
}

//! The checks that must pass before a change is merged. The checks that need no compiler come first.

mod budgets;
mod modules;
mod prose;
mod rows;
mod sizes;
mod source;
mod sql;
mod turns;

use anyhow::ensure;

use crate::browser;
use crate::program::{cargo, program, root, run, say, succeeds};

/// The validator of OpenAPI documents, from `PyPI`. Pinned: a lint does not change overnight.
const VALIDATOR: &str = "openapi-spec-validator==0.9.0";

/// Runs every check.
pub(crate) fn run_all() -> anyhow::Result<()> {
    without_clippy()?;
    say("── clippy");
    run(cargo(["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"]))
}

/// Runs the checks that need no compiler.
pub(crate) fn without_clippy() -> anyhow::Result<()> {
    structure()?;
    say("── prose");
    prose(&[])?;
    say("── formatting");
    run(cargo(["fmt", "--all", "--check"]))?;
    browser::lint()?;
    licences_and_advisories()?;
    openapi_validity()
}

/// Checks of the text of the source: the sizes of files, functions, crates, ports and pages, modules that import each
/// other, SQL that is not portable, and rows that are composed at each insertion.
pub(crate) fn structure() -> anyhow::Result<()> {
    say("── structure");
    let outcomes = [modules::check(), sizes::check(), sql::check(), rows::check(), budgets::check()];
    outcomes.into_iter().collect()
}

/// Lists the turns that are not plain English below these paths, or everywhere.
pub(crate) fn prose(paths: &[&str]) -> anyhow::Result<()> {
    let count = prose::list(paths)?;
    ensure!(count == 0, "{count} turns are not plain English");
    Ok(())
}

/// The advisories come from a repository on the network; licences, bans and sources are checked without it.
fn licences_and_advisories() -> anyhow::Result<()> {
    if !succeeds(cargo(["deny", "--version"])) {
        say("── licences and advisories: SKIPPED, cargo-deny is not installed (`cargo install --locked cargo-deny`)");
        return Ok(());
    }
    say("── licences, bans, sources");
    run(cargo(["deny", "--locked", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    if !succeeds(cargo(["deny", "fetch", "db"])) {
        say("── advisories: SKIPPED, their database cannot be reached");
        return Ok(());
    }
    say("── advisories");
    run(cargo(["deny", "--locked", "check", "--disable-fetch", "advisories"]))
}

/// The suite checks the document's structure; this is a validator of the whole OpenAPI 3.1 schema. It is written in
/// Python, and installed into `target/` when it can be.
fn openapi_validity() -> anyhow::Result<()> {
    let folder = root().join("target/openapi-validator");
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    let validator = |python: &str| program(python, ["-m", "openapi_spec_validator", "docs/openapi.json"]);
    let is_there = |python: &str| succeeds(program(python, ["-c", "import openapi_spec_validator"]));
    let install = || {
        succeeds(program("python3", ["-m", "venv", &folder.to_string_lossy()]))
            && succeeds(program(&python, ["-m", "pip", "install", "--quiet", VALIDATOR]))
    };
    say("── docs/openapi.json");
    if is_there("python3") {
        return run(validator("python3"));
    }
    if is_there(&python) || install() {
        return run(validator(&python));
    }
    say("SKIPPED: there is no Python with a validator, and none can be installed here");
    Ok(())
}

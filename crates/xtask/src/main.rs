//! `cargo xtask`: the commands of developers. `cargo xtask help` lists them.

mod api;
mod browser;
mod clients;
mod deploy;
mod dist;
mod gateways;
mod ha;
mod lint;
mod openapi;
mod program;
mod reference_libraries;
mod test;

use std::process::ExitCode;

use program::{cargo, run};

const USAGE: &str = "\
cargo xtask test [FILTER…]          builds the binary, then runs every test of the workspace
cargo xtask test api [ARGUMENT…]    sends requests that are generated from docs/openapi.json to the binary
cargo xtask test clients            runs the tests of the clients in TypeScript and Python at the binary
cargo xtask lint                    runs every check: structure, prose, formatting, the console's source, clippy, licences,
                                    advisories, OpenAPI
cargo xtask lint --without-clippy   runs these checks except clippy's, for a build by clippy-driver: see .ci/run
cargo xtask lint --prose [PATH…]    lists what is not plain English
cargo xtask lint --structure        checks import circles and the sizes of files and functions
cargo xtask openapi [--check]       writes docs/openapi.json and docs/configuration.md, or checks that they are current
cargo xtask vendor                  bundles web/vendor/preact.js from the packages in tests/browser/package.json
cargo xtask dist [--check]          writes the release archive, the Debian package, the container image and the SBOM to
                                    target/dist, or checks them
cargo xtask deploy                  checks the compose files and the Helm chart against the schemas of their formats
cargo xtask upgrade OLD_BINARY      upgrades from an earlier version to this one under load, and counts what fails
cargo xtask bench [PART…]           measures: keys, list, start, verify, verify-postgres, boundary, observed, size, cold,
                                    flood, webhooks, signatures, latency, backlog, neighbours, purge, snapshot, scrape,
                                    shards (all of them without a name); see docs/benchmarks.md
cargo xtask faults [FAULT…]         breaks the release binary under load, and counts what clients lost; see
                                    docs/faults.md, and `cargo xtask faults --help` for the faults
cargo xtask ha [FAULT…]             breaks a cluster of Patroni under two instances, and counts what clients lost; see
                                    docs/high-availability.md, and `cargo xtask ha --help` for the faults
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test", "api", rest @ ..] => api::run_generator(rest),
        ["test", "clients"] => clients::run_all(),
        ["test", rest @ ..] => test::run(rest),
        ["lint"] => lint::run_all(),
        ["lint", "--without-clippy"] => lint::without_clippy(),
        ["lint", "--prose", paths @ ..] => lint::prose(paths),
        ["lint", "--structure"] => lint::structure(),
        ["openapi"] => openapi::write(),
        ["openapi", "--check"] => openapi::check(),
        ["dist"] => dist::pack(),
        ["dist", "--check"] => dist::check(),
        ["deploy"] => deploy::check(),
        ["upgrade", old_binary] => test::run_upgrade(old_binary),
        ["vendor"] => browser::vendor(),
        ["bench", rest @ ..] => on_release("bench", rest),
        ["ha", rest @ ..] => ha::strike(rest),
        ["faults", rest @ ..] => on_release("faults", rest),
        ["help" | "--help" | "-h"] => {
            program::say(USAGE);
            Ok(())
        }
        _ => {
            program::complain(USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            program::complain(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs a crate that uses the release binary, and is built only here.
fn on_release(package: &str, arguments: &[&str]) -> anyhow::Result<()> {
    run(cargo(["build", "--release", "--locked", "--package", "app", "--package", package]))?;
    let program = ["run", "--release", "--locked", "--quiet", "--package", package, "--"];
    run(cargo(program.into_iter().chain(arguments.iter().copied())))
}

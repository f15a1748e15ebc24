//! `cargo xtask ha`: two instances of Gatepost on a cluster of Patroni, in which each part fails in turn.
//! `docs/high-availability.md` explains the cluster and the table.

mod cluster;
mod crowd;
mod fault;
mod maximum;
mod node;
mod oracles;
mod programs;
mod report;
mod rest;
mod revoked;
mod sandbox;
mod service;
mod strike;
mod writes;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Parser, ValueEnum};

use crate::gatepost::built_binary;
use crate::{name_of, say};
use cluster::Cluster;
use fault::Fault;
use programs::{Programs, Version};
use sandbox::Sandbox;
use service::Service;

/// Run two instances of Gatepost on a cluster of Patroni, break the cluster under load, and count the losses of clients
///
/// Without arguments each fault strikes once, which takes about five minutes. A fault that this machine cannot produce
/// is skipped by name. The exit code is 1 if a promise is broken.
#[derive(Debug, Parser)]
#[command(name = "ha", bin_name = "cargo xtask ha")]
pub(crate) struct Arguments {
    /// The faults (all of them without a name)
    #[arg(value_enum)]
    faults: Vec<Fault>,
    /// How often the list of faults is repeated
    #[arg(long, default_value_t = 1)]
    rounds: u32,
    /// The version of Postgres
    #[arg(long, value_enum, default_value = "15")]
    postgres: Version,
    /// The binary of Gatepost (without this option the development build)
    #[arg(long)]
    binary: Option<PathBuf>,
    /// The virtual environment with Patroni, which `cargo xtask ha` makes
    #[arg(long, default_value = "target/ha")]
    tools: PathBuf,
    /// Keep going after a promise is broken
    #[arg(long)]
    keep_going: bool,
    /// This process is in separate namespaces
    #[arg(long, hide = true)]
    inside: bool,
    /// The folder of the run
    #[arg(long, hide = true)]
    folder: Option<PathBuf>,
}

/// Runs this process again in separate namespaces, if this user may make them, and the faults there.
pub(crate) async fn main(given: &[String]) -> anyhow::Result<()> {
    let arguments = Arguments::parse_from(["ha"].into_iter().chain(given.iter().map(String::as_str)));
    if arguments.inside {
        return run(&arguments, arguments.folder.as_deref().context("no folder")?).await;
    }
    let folder = tempfile::Builder::new().prefix("gatepost-ha-").permissions(readable()).tempdir()?;
    if !(throwaway_postgres::is_root() && sandbox::is_allowed()) {
        return run(&arguments, folder.path()).await;
    }
    let status = sandbox::enter(given, folder.path())?;
    ensure!(status.success(), "the run failed");
    Ok(())
}

/// The account of Postgres must be able to enter the folder.
fn readable() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o755)
}

async fn run(arguments: &Arguments, folder: &Path) -> anyhow::Result<()> {
    let programs = Programs::find(&std::path::absolute(&arguments.tools)?, arguments.postgres)?;
    say(&programs.versions());
    let binary = arguments.binary.as_ref().map_or_else(built_binary, |binary| Ok(std::path::absolute(binary)?))?;
    let sandbox = Sandbox::prepare(arguments.inside, folder)?;
    let cluster = Cluster::start(folder, sandbox, &programs).await?;
    let mut service = Service::start(cluster, &binary).await?;
    let mut rows = Vec::new();
    let outcome = rounds(arguments, &mut service, &mut rows).await;
    report::print(&rows);
    outcome?;
    ensure!(rows.iter().all(report::Row::is_kept), "a promise is broken");
    Ok(())
}

async fn rounds(arguments: &Arguments, service: &mut Service, rows: &mut Vec<report::Row>) -> anyhow::Result<()> {
    let faults = if arguments.faults.is_empty() { Fault::value_variants().to_vec() } else { arguments.faults.clone() };
    for round in 1..=arguments.rounds.max(1) {
        for fault in &faults {
            if let Some(missing) = fault.missing(service.cluster.sandbox) {
                say(&format!("{}: SKIPPED, {missing}", name_of(fault)));
                continue;
            }
            let prefix = format!("{}-{round}", name_of(fault));
            let evidence = strike::strike(*fault, service, &prefix).await;
            let evidence = evidence.with_context(|| format!("{prefix}:\n{}", service.logs()))?;
            report::tell(*fault, round, &evidence);
            report::add(rows, *fault, evidence);
            let is_kept = rows.iter().all(report::Row::is_kept);
            ensure!(is_kept || arguments.keep_going, "a promise is broken:\n{}", service.logs());
        }
    }
    Ok(())
}

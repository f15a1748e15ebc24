use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::{backup, completions, config, dev, doctor, health, migrate, openapi, restore, serve};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "gatepost", version, about = ABOUT, arg_required_else_help = true, before_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The configuration file to read instead of ./gatepost.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const ABOUT: &str = "API keys in, webhooks out, for any SaaS: one binary, with SQLite or Postgres";
const EXAMPLES: &str = "\
Examples:
  gatepost dev                     try Gatepost on this machine, without configuration
  gatepost serve                   run Gatepost, configured by gatepost.toml and the environment
  gatepost keys list --user alice  list the API keys of a user
  gatepost listen --user alice     receive the webhooks of a user on this machine
  gatepost config                  show the configuration and where each value came from";

/// A command of `gatepost`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dev(dev::Arguments),
    Serve(serve::Arguments),
    #[command(flatten)]
    Client(cli::Command),
    Migrate(migrate::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Health(health::Arguments),
    Completions(completions::Arguments),
    Openapi(openapi::Arguments),
}

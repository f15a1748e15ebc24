use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::{config, dev, migrate, openapi, serve};

/// What the shell gave us.
#[derive(Debug, Parser)]
#[command(name = "gatepost", version, about = ABOUT, arg_required_else_help = true, before_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The configuration file, in place of ./gatepost.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const ABOUT: &str = "API keys in, webhooks out, for any SaaS: one binary, SQLite inside or a Postgres beside it";
const EXAMPLES: &str = "\
Examples:
  gatepost dev                     try it: no configuration, everything on this machine
  gatepost serve                   run it: configured by gatepost.toml and the environment
  gatepost keys list --user alice  what a user's keys are
  gatepost listen --user alice     what webhooks a user gets
  gatepost config                  what is in force, and where it came from";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dev(dev::Arguments),
    Serve(serve::Arguments),
    #[command(flatten)]
    Client(cli::Command),
    Migrate(migrate::Arguments),
    Config(config::Arguments),
    Openapi(openapi::Arguments),
}

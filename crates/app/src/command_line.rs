use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use cli::{ProfileError, ProfileName, fitted, login, logout};

use crate::commands::{backup, completions, config, copy, dev, doctor, health, man, migrate, program, restore, serve};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "gatepost", version, about = ABOUT, arg_required_else_help = true)]
#[command(before_help = EXAMPLES, after_help = EXIT_CODES)]
pub(crate) struct CommandLine {
    /// The configuration file to read instead of ./gatepost.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The profile of `gatepost login` to use; `local` means this machine's configuration
    #[arg(long, global = true, value_name = "NAME", value_parser = profile_name, help_heading = CLIENT)]
    pub(crate) profile: Option<ProfileName>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const ABOUT: &str = "API keys in, webhooks out, for any SaaS: one binary, with SQLite or Postgres";
const EXAMPLES: &str = "\
Examples:
  gatepost dev                     # try Gatepost, without configuration
  gatepost serve                   # run it by gatepost.toml and the environment
  gatepost keys list --user alice  # list the API keys of a user
  gatepost listen --user alice     # receive the webhooks of a user here
  gatepost config                  # show each setting, and where it comes from";

const EXIT_CODES: &str = "\
Exit codes:
  0   success
  1   failed in another way
  2   wrong usage, or --yes is missing where nobody can confirm
  3   Gatepost refused the call
  4   what the command names does not exist
  5   Gatepost does not answer, or cannot answer now
  78  the configuration, a variable or a profile is missing or wrong

With --json, an error is a problem document (RFC 9457) on standard error. docs/cli.md says more.";
const CLIENT: &str = "Options of commands that call a running Gatepost";

impl CommandLine {
    /// Parses the arguments of the process.
    ///
    /// # Errors
    ///
    /// The text to print: the error of the arguments, or the help.
    pub(crate) fn parse_from_process(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut command = fitted(Self::command());
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

fn profile_name(text: &str) -> Result<ProfileName, ProfileError> {
    ProfileName::parse(text)
}

/// A command of `gatepost`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dev(dev::Arguments),
    Serve(serve::Arguments),
    #[command(flatten)]
    Client(cli::Command),
    Login(login::Arguments),
    Logout(logout::Arguments),
    Migrate(migrate::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
    Copy(copy::Arguments),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Health(health::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Openapi(program::OpenapiArguments),
    Version(program::VersionArguments),
}

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use cli::output::{answer, remark};
use cli::{ProfileError, ProfileName, fitted, login, logout};

use crate::commands::{
    backup, block_on, client, completions, config, copy, dev, doctor, health, man, migrate, nothing, program, restore,
    serve,
};
use crate::configuration::{Environment, Loaded, load, reference_page};
use crate::reload::Source;

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
  2   wrong usage, or --yes is missing and no terminal can ask
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

    /// Runs one command to its end.
    ///
    /// # Errors
    ///
    /// Why the command failed, for the operator to read; an
    /// [`InvalidConfiguration`](crate::configuration::InvalidConfiguration) if the configuration is the reason.
    pub(crate) fn run(self) -> Result<()> {
        let (file, profile) = (self.config.as_deref(), self.profile);
        let environment = Environment::of_process();
        let load = |needs| load(file, &environment, needs);
        match self.command {
            Command::Openapi(_) => program::openapi(),
            Command::Completions(arguments) => completions::run(arguments, environment, Self::command()),
            Command::Version(arguments) => program::version(&arguments),
            Command::Man(arguments) => man::run(&arguments, Self::command()),
            Command::Config(arguments) if arguments.reference => Ok(answer(&reference_page())?),
            Command::Config(arguments) => config::run(&arguments, &show_warnings(load(nothing)?)),
            Command::Dev(arguments) => block_on(dev::run(arguments, load(dev::needs)?)),
            Command::Doctor(arguments) => block_on(doctor::run(arguments, load(serve::needs))),
            Command::Health(_) => block_on(health::run(load(health::needs)?)),
            Command::Serve(_) => {
                let manager = environment.service_manager();
                block_on(serve::run(Source { file: self.config, environment, needs: serve::needs }, manager))
            }
            Command::Client(command) => {
                let remote = client::remote(&environment, profile)?;
                block_on(client::run(*command, remote, || load(client::needs).map(show_warnings)))
            }
            Command::Login(arguments) => {
                let (profiles, name) = (environment.profiles()?, client::chosen(&environment, profile)?);
                block_on(login::run(arguments, &profiles, &name, client::open_provider))
            }
            Command::Logout(arguments) => {
                logout::run(&arguments, &environment.profiles()?, &client::chosen(&environment, profile)?)
            }
            Command::Backup(arguments) => block_on(backup::run(arguments, show_warnings(load(nothing)?))),
            Command::Restore(arguments) => block_on(restore::run(arguments, show_warnings(load(nothing)?))),
            Command::Copy(arguments) => block_on(copy::run(arguments, show_warnings(load(nothing)?))),
            Command::Migrate(arguments) => block_on(migrate::run(arguments, load(nothing)?)),
        }
    }
}

/// Prints the warnings, for commands that write no log.
fn show_warnings(loaded: Loaded) -> Loaded {
    loaded.warnings.iter().for_each(|warning| remark(&format!("warning: {warning}")));
    loaded
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
    Client(Box<cli::Command>),
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

//! The commands of the binary, one file each.

pub(crate) mod backup;
mod client;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod copy;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod health;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod program;
pub(crate) mod restore;
pub(crate) mod serve;

use std::thread;

use adapters_system::{LogLines, LogSwitch, start_logs};
use anyhow::{Context, Result};
use cli::output::{answer, remark};

use crate::command_line::{Command, CommandLine};
use crate::configuration::{Configuration, Environment, Loaded, Problem, load, reference_page};
use crate::reload::Source;

/// The most threads of the tokio runtime, which drives the connections to the database and the provider. The HTTP
/// workers have their own threads.
const RUNTIME_THREADS_MAX: usize = 4;

/// Runs one command to its end.
///
/// # Errors
///
/// Why the command failed, for the operator to read; an
/// [`InvalidConfiguration`](crate::configuration::InvalidConfiguration) if the configuration is the reason.
pub(crate) fn run(command_line: CommandLine) -> Result<()> {
    let (file, profile) = (command_line.config.as_deref(), command_line.profile);
    let environment = Environment::of_process();
    let load = |needs| load(file, &environment, needs);
    match command_line.command {
        Command::Openapi(_) => program::openapi(),
        Command::Completions(arguments) => completions::run(arguments, environment),
        Command::Version(arguments) => program::version(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Config(arguments) if arguments.reference => Ok(answer(&reference_page())?),
        Command::Config(arguments) => config::run(&arguments, &show_warnings(load(nothing)?)),
        Command::Dev(arguments) => block_on(dev::run(arguments, load(dev::needs)?)),
        Command::Doctor(arguments) => block_on(doctor::run(arguments, load(serve::needs))),
        Command::Health(_) => block_on(health::run(load(health::needs)?)),
        Command::Serve(_) => {
            let manager = environment.service_manager();
            block_on(serve::run(Source { file: command_line.config, environment }, manager))
        }
        Command::Client(command) => {
            let remote = client::remote(&environment, profile)?;
            block_on(client::run(command, remote, || load(client::needs).map(show_warnings)))
        }
        Command::Login(arguments) => {
            let (profiles, name) = (environment.profiles()?, client::chosen(&environment, profile)?);
            block_on(cli::login::run(arguments, &profiles, &name, client::open_provider))
        }
        Command::Logout(arguments) => {
            cli::logout::run(&arguments, &environment.profiles()?, &client::chosen(&environment, profile)?)
        }
        Command::Backup(arguments) => block_on(backup::run(arguments, show_warnings(load(nothing)?))),
        Command::Restore(arguments) => block_on(restore::run(arguments, show_warnings(load(nothing)?))),
        Command::Copy(arguments) => block_on(copy::run(arguments, show_warnings(load(nothing)?))),
        Command::Migrate(arguments) => block_on(migrate::run(arguments, load(nothing)?)),
    }
}

/// Prints the warnings, for commands that write no log.
fn show_warnings(loaded: Loaded) -> Loaded {
    loaded.warnings.iter().for_each(|warning| remark(&format!("warning: {warning}")));
    loaded
}

/// Starts the log, with the warnings as its first lines.
///
/// # Errors
///
/// When the log cannot start.
fn start_log(loaded: &Loaded) -> Result<(LogLines, LogSwitch)> {
    let log = start_logs(&loaded.configuration.logs).context("cannot start the log")?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    Ok(log)
}

/// For commands that accept every valid configuration.
fn nothing(_: &Configuration) -> Vec<Problem> {
    Vec::new()
}

/// Runs a command on a runtime with several threads. Connections run on the runtime that opened them, and must not wait
/// for a busy HTTP worker.
fn block_on<T>(command: impl Future<Output = Result<T>>) -> Result<T> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.min(RUNTIME_THREADS_MAX))
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let outcome = runtime.block_on(command);
    // Tasks that still run are aborted: every task that must finish was awaited.
    runtime.shutdown_background();
    outcome
}

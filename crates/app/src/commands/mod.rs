//! What the binary can do: one command, one file.

mod client;
pub(crate) mod config;
pub(crate) mod dev;
pub(crate) mod migrate;
pub(crate) mod openapi;
pub(crate) mod serve;

use std::thread;

use anyhow::{Context, Result};

use crate::command_line::{Command, CommandLine};
use crate::configuration::{Configuration, Environment, Problem, load};

/// Tokio's threads drive database and provider connections; the HTTP workers have their own. More would only cost
/// memory.
const RUNTIME_THREADS_MAX: usize = 4;

/// Runs one command to its end.
///
/// # Errors
///
/// Whatever kept the command from doing its work, for the operator to read; an
/// [`InvalidConfiguration`](crate::configuration::InvalidConfiguration) when it was that.
pub(crate) fn run(command_line: CommandLine) -> Result<()> {
    let file = command_line.config.as_deref();
    let environment = Environment::of_process();
    let load = |needs| load(file, &environment, needs);
    match command_line.command {
        Command::Openapi(_) => openapi::run(),
        Command::Config(arguments) if arguments.reference => config::print_reference(),
        Command::Config(arguments) => config::run(&arguments, &load(nothing)?),
        Command::Dev(arguments) => block_on(dev::run(arguments, load(dev::needs)?)),
        Command::Serve(_) => block_on(serve::run(load(serve::needs)?)),
        Command::Client(command) => block_on(client::run(command, &environment, || load(client::needs))),
        Command::Migrate(arguments) => block_on(migrate::run(arguments, load(nothing)?)),
    }
}

/// Commands that can do with any configuration.
fn nothing(_: &Configuration) -> Vec<Problem> {
    Vec::new()
}

/// Runs a command on a runtime of several threads: connections are driven by the runtime that opened them, and must
/// not wait for a busy HTTP worker.
fn block_on(command: impl Future<Output = Result<()>>) -> Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.min(RUNTIME_THREADS_MAX))
        .enable_all()
        .build()
        .context("the runtime could not start")?;
    let outcome = runtime.block_on(command);
    // What still runs is cut off: everything that must finish was awaited.
    runtime.shutdown_background();
    outcome
}

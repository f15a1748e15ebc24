//! The commands of the binary, one file each.

pub(crate) mod backup;
pub(crate) mod client;
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

use crate::configuration::{Configuration, Loaded, Problem};

/// The most threads of the tokio runtime, which drives the connections to the database and the provider. The HTTP
/// workers have their own threads.
const RUNTIME_THREADS_MAX: usize = 4;

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
pub(crate) fn nothing(_: &Configuration) -> Vec<Problem> {
    Vec::new()
}

/// Runs a command on a runtime with several threads. Connections run on the runtime that opened them, and must not wait
/// for a busy HTTP worker.
pub(crate) fn block_on<T>(command: impl Future<Output = Result<T>>) -> Result<T> {
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

use std::io;
use std::process;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels the token on the first SIGTERM or SIGINT. A second signal ends the process at once, with the exit code that
/// shells use for signals (128 + the number of the signal).
///
/// # Errors
///
/// When the process cannot listen for the signals.
pub fn stop_on_signal(stop: CancellationToken) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        let first = either(&mut terminate, &mut interrupt).await;
        tracing::info!(signal = first.name, "stopping: requests in flight finish first");
        stop.cancel();
        let second = either(&mut terminate, &mut interrupt).await;
        tracing::warn!(signal = second.name, "stopping at once");
        process::exit(128 + second.number);
    });
    Ok(())
}

/// SIGHUP, which ends a process by default: when a terminal closes, for example.
#[derive(Debug)]
pub struct Hangups(Signal);

impl Hangups {
    /// From now on, SIGHUP does not end the process: tokio replaces the default action for the rest of the process, also
    /// after this value is dropped.
    ///
    /// # Errors
    ///
    /// When the process cannot listen for the signal.
    pub fn catch() -> io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next one. Several that arrive together count as one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

struct Received {
    name: &'static str,
    number: i32,
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) -> Received {
    tokio::select! {
        _ = terminate.recv() => Received { name: "SIGTERM", number: SignalKind::terminate().as_raw_value() },
        _ = interrupt.recv() => Received { name: "SIGINT", number: SignalKind::interrupt().as_raw_value() },
    }
}

use std::io;
use std::process;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels the token on the first SIGTERM or SIGINT. SIGHUP, which would end the process by default, is only logged. A second signal ends the process at once, with the exit code that
/// shells use for signals (128 + the number of the signal).
///
/// # Errors
///
/// When the process cannot listen for the signals.
pub fn stop_on_signal(stop: CancellationToken) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            tracing::info!(signal = "SIGHUP", "signal ignored: restart gatepost to read its configuration again");
        }
    });
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

/// Ignores SIGHUP from now on. Without this call, closing a terminal kills the process at once.
///
/// # Errors
///
/// When the process cannot listen for the signal.
pub fn ignore_hangup() -> io::Result<()> {
    // tokio replaces the default action for the rest of the process, also after the listener is dropped.
    signal(SignalKind::hangup()).map(drop)
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

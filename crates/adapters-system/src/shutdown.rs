use std::io;
use std::process;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels the token at the first SIGTERM or SIGINT; a second one ends the process at once, with the exit code that
/// shells give to a signal (128 + its number).
///
/// # Errors
///
/// When the signals cannot be watched.
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

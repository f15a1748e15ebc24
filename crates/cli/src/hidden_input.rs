use std::io::{self, IsTerminal, Read, Stdin, Write};

use adapters_system::stop_on_signal;
use anyhow::{Context, Result, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

/// Reads one secret of at most `bytes_max` from standard input, without white space around it. On a terminal, asks for
/// `what`, and hides the input.
///
/// # Errors
///
/// When standard input cannot be read, or is empty or too long; or after SIGINT or SIGTERM.
pub(crate) async fn read_secret(what: &str, bytes_max: u64) -> Result<Zeroizing<String>> {
    let secret = if io::stdin().is_terminal() { typed(what).await? } else { piped(&io::stdin(), bytes_max)? };
    let trimmed = Zeroizing::new(secret.trim().to_owned());
    if trimmed.is_empty() || secret.len() as u64 > bytes_max {
        bail!("standard input must contain {what} and nothing else");
    }
    Ok(trimmed)
}

fn piped(input: &Stdin, bytes_max: u64) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = input.lock().take(bytes_max + 1).read_to_string(&mut text);
    read.context("cannot read standard input as text")?;
    Ok(text)
}

/// A signal must not leave a terminal without echo, so it ends the wait here and not the process.
async fn typed(what: &str) -> Result<Zeroizing<String>> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let silent = SilentTerminal::new().context("cannot hide what you type")?;
    write!(io::stderr(), "Paste {what}, then Enter (it is not shown): ")?;
    let line = tokio::task::spawn_blocking(|| {
        let mut line = Zeroizing::new(String::new());
        io::stdin().read_line(&mut line).map(|_| line)
    });
    let outcome = tokio::select! {
        line = line => line?.context("cannot read the terminal"),
        () = stop.cancelled() => bail!("nothing was typed"),
    };
    drop(silent);
    writeln!(io::stderr())?;
    outcome
}

/// A terminal that does not show input until this value is dropped.
struct SilentTerminal(Termios);

impl SilentTerminal {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for SilentTerminal {
    fn drop(&mut self) {
        // The terminal may be gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

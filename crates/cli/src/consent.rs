use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use clap::Args;

use crate::connection::Connection;

// Not a doc comment: clap would show it as the help of each command.
#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Skip the question; required where it cannot be answered, as in a script
    #[arg(long, short = 'y')]
    yes: bool,
}

/// Why a command has not made its call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoConsent {
    /// There is no terminal for the question.
    #[error("cannot ask for confirmation without a terminal; add --yes to {0}")]
    NoTerminal(String),
    /// The answer was not `y`.
    #[error("nothing is changed")]
    Declined,
}

impl Consent {
    /// Asks before an action, such as `revoke key_1`, unless `--yes` is given. See decision 80.
    ///
    /// # Errors
    ///
    /// [`NoConsent`]; or when the terminal cannot be read.
    pub(crate) fn get(&self, what: &str, connection: &Connection) -> Result<()> {
        self.ask(what, "This cannot be undone.", connection)
    }

    /// As [`Consent::get`]; `outlook` says how to undo the action.
    ///
    /// # Errors
    ///
    /// As [`Consent::get`].
    pub(crate) fn ask(&self, what: &str, outlook: &str, connection: &Connection) -> Result<()> {
        if self.yes {
            return Ok(());
        }
        let (input, mut screen) = (io::stdin(), io::stderr());
        if !(input.is_terminal() && screen.is_terminal()) {
            return Err(NoConsent::NoTerminal(what.to_owned()).into());
        }
        write!(screen, "{what} at {}? {outlook} [y/N] ", connection.url())?;
        screen.flush()?;
        let mut answer = String::new();
        input.read_line(&mut answer).context("cannot read the answer")?;
        let is_yes = ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str());
        if is_yes { Ok(()) } else { Err(NoConsent::Declined.into()) }
    }
}

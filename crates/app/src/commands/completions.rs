use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use cli::output::answer;

use crate::command_line::CommandLine;

/// Print a script that completes commands in a shell
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  gatepost completions bash > /etc/bash_completion.d/gatepost
  gatepost completions fish > ~/.config/fish/completions/gatepost.fish";

/// Prints the script.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run(Arguments { shell }: Arguments) -> Result<()> {
    let mut script = Vec::new();
    generate(shell, &mut CommandLine::command(), "gatepost", &mut script);
    Ok(answer(&String::from_utf8(script)?)?)
}

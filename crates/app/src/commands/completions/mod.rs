mod names;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use cli::output::answer;

use crate::configuration::Environment;

/// Print a script that completes commands in a shell
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = NAMES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(required_unless_present = "words")]
    shell: Option<Shell>,
    /// The words of a command line, to complete the last one: for the scripts
    #[arg(last = true, hide = true, conflicts_with = "shell")]
    words: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost completions bash > /etc/bash_completion.d/gatepost
  gatepost completions fish > ~/.config/fish/completions/gatepost.fish";

const NAMES: &str = "\
In bash, zsh and fish the script also completes the names of profiles, the ids of keys and the ids of
subscriptions. It asks Gatepost for them, with the profile and the --user that are typed before, and gives up
after 1.5 seconds.";

/// The function of zsh's script that completes.
const ZSH_FUNCTION: &str = "\n_gatepost() {";
/// The end of zsh's script, which calls or registers this function.
const ZSH_END: &str = "\nif [ \"$funcstack[1]\" = \"_gatepost\" ]; then";

/// Prints the library's script, which knows the words of the command line, with a function that asks this command for
/// names. See decision 112.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run(Arguments { shell, words }: Arguments, environment: Environment, mut command: Command) -> Result<()> {
    let Some(shell) = shell else { return names::run(words, environment, command) };
    let mut script = Vec::new();
    generate(shell, &mut command, "gatepost", &mut script);
    let words = String::from_utf8(script)?;
    Ok(answer(&match shell {
        Shell::Bash => words + include_str!("names.bash"),
        Shell::Fish => words + include_str!("names.fish"),
        Shell::Zsh => with_names_in_zsh(&words).context("the script for zsh has another form")?,
        _ => words,
    })?)
}

/// zsh calls the function `_gatepost`, so the library's function gets another name.
fn with_names_in_zsh(words: &str) -> Option<String> {
    let (before, after) = words.split_once(ZSH_FUNCTION)?;
    let (functions, end) = after.split_once(ZSH_END)?;
    Some(format!("{before}\n_gatepost_words() {{{functions}{}{ZSH_END}{end}", include_str!("names.zsh")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command_line::CommandLine;

    #[test]
    fn the_script_of_zsh_has_both_functions() {
        let mut script = Vec::new();
        generate(Shell::Zsh, &mut CommandLine::command(), "gatepost", &mut script);
        let script = with_names_in_zsh(&String::from_utf8(script).unwrap()).unwrap();
        for line in ["_gatepost_words() {", "_gatepost() {", "compdef _gatepost gatepost"] {
            assert_eq!(
                script.matches(&format!("\n{line}")).count() + script.matches(&format!("    {line}\n")).count(),
                1,
                "{line}"
            );
        }
    }
}

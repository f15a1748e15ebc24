use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::builder::StyledStr;
use clap::{Args, Command};
use clap_mangen::Man;
use cli::output::answer;

/// Write a man page of each command into a folder
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder, which is made if it does not exist
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  gatepost man ~/.local/share/man/man1
  gatepost man man1 && man ./man1/gatepost-keys-create.1";

/// Writes the pages of the program.
///
/// # Errors
///
/// When the folder cannot be written.
pub(crate) fn run(Arguments { folder }: &Arguments, command: Command) -> Result<()> {
    let failed = || format!("cannot write man pages into {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let pages = write_pages(&command, folder).with_context(failed)?;
    Ok(answer(&format!("{pages} pages are in {}", folder.display()))?)
}

/// Writes the page of a command, and those of its subcommands. Returns the number of pages.
fn write_pages(command: &Command, folder: &Path) -> io::Result<usize> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    // The library leaves out the text that `--help` shows first, and refills the lines of the text that it shows
    // last.
    let examples = command.get_before_help().map(StyledStr::to_string).unwrap_or_default();
    page.extend(as_it_is("EXAMPLES", examples.strip_prefix("Examples:\n").unwrap_or(&examples)));
    page.extend(as_it_is("NOTES", &command.get_after_help().map(StyledStr::to_string).unwrap_or_default()));
    fs::write(folder.join(man.get_filename()), page)?;
    let children = command.get_subcommands().filter(|child| !child.is_hide_set());
    children.map(|child| write_pages(child, folder)).try_fold(1, |all, pages| Ok(all + pages?))
}

/// A section with unchanged lines.
fn as_it_is(title: &str, text: &str) -> Vec<u8> {
    if text.is_empty() {
        return Vec::new();
    }
    // A backslash, a dash, and a dot or a quote at the start of a line have a meaning in roff.
    let line = |line: &str| format!("\\&{}\n", line.replace('\\', "\\e").replace('-', "\\-"));
    format!(".SH {title}\n.nf\n{}.fi\n", text.lines().map(line).collect::<String>()).into_bytes()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command_line::CommandLine;

    #[test]
    fn lines_of_an_example_stay_as_they_are() {
        let section = as_it_is("EXAMPLES", "  a --json \\\n.hidden");
        assert_eq!(String::from_utf8(section).unwrap(), ".SH EXAMPLES\n.nf\n\\&  a \\-\\-json \\e\n\\&.hidden\n.fi\n");
        assert!(as_it_is("NOTES", "").is_empty());
    }

    #[test]
    fn each_command_has_a_page_with_its_examples() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = CommandLine::command().disable_help_subcommand(true);
        command.build();
        let pages = write_pages(&command, folder.path()).unwrap();
        assert!(pages > 40 && fs::read_dir(folder.path()).unwrap().count() == pages, "{pages}");
        for page in fs::read_dir(folder.path()).unwrap() {
            let path = page.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(".SH EXAMPLES\n.nf\n"), "{}", path.display());
        }
        let page = fs::read_to_string(folder.path().join("gatepost-keys-create.1")).unwrap();
        assert!(page.contains("\\-\\-expires\\-at") && page.contains("\\-\\-profile"), "{page}");
    }
}

//! Breaks the lines below the options of `--help`, so that the second column of a list stays one.

use clap::Command;

use crate::table::terminal_width;

/// The width where standard output is not a terminal and `COLUMNS` is not set, as clap has it.
const WIDTH_DEFAULT: usize = 100;

/// The command and its subcommands, with the texts below their options as wide as the terminal.
pub fn fitted(command: Command) -> Command {
    fitted_to(width(), command)
}

fn fitted_to(width: usize, command: Command) -> Command {
    let after = command.get_after_help().map(|text| broken(&text.to_string(), width));
    let command = if let Some(after) = after { command.after_help(after) } else { command };
    command.mut_subcommands(|command| fitted_to(width, command))
}

/// The width that clap takes for its own texts.
#[expect(clippy::disallowed_methods, reason = "the width of a terminal does not configure Gatepost")]
fn width() -> usize {
    let of_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal_width().or_else(of_variable).unwrap_or(WIDTH_DEFAULT)
}

/// A paragraph, or a row of a list with two columns.
struct Part {
    text: String,
    /// Where its further lines begin.
    column: usize,
    /// Whether lines that begin in this column belong to it.
    is_open: bool,
}

impl Part {
    fn beginning_with(line: &str) -> Self {
        let indentation = indentation(line);
        let second = line.trim_start().find("  ").map(|gap| indentation + gap);
        let column = second.map(|gap| gap + self::indentation(&line[gap..]));
        let is_open = column.is_some() || indentation == 0;
        Self { text: line.to_owned(), column: column.unwrap_or(indentation), is_open }
    }

    fn takes(&self, line: &str) -> bool {
        self.is_open && indentation(line) == self.column
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let (start, rest) = self.text.split_at(self.column);
        let mut lines = vec![start.to_owned()];
        for word in rest.split_whitespace() {
            let line = lines.last_mut().map_or(0, |line| line.len());
            if line > self.column && line + 1 + word.len() > width {
                lines.push(" ".repeat(self.column));
            }
            if let Some(line) = lines.last_mut() {
                let gap = if line.len() > self.column { " " } else { "" };
                line.push_str(gap);
                line.push_str(word);
            }
        }
        lines
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The text in lines of at most this width, unless a word is longer.
fn broken(text: &str, width: usize) -> String {
    let mut parts: Vec<Part> = Vec::new();
    for line in text.lines() {
        match parts.last_mut() {
            Some(part) if !line.is_empty() && !part.text.is_empty() && part.takes(line) => {
                part.text.push(' ');
                part.text.push_str(line.trim_start());
            }
            _ => parts.push(Part::beginning_with(line)),
        }
    }
    parts.iter().flat_map(|part| part.lines(width)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
A paragraph of two
lines.

Environment:
  GATEPOST_URL    the URL of Gatepost; the default is
                  the one of this machine
  GATEPOST_TOKEN  short
  one line, and no more";

    #[test]
    fn a_second_column_stays_one() {
        let narrow = "\
A paragraph of two lines.

Environment:
  GATEPOST_URL    the URL of
                  Gatepost; the
                  default is the
                  one of this
                  machine
  GATEPOST_TOKEN  short
  one line, and no more";
        assert_eq!(broken(TEXT, 32), narrow);
        let wide = "  GATEPOST_URL    the URL of Gatepost; the default is the one of this machine";
        assert_eq!(broken(TEXT, 100).lines().nth(3), Some(wide));
    }
}

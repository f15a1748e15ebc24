//! What a command prints: its answer to standard output, remarks to standard error.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a command's answer to standard output.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn answer(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    out.flush()
}

/// Writes a command's answer as one line of JSON.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn answer_json(value: &impl Serialize) -> io::Result<()> {
    answer(&serde_json::to_string(value)?)
}

/// Writes a remark for a person to standard error.
pub fn remark(text: &str) {
    // The error cannot be reported if standard error is closed.
    let _ = writeln!(io::stderr(), "gatepost: {text}");
}

/// Rows under their heads, in columns as wide as their widest cell. The last column, which may be of any width, is not
/// padded.
pub fn table<const COLUMNS: usize>(heads: [&str; COLUMNS], rows: impl Iterator<Item = [String; COLUMNS]>) -> String {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(heads.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let mut widths: [usize; COLUMNS] = std::array::from_fn(width);
    if let Some(last) = widths.last_mut() {
        *last = 0;
    }
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "über", "the rest"], ["longer", "b", ""]].map(|row| row.map(str::to_owned));
        let expected = "ID      B     LABEL\na       über  the rest\nlonger  b";
        assert_eq!(table(["ID", "B", "LABEL"], rows.into_iter()), expected);
        assert_eq!(table(["ID"], std::iter::empty()), "ID");
    }
}

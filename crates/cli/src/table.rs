use std::io::{self, IsTerminal};

use rustix::termios::tcgetwinsize;

/// The space between two columns.
const GAP: &str = "  ";
/// A last column that is cut keeps at least this number of characters.
const LAST_COLUMN_MIN: usize = 12;

/// Rows under their heads, as wide as the terminal. A pipe gets every cell whole.
///
/// The last column, which may be of any width, is cut if the terminal is too narrow. If that is not enough, each row
/// becomes a block with one line for each cell, so that ids can still be copied.
pub fn table<const COLUMNS: usize>(heads: [&str; COLUMNS], rows: impl Iterator<Item = [String; COLUMNS]>) -> String {
    let rows: Vec<[String; COLUMNS]> = rows.collect();
    fitted(heads, &rows, terminal_width().unwrap_or(usize::MAX))
}

/// How many columns the terminal of standard output has; `None` if it is not a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = io::stdout().is_terminal().then(|| tcgetwinsize(io::stdout()).ok()).flatten()?;
    // A terminal that does not say how wide it is has no columns.
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Lines with a name and a value. A line without a value is left out.
pub(crate) fn named_lines(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    lines.map(|(name, value)| format!("{name:width$}{GAP}{value}")).collect::<Vec<_>>().join("\n")
}

/// Counts by the hour under the names of the counts. Hours without a count are left out, and the total stands last.
pub(crate) fn table_by_hour(
    names: [&str; 3],
    hours: impl Iterator<Item = (String, [u64; 3])>,
    total: [u64; 3],
) -> String {
    let row = |start: String, [one, two, three]: [u64; 3]| [start, one.to_string(), two.to_string(), three.to_string()];
    let busy = hours.filter(|(_, counts)| *counts != [0; 3]).map(|(start, counts)| row(start, counts));
    let [one, two, three] = names;
    table(["HOUR", one, two, three], busy.chain([row("total".to_owned(), total)]))
}

fn fitted<const COLUMNS: usize>(heads: [&str; COLUMNS], rows: &[[String; COLUMNS]], room: usize) -> String {
    let length = |cell: &str| cell.chars().count();
    let width =
        |column: usize| rows.iter().map(|row| length(&row[column])).chain([length(heads[column])]).max().unwrap_or(0);
    let mut widths: [usize; COLUMNS] = std::array::from_fn(width);
    let before_last: usize = widths.iter().rev().skip(1).map(|width| width + GAP.len()).sum();
    let Some(last) = widths.last_mut() else { return String::new() };
    if room < before_last + (*last).min(LAST_COLUMN_MIN) {
        return blocks(heads, rows);
    }
    let cut = (*last).min(room - before_last);
    *last = 0;
    let line = |row: [&str; COLUMNS]| {
        let cells = row.into_iter().zip(widths).map(|(cell, width)| match width {
            0 => shortened(cell, cut),
            _ => format!("{cell:width$}"),
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    let lines = rows.iter().map(|row| line(row.each_ref().map(String::as_str)));
    std::iter::once(line(heads)).chain(lines).collect::<Vec<_>>().join("\n")
}

fn blocks<const COLUMNS: usize>(heads: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let block = |row: &[String; COLUMNS]| named_lines(&heads.into_iter().zip(row.iter().cloned()).collect::<Vec<_>>());
    rows.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn shortened(cell: &str, room: usize) -> String {
    if cell.chars().count() <= room {
        return cell.to_owned();
    }
    cell.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [&str; 3] = ["ID", "B", "LABEL"];

    fn rows() -> [[String; 3]; 2] {
        [["a", "über", "the rest of the row"], ["longer", "b", ""]].map(|row| row.map(str::to_owned))
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let expected = "ID      B     LABEL\na       über  the rest of the row\nlonger  b";
        for room in [usize::MAX, 33] {
            assert_eq!(fitted(HEADS, &rows(), room), expected);
        }
        assert_eq!(fitted(["ID"], &[], usize::MAX), "ID");
    }

    #[test]
    fn a_table_fits_the_terminal() {
        let cut = fitted(HEADS, &rows(), 26);
        assert_eq!(cut, "ID      B     LABEL\na       über  the rest of…\nlonger  b");
        assert!(cut.lines().all(|line| line.chars().count() <= 26));
        let blocks = "ID     a\nB      über\nLABEL  the rest of the row\n\nID     longer\nB      b";
        assert_eq!(fitted(HEADS, &rows(), 25), blocks, "no cell but the last is ever cut");
    }
}

/// Rows under their heads, in columns as wide as they need to be. The last column is not padded: what may have any
/// width stands there.
pub(crate) fn table<const COLUMNS: usize>(
    heads: [&str; COLUMNS],
    rows: impl Iterator<Item = [String; COLUMNS]>,
) -> String {
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

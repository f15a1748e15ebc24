use crate::StoredInstant;

/// The most rows of a batch. A statement may have 32,766 values on SQLite, and a row has at most 14.
const ROWS_MAX: usize = 1_000;
/// A batch is full when its payloads have so many bytes.
const BYTES_MAX: usize = 4 << 20;

/// A row that is copied.
pub trait CopiedRow: Sized {
    /// The bytes of its long columns.
    fn bytes(&self) -> usize {
        0
    }

    /// The row as it is when the processes of the source are gone: their claims end at `at`.
    #[must_use]
    fn at_rest(self, at: StoredInstant) -> Self {
        let _ = at;
        self
    }
}

/// Rows that go to the target together, so that memory stays bounded.
pub struct Batch<Row> {
    rows: Vec<Row>,
    bytes: usize,
}

impl<Row> Default for Batch<Row> {
    fn default() -> Self {
        Self { rows: Vec::new(), bytes: 0 }
    }
}

impl<Row: CopiedRow> Batch<Row> {
    /// Adds the row, and returns the rows of a batch that is full.
    pub fn push(&mut self, row: Row) -> Option<Vec<Row>> {
        self.bytes += row.bytes();
        self.rows.push(row);
        let is_full = self.rows.len() >= ROWS_MAX || self.bytes >= BYTES_MAX;
        is_full.then(|| std::mem::take(self).rows)
    }

    /// The rows that are left, if there are any.
    pub fn rest(self) -> Option<Vec<Row>> {
        (!self.rows.is_empty()).then_some(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Long(usize);

    impl CopiedRow for Long {
        fn bytes(&self) -> usize {
            self.0
        }
    }

    fn sizes(rows: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut batch = Batch::default();
        let mut full: Vec<Vec<Long>> = rows.filter_map(|bytes| batch.push(Long(bytes))).collect();
        full.extend(batch.rest());
        full.iter().map(Vec::len).collect()
    }

    #[test]
    fn a_batch_is_full_by_its_rows_or_by_its_bytes() {
        assert_eq!(sizes(std::iter::repeat_n(1, 2_001)), [1_000, 1_000, 1]);
        assert_eq!(sizes(std::iter::repeat_n(BYTES_MAX / 2, 5)), [2, 2, 1]);
        assert_eq!(sizes(std::iter::empty()), [0; 0]);
    }
}

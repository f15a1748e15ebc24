use crate::StoredInstant;

/// The most rows of a batch. A statement may have 32,766 values on SQLite, and a row has at most 14.
const ROWS_MAX: usize = 1_000;
/// A batch is full when its payloads have this number of bytes.
const BYTES_MAX: usize = 4 << 20;

/// A row that is copied.
pub trait CopiedRow: Sized {
    /// The bytes of its long columns.
    fn bytes(&self) -> usize {
        0
    }

    /// The row after the processes of the source have ended: its claim ends at `at`.
    #[must_use]
    fn at_rest(self, at: StoredInstant) -> Self {
        let _ = at;
        self
    }
}

/// The weight of a row without its long columns.
const ROW_BYTES: usize = 256;

/// Rows that go to each shard of the target together. Memory stays bounded, however many shards there are.
pub struct Batches<Row> {
    of_shards: Vec<Batch<Row>>,
    bytes: usize,
}

struct Batch<Row> {
    rows: Vec<Row>,
    bytes: usize,
}

impl<Row> Default for Batch<Row> {
    fn default() -> Self {
        Self { rows: Vec::new(), bytes: 0 }
    }
}

impl<Row: CopiedRow> Batches<Row> {
    /// Empty batches for this number of shards.
    pub fn new(shards: usize) -> Self {
        Self { of_shards: std::iter::repeat_with(Batch::default).take(shards).collect(), bytes: 0 }
    }

    /// Adds the row of a shard, and returns the rows that go to a shard now: to this one if it has enough rows, or to
    /// the shard with the most bytes if all together have enough.
    pub fn push(&mut self, shard: usize, row: Row) -> Option<(usize, Vec<Row>)> {
        let (batch, bytes) = (&mut self.of_shards[shard], ROW_BYTES + row.bytes());
        batch.rows.push(row);
        batch.bytes += bytes;
        self.bytes += bytes;
        if self.of_shards[shard].rows.len() >= ROWS_MAX {
            return Some(self.take(shard));
        }
        let heaviest = (0..self.of_shards.len()).max_by_key(|shard| self.of_shards[*shard].bytes);
        heaviest.filter(|_| self.bytes >= BYTES_MAX).map(|shard| self.take(shard))
    }

    fn take(&mut self, shard: usize) -> (usize, Vec<Row>) {
        let Batch { rows, bytes } = std::mem::take(&mut self.of_shards[shard]);
        self.bytes -= bytes;
        (shard, rows)
    }

    /// The remaining rows of each shard that has some.
    pub fn rest(self) -> impl Iterator<Item = (usize, Vec<Row>)> {
        let rows = self.of_shards.into_iter().map(|batch| batch.rows);
        rows.enumerate().filter(|(_, rows)| !rows.is_empty())
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
        sent(1, rows.map(|bytes| (0, bytes))).into_iter().map(|(_, rows)| rows).collect()
    }

    /// How many rows go to which shard, in the order in which they go.
    fn sent(shards: usize, rows: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
        let mut batches = Batches::new(shards);
        let mut sent: Vec<_> = rows.filter_map(|(shard, bytes)| batches.push(shard, Long(bytes))).collect();
        sent.extend(batches.rest());
        sent.into_iter().map(|(shard, rows)| (shard, rows.len())).collect()
    }

    #[test]
    fn a_batch_is_full_by_its_rows_or_by_its_bytes() {
        assert_eq!(sizes(std::iter::repeat_n(1, 2_001)), [1_000, 1_000, 1]);
        assert_eq!(sizes(std::iter::repeat_n(BYTES_MAX / 2, 5)), [2, 2, 1]);
        assert_eq!(sizes(std::iter::empty()), [0; 0]);
    }

    #[test]
    fn the_shards_share_the_memory_of_one() {
        let few = [(1, 1), (0, BYTES_MAX / 2), (1, 1), (0, BYTES_MAX / 2), (2, 1)];
        assert_eq!(sent(3, few.into_iter()), [(0, 2), (1, 2), (2, 1)], "the heaviest goes, and the others stay");
        let (mut batches, mut waiting, mut most) = (Batches::new(256), 0, 0);
        for row in 0..100_000 {
            waiting += 1;
            most = most.max(waiting);
            waiting -= batches.push(row % 256, Long(1)).map_or(0, |(_, rows)| rows.len());
        }
        assert_eq!(batches.rest().map(|(_, rows)| rows.len()).sum::<usize>(), waiting, "no row is left out");
        assert_eq!(most, BYTES_MAX.div_ceil(ROW_BYTES + 1), "so many rows wait in all shards together");
    }
}

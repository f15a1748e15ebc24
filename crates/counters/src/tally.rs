use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The number of copies of each count. Threads above this number share them.
const STRIPES: usize = 16;

/// `N` counts that many threads increase at the same time. Each thread has its own copy of the counts, so that the cores
/// do not pass a cache line around; a reading adds the copies up.
pub struct Tally<const N: usize>(Box<[Stripe<N>]>);

/// Two cache lines, because processors fetch lines in pairs.
#[repr(align(128))]
struct Stripe<const N: usize>([AtomicU64; N]);

impl<const N: usize> Tally<N> {
    /// Counts `index`, which must be below `N`.
    pub fn count(&self, index: usize) {
        self.add(index, 1);
    }

    /// Counts `index` this many times.
    pub fn add(&self, index: usize, times: u64) {
        self.0[stripe()].0[index].fetch_add(times, Ordering::Relaxed);
    }

    /// The counts so far. Each is exact, but they are not all read at the same instant.
    pub fn read(&self) -> [u64; N] {
        let mut counts = [0; N];
        for stripe in &self.0 {
            for (count, part) in counts.iter_mut().zip(&stripe.0) {
                *count += part.load(Ordering::Relaxed);
            }
        }
        counts
    }
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self((0..STRIPES).map(|_| Stripe([const { AtomicU64::new(0) }; N])).collect())
    }
}

/// The stripe of this thread.
fn stripe() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static STRIPE: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES);
    }
    STRIPE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_threads_count_adds_up() {
        let tally = Tally::<3>::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * STRIPES {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        tally.count(0);
                        tally.add(2, 5);
                    }
                });
            }
        });
        assert_eq!(tally.read(), [32_000, 0, 160_000]);
    }
}

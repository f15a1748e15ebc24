use std::cell::RefCell;

use domain::ports::Entropy;

/// The random generator of the operating system, for secrets.
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that draws from the system")]
    fn fill(&self, bytes: &mut [u8]) {
        // Linux, macOS and Windows guarantee that this never fails once the machine is up. Keys without randomness
        // could be guessed, so a failure ends the process.
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }
}

/// Randomness for names, never for secrets. Each thread draws it from [`SystemEntropy`] for many names at a time: one
/// system call for each name would be a large part of the cost of a request.
pub struct NameEntropy;

/// The bytes that one thread has drawn, and how many of them are used.
struct Drawn {
    bytes: [u8; 1024],
    used: usize,
}

thread_local! {
    static DRAWN: RefCell<Drawn> = const { RefCell::new(Drawn { bytes: [0; 1024], used: 1024 }) };
}

impl Entropy for NameEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        DRAWN.with_borrow_mut(|drawn| {
            for part in bytes.chunks_mut(drawn.bytes.len()) {
                if part.len() > drawn.bytes.len() - drawn.used {
                    SystemEntropy.fill(&mut drawn.bytes);
                    drawn.used = 0;
                }
                part.copy_from_slice(&drawn.bytes[drawn.used..drawn.used + part.len()]);
                drawn.used += part.len();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_name_comes_twice() {
        let mut names = HashSet::new();
        for length in (0..1_000).map(|n| 16 + n % 7) {
            let mut name = vec![0; length];
            NameEntropy.fill(&mut name);
            assert!(names.insert(name[..16].to_vec()));
        }
        let mut long = [0; 5_000];
        NameEntropy.fill(&mut long);
        assert!(long.chunks(500).all(|part| part.iter().any(|byte| *byte != 0)));
    }
}

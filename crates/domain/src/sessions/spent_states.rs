use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// The most states that are remembered. The oldest is forgotten first.
const REMEMBERED_MAX: usize = 16_384;

/// The states of sign-ins with an answer that went to the identity provider, so that each goes there once. Each process
/// remembers its own.
#[derive(Default)]
pub(super) struct SpentStates(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    digests: HashSet<[u8; 32]>,
    by_age: VecDeque<[u8; 32]>,
}

impl SpentStates {
    /// Spends this state. Returns whether it was unspent.
    pub(super) fn spend(&self, state: &str) -> bool {
        let digest = digest(state);
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !remembered.digests.insert(digest) {
            return false;
        }
        remembered.by_age.push_back(digest);
        if remembered.by_age.len() > REMEMBERED_MAX
            && let Some(oldest) = remembered.by_age.pop_front()
        {
            remembered.digests.remove(&oldest);
        }
        true
    }

    /// Makes this state unspent again.
    pub(super) fn restore(&self, state: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).digests.remove(&digest(state));
    }
}

fn digest(state: &str) -> [u8; 32] {
    Sha256::digest(state).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_spent_once_and_memory_is_bounded() {
        let spent = SpentStates::default();
        assert!(spent.spend("first") && !spent.spend("first"));
        spent.restore("first");
        assert!(spent.spend("first"));
        for n in 0..2 * REMEMBERED_MAX {
            assert!(spent.spend(&n.to_string()));
        }
        let remembered = spent.0.lock().unwrap();
        assert!(remembered.digests.len() <= REMEMBERED_MAX && remembered.by_age.len() <= REMEMBERED_MAX);
    }
}

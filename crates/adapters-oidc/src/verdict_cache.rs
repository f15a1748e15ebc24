use std::sync::Arc;

use domain::{IdToken, Timestamp, UserId};
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use crate::claims::Validity;
use crate::key_set::KeySet;
use crate::refusal::Refusal;

/// Verdicts kept at most: under 4 MiB even when every user has the longest name there is.
const VERDICTS_MAX: usize = 4_096;

/// Tokens that were found genuine, so that a user's next request costs a hash instead of a signature.
///
/// Only good verdicts are kept, under the SHA-256 of the whole token. A verdict is good while the very set of keys
/// that proved it is current (a key that left takes its verdicts along), and its times are checked on every use.
pub(crate) struct VerdictCache(Cache<TokenDigest, Arc<Proved>>);

/// The SHA-256 of a token: what a cache may keep of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenDigest([u8; 32]);

/// What was proved of a token.
pub(crate) struct Proved {
    pub(crate) user: UserId,
    pub(crate) validity: Validity,
    pub(crate) by: Arc<KeySet>,
}

impl TokenDigest {
    pub(crate) fn of(token: &IdToken) -> Self {
        Self(Sha256::digest(token.expose()).into())
    }
}

impl VerdictCache {
    pub(crate) fn new() -> Self {
        Self(Cache::new(VERDICTS_MAX))
    }

    /// The user whom a token named, if `keys` proved that already.
    pub(crate) fn find(
        &self,
        token: TokenDigest,
        keys: &Arc<KeySet>,
        at: Timestamp,
    ) -> Option<Result<UserId, Refusal>> {
        let proved = self.0.get(&token)?;
        if !Arc::ptr_eq(&proved.by, keys) {
            self.0.remove(&token);
            return None;
        }
        Some(proved.validity.check(at).map(|()| proved.user.clone()))
    }

    pub(crate) fn keep(&self, token: TokenDigest, proved: Proved) {
        self.0.insert(token, Arc::new(proved));
    }
}

use std::sync::Arc;

use domain::organizations::Identity;
use domain::{IdToken, Timestamp};
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};

use crate::claims::{Refusal, Validity};
use crate::key_set::KeySet;

/// The most verdicts in the cache. They take less than 4 MiB, even if every user has the longest possible id, and a few
/// times the size of their tokens if these name many organizations.
const VERDICTS_MAX: usize = 4_096;

/// Tokens with a verified signature, so that the next request with a token costs a hash instead of a signature check.
///
/// The cache has only accepted tokens, by the SHA-256 of the whole token. An entry counts while the key set that proved
/// it is current, so the entries of a withdrawn key lapse with it. The times of the token are checked on every use.
pub(crate) struct VerdictCache(Cache<TokenDigest, Arc<Proved>>);

/// The SHA-256 of a token, which a cache may keep.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenDigest([u8; 32]);

/// The result of verifying a token.
pub(crate) struct Proved {
    pub(crate) identity: Identity,
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

    /// The user of the token and the memberships, if `keys` has verified it before.
    pub(crate) fn find(
        &self,
        token: TokenDigest,
        keys: &Arc<KeySet>,
        at: Timestamp,
    ) -> Option<Result<Identity, Refusal>> {
        let proved = self.0.get(&token)?;
        if !Arc::ptr_eq(&proved.by, keys) {
            self.0.remove(&token);
            return None;
        }
        Some(proved.validity.check(at).map(|()| proved.identity.clone()))
    }

    pub(crate) fn keep(&self, token: TokenDigest, proved: Proved) {
        self.0.insert(token, Arc::new(proved));
    }
}

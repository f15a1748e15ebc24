use jsonwebtoken::Algorithm;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::claims::Refusal;
use crate::public_key::PublicKey;
use crate::strict_json::read_object;

/// The most keys in a set. Real sets have 1 to 6.
const KEYS_MAX: usize = 100;

/// The keys of the provider for ID tokens, from one document.
pub(crate) struct KeySet {
    keys: Vec<PublicKey>,
    /// The digest of the document, which shows whether a later document is the same.
    digest: [u8; 32],
}

impl KeySet {
    /// The empty set, before the first fetch.
    pub(crate) fn none() -> Self {
        Self { keys: Vec::new(), digest: [0; 32] }
    }

    /// Parses a JWK set (RFC 7517 section 5). Keys for another purpose and keys that are not safe are ignored. The
    /// error is about the whole document.
    pub(crate) fn parse(document: &[u8]) -> Result<Self, &'static str> {
        let set = read_object(document).ok_or("the key set is not one JSON object without repeated names")?;
        let listed = set.get("keys").and_then(Value::as_array).ok_or("the key set has no list of keys")?;
        if listed.len() > KEYS_MAX {
            return Err("the key set has more than 100 keys");
        }
        let keys = listed.iter().filter_map(Value::as_object).filter_map(|jwk| PublicKey::from_jwk(jwk).ok());
        Ok(Self { keys: keys.collect(), digest: Sha256::digest(document).into() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether both sets were parsed from the same bytes.
    pub(crate) fn is_same_document(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// The key with which a token must be signed; `None` if the set has none, but a newer set might.
    ///
    /// A token without a key id is accepted only if exactly one key fits (`OpenID` Connect Core 1.0 section 10.1
    /// requires an id if there are several). So no token costs more than one signature check.
    pub(crate) fn find(&self, key_id: Option<&str>, algorithm: Algorithm) -> Result<Option<&PublicKey>, Refusal> {
        let mut named = self.keys.iter().filter(|key| key_id.is_none() || key.id.as_deref() == key_id).peekable();
        let is_named = key_id.is_some() && named.peek().is_some();
        let mut fitting = named.filter(|key| key.fits(algorithm));
        match (fitting.next(), fitting.next()) {
            (None, _) if is_named => Err(Refusal("alg is not the key's")),
            (None, _) => Ok(None),
            (Some(key), None) => Ok(Some(key)),
            (Some(_), Some(_)) => Err(Refusal("several keys fit")),
        }
    }
}

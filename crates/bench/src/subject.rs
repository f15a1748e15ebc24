//! A Gatepost with a number of stored keys, and the requests that verify them.

use crate::gatepost::Gatepost;
use crate::hammer::Requests;
use crate::store::{Data, Store};
use crate::stored_keys::KEY;

/// More than any measurement stores, plus a few per cent by which the shards of the cache differ.
pub(crate) const CACHE_SIZE: &str = "1200000";
pub(crate) const OPERATOR_TOKEN: &str = "bench-bench-bench-bench-bench-bench";

/// The measured service.
pub(crate) struct Subject {
    pub(crate) gatepost: Gatepost,
    pub(crate) keys: u64,
    pub(crate) data: Box<dyn Data>,
}

impl Subject {
    /// Stores the keys. The service does not run yet; its cache is large enough for all keys.
    pub(crate) async fn new(store: &dyn Store, keys: u64) -> anyhow::Result<Self> {
        let mut gatepost = Gatepost::new()?;
        gatepost.set("OPERATOR_TOKEN", OPERATOR_TOKEN);
        gatepost.set("KEY_CACHE_SIZE", CACHE_SIZE);
        let data = store.attach(&mut gatepost).await?;
        gatepost.run(&["migrate"])?;
        data.store_keys(keys)?;
        Ok(Self { gatepost, keys, data })
    }

    /// Forward-auth with every stored key in turn.
    pub(crate) fn forward_auth(&self) -> Requests {
        forward_auth(self.keys)
    }

    /// Introspection of every stored key in turn.
    pub(crate) fn introspect(&self) -> Requests {
        let body = format!("{{\"token\":\"{KEY}\"}}");
        let length = body.replace("{key}", &"0".repeat(crate::stored_keys::DIGITS)).len();
        Requests::new(
            &format!(
                "POST /api/operator/introspect HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {OPERATOR_TOKEN}\r\n\
                 content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            ),
            self.keys,
        )
    }
}

/// Forward-auth with keys 0 to `keys`.
pub(crate) fn forward_auth(keys: u64) -> Requests {
    Requests::new(&format!("GET /forward-auth HTTP/1.1\r\nhost: localhost\r\nx-api-key: {KEY}\r\n\r\n"), keys)
}

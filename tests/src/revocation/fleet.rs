use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::harness::{Connection, FaultProxy, Gatepost, Request, Response, Setup, Storage, User};

pub(super) const OPERATOR_TOKEN: &str = "an-operator-token-of-the-suite-0123456789";

/// A key that is good for so long after its end is good for ever.
const REFUSED_OR_NEVER: Duration = Duration::from_secs(20);
/// The wait between two questions about one key.
const QUESTION_INTERVAL: Duration = Duration::from_millis(5);

/// Instances over one Postgres, of which each may have a proxy before the database.
pub(super) struct Fleet {
    pub(super) instances: Vec<Gatepost>,
    storage: Storage,
    setup: Setup,
}

impl Fleet {
    /// One instance with a line of its own to the database.
    pub(super) async fn of_one() -> Self {
        let storage = Storage::postgres().await;
        let setup =
            Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).with("API_KEYS_MAX_ACTIVE", "20");
        let instances = vec![setup.twin().start().await];
        Self { instances, storage, setup }
    }

    pub(super) async fn of(size: usize) -> Self {
        let mut fleet = Self::of_one().await;
        while fleet.instances.len() < size {
            fleet.instances.push(fleet.setup.twin().start().await);
        }
        fleet
    }

    /// One more instance, which reaches the database through the proxy.
    pub(super) async fn join_through(&mut self, proxy: &FaultProxy) {
        let url = self.storage.url().replace(&self.database().port().to_string(), &proxy.port().to_string());
        self.instances.push(self.setup.twin().with("DATABASE_URL", &url).start().await);
    }

    /// Where the database listens.
    pub(super) fn database(&self) -> SocketAddr {
        let Storage::Postgres { cluster, .. } = &self.storage else { unreachable!("a fleet needs Postgres") };
        SocketAddr::from(([127, 0, 0, 1], cluster.port()))
    }

    /// Somebody before the first instance.
    pub(super) fn user(&self, subject: &str) -> User {
        self.instances[0].user(subject)
    }

    /// A new key, used on every instance, so that each remembers it.
    pub(super) async fn used_key(&self, user: &User) -> Key {
        let (full_key, id) = user.created("fleet").await;
        let key = Key { full_key, id };
        for instance in &self.instances {
            assert_eq!(instance.send(&key.question()).await.status, 200);
        }
        key
    }

    /// A call of the operator's to the first instance.
    pub(super) async fn operate(&self, method: &str, path: &str, body: &serde_json::Value) -> Response {
        self.instances[0].send(&Request::new(method, path).bearer(OPERATOR_TOKEN).json(body)).await
    }
}

#[derive(Clone)]
pub(super) struct Key {
    pub(super) full_key: String,
    pub(super) id: String,
}

impl Key {
    /// What a gateway asks.
    pub(super) fn question(&self) -> Request {
        Request::new("GET", "/forward-auth").header("x-api-key", &self.full_key)
    }

    pub(super) fn rotation(&self, user: &User, overlap_seconds: u32) -> Request {
        let path = format!("/api/api-keys/{}/rotate", self.id);
        Request::new("POST", &path).bearer(&user.token).json(&json!({ "overlapSeconds": overlap_seconds }))
    }
}

/// Asks one instance about one key, again and again over one connection, until it is not good any more. Answers when
/// the first refusal was there, and its status.
pub(super) async fn first_refusal(address: SocketAddr, key: Key) -> (Instant, u16) {
    let (mut connection, question) = (Connection::open(address).await.expect("it listens"), key.question());
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < REFUSED_OR_NEVER, "still good after {REFUSED_OR_NEVER:?}");
        let status = connection.exchange(&question).await.expect("an answer").status;
        if status != 200 {
            return (Instant::now(), status);
        }
        sleep(QUESTION_INTERVAL).await;
    }
}

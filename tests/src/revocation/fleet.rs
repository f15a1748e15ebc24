use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::harness::{Connection, FaultProxy, Gatepost, Request, Response, Setup, Storage, User, until};

pub(super) const OPERATOR_TOKEN: &str = "an-operator-token-of-the-suite-0123456789";

/// How long to wait for a refusal. A key that is still good after this time counts as never refused.
const REFUSED_OR_NEVER: Duration = Duration::from_secs(20);
/// The wait between two questions about one key.
const QUESTION_INTERVAL: Duration = Duration::from_millis(5);

/// Instances on one Postgres. Each instance may reach the database through a proxy.
pub(super) struct Fleet {
    pub(super) instances: Vec<Gatepost>,
    storage: Storage,
    setup: Setup,
}

impl Fleet {
    pub(super) async fn of(size: usize) -> Self {
        Self::on(Storage::postgres().await, size).await
    }

    /// This number of instances on this database.
    pub(super) async fn on(storage: Storage, size: usize) -> Self {
        let setup =
            Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).with("API_KEYS_MAX_ACTIVE", "20");
        let instances = setup.start_twins(size).await;
        Self { instances, storage, setup }
    }

    /// Starts one more instance, which reaches the database through the proxy.
    pub(super) async fn join_through(&mut self, proxy: &FaultProxy) {
        let url = self.storage.url().replace(&self.database().port().to_string(), &proxy.port().to_string());
        self.instances.push(self.setup.twin().with("DATABASE_URL", &url).start().await);
    }

    /// The address of the database.
    pub(super) fn database(&self) -> SocketAddr {
        let url = self.storage.url();
        let address = url.split(['@', '/']).nth(3).expect("only Postgres can have several instances");
        address.parse().expect("an address")
    }

    /// A user of the first instance.
    pub(super) fn user(&self, subject: &str) -> User {
        self.instances[0].user(subject)
    }

    /// A new key that was used on every instance, so that each instance has it in memory.
    pub(super) async fn used_key(&self, user: &User) -> Key {
        let (full_key, id) = user.created("fleet").await;
        let key = Key { full_key, id };
        for instance in &self.instances {
            assert_eq!(instance.send(&key.question()).await.status, 200);
        }
        key
    }

    /// Returns when this number of uses is stored. The statement that stores them locks the rows of the keys.
    pub(super) async fn store_uses(&self, uses: usize) {
        until("the uses are stored", async || {
            let mut stored = 0;
            for shard in 0..self.storage.shards() {
                let sum = self.storage.execute(shard, "SELECT coalesce(sum(good), 0) FROM usage_by_hour").await;
                stored += sum.parse::<usize>().expect("a number");
            }
            stored == uses
        })
        .await;
    }

    /// Calls the operator API of the first instance.
    pub(super) async fn operate(&self, method: &str, path: &str, body: &serde_json::Value) -> Response {
        self.instances[0].send(&Request::new(method, path).bearer(OPERATOR_TOKEN).json(body)).await
    }
}

pub(super) struct Key {
    pub(super) full_key: String,
    pub(super) id: String,
}

impl Key {
    /// The request of a gateway.
    pub(super) fn question(&self) -> Request {
        Request::new("GET", "/forward-auth").header("x-api-key", &self.full_key)
    }

    pub(super) fn rotation(&self, user: &User, overlap_seconds: u32) -> Request {
        let path = format!("/api/api-keys/{}/rotate", self.id);
        Request::new("POST", &path).bearer(&user.token).json(&json!({ "overlapSeconds": overlap_seconds }))
    }
}

/// Sends this request over one connection, until the instance refuses it. Returns the status of the refusal, and the
/// time at which the last request was sent that was not refused; `None` if the first one was refused. The delay of
/// answers on a busy machine does not count.
pub(super) async fn first_refusal(address: SocketAddr, question: Request) -> (Option<Instant>, u16) {
    let mut connection = Connection::open(address).await.expect("it listens");
    let (start, mut accepted_until) = (Instant::now(), None);
    loop {
        assert!(start.elapsed() < REFUSED_OR_NEVER, "still good after {REFUSED_OR_NEVER:?}");
        let sent = Instant::now();
        let status = connection.exchange(&question).await.expect("an answer").status;
        if status != 200 {
            return (accepted_until, status);
        }
        accepted_until = Some(sent);
        sleep(QUESTION_INTERVAL).await;
    }
}

/// The time from `start` to the last request that was not refused.
pub(super) fn accepted_for(accepted_until: Option<Instant>, start: Instant) -> Duration {
    accepted_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(start))
}

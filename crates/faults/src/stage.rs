//! The stage of the faults: instances of Gatepost on one database, with clients and a receiver.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use gatepost_client::{FullKey, IdToken, OperatorToken};
use tokio::time::{Instant, sleep};

use crate::database::{Database, Kind};
use crate::gatepost::{Gatepost, built_binary};
use crate::ledger::{Ledger, Outcome};
use crate::load::{Clients, Load, Pace, User, is_good, publish_one};
use crate::receiver::subscribe;
use crate::settling::settle;
use crate::small_disk::SmallDisk;

const OPERATOR_TOKEN: &str = "faults-faults-faults-faults-faults";
/// 32 zero bytes, in base64.
const ENCRYPTION_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
/// On several shards, twice their number.
const USERS: usize = 4;
/// How long the load runs undisturbed between two faults.
const QUIET: Duration = Duration::from_secs(3);
/// How long an instance may take until it works again.
const HEALED_WITHIN: Duration = Duration::from_mins(2);
const TRY_INTERVAL: Duration = Duration::from_millis(10);
/// The clients work almost without a pause.
const PACE: Pace = Pace { pause: Duration::from_millis(5), kept: 10 };

pub(crate) struct Stage {
    pub(crate) database: Database,
    instances: Vec<Gatepost>,
    /// The instance that the next fault strikes.
    turn: usize,
    clients: Arc<Clients>,
    ledger: Arc<Ledger>,
    good_key: FullKey,
    /// Its development provider signs the users in.
    _provider: Gatepost,
}

impl Stage {
    /// Starts one instance on SQLite, or two on other databases.
    pub(crate) async fn start(kind: Kind, disk: Option<SmallDisk>, shards: usize) -> anyhow::Result<Self> {
        let database = Database::start(kind, disk, shards).await?;
        let urls = vec![database.url(); if kind == Kind::Sqlite { 1 } else { 2 }];
        let shards = if kind == Kind::Citus { shards } else { 1 };
        let (provider, instances) = start_on(&urls, shards, &built_binary()?, 10_000).await?;
        let clients = Arc::new(clients(&provider, &instances, "user", USERS.max(2 * shards))?);
        open_shards(&clients.users).await?;
        let ledger = Arc::new(Ledger::default());
        subscribe(&clients.users, &ledger).await?;
        let good_key = clients.users[0].clients[0].create_api_key("good").await?.key;
        let stage = Self { database, instances, turn: 0, clients, ledger, good_key, _provider: provider };
        stage.heals(Instant::now()).await?;
        Ok(stage)
    }

    pub(crate) fn load(&self) -> Load {
        Load::start(&self.clients, &self.ledger, &self.good_key, PACE)
    }

    /// A key that stays good.
    pub(crate) fn good_key(&self) -> FullKey {
        self.good_key.clone()
    }

    /// The instances take turns.
    pub(crate) fn next_instance(&mut self) -> &mut Gatepost {
        self.turn += 1;
        let index = self.turn % self.instances.len();
        &mut self.instances[index]
    }

    /// Lets the load run undisturbed.
    pub(crate) async fn quiet(&self) {
        sleep(QUIET).await;
    }

    /// Waits until every instance works again, and returns how long that took since `start`.
    pub(crate) async fn heals(&self, start: Instant) -> anyhow::Result<Duration> {
        heals(&self.clients, &self.good_key, &self.ledger, start, || self.logs()).await
    }

    pub(crate) async fn settle(&self) -> anyhow::Result<Outcome> {
        settle(&self.clients, &self.ledger).await
    }

    fn logs(&self) -> String {
        let tail = |log: String| log.lines().rev().take(10).map(str::to_owned).collect::<Vec<_>>().join("\n");
        self.instances.iter().map(|instance| tail(instance.log())).collect::<Vec<_>>().join("\n──\n")
    }
}

/// Waits until every instance answers each user. While it opens its first connections to many shards, it may answer 503.
async fn open_shards(users: &[User]) -> anyhow::Result<()> {
    let start = Instant::now();
    for client in users.iter().flat_map(|user| &user.clients) {
        while let Err(error) = client.list_api_keys().await {
            ensure!(start.elapsed() < HEALED_WITHIN, "a shard does not open: {error}");
            sleep(TRY_INTERVAL).await;
        }
    }
    Ok(())
}

/// Waits until every instance publishes, lists and verifies, and returns how long that took since `start`.
pub(crate) async fn heals(
    clients: &Clients,
    good_key: &FullKey,
    ledger: &Ledger,
    start: Instant,
    logs: impl Fn() -> String,
) -> anyhow::Result<Duration> {
    let user = &clients.users[0];
    for (index, anyone) in clients.anyone.iter().enumerate() {
        while is_good(anyone, good_key).await != Some(true)
            || user.clients[index].list_api_keys().await.is_err()
            || !publish_one(&clients.host[index], ledger, &user.name).await
        {
            ensure!(start.elapsed() < HEALED_WITHIN, "instance {index} does not heal:\n{}", logs());
            sleep(TRY_INTERVAL).await;
        }
    }
    Ok(start.elapsed())
}

/// Starts a development provider, and an instance on each of these databases. Each user may have this number of active
/// keys.
pub(crate) async fn start_on(
    database_urls: &[String],
    shards: usize,
    binary: &Path,
    keys_max: usize,
) -> anyhow::Result<(Gatepost, Vec<Gatepost>)> {
    let mut provider = Gatepost::new(binary, "dev")?;
    provider.start().await?;
    let mut instances = Vec::new();
    for url in database_urls {
        let mut instance = Gatepost::new(binary, "serve")?;
        instance.set("DATABASE_URL", url);
        instance.set("DATABASE_SHARDS", &shards.to_string());
        instance.set("OIDC_ISSUER", &format!("{}/dev/oidc", provider.url()));
        instance.set("OIDC_AUDIENCE", "gatepost-dev");
        instance.set("ENCRYPTION_KEY", ENCRYPTION_KEY);
        instance.set("OPERATOR_TOKEN", OPERATOR_TOKEN);
        instance.set("API_KEYS_MAX_ACTIVE", &keys_max.to_string());
        instance.set("WEBHOOK_ALLOW_HTTP", "true");
        instance.set("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8");
        instance.start().await?;
        instances.push(instance);
    }
    Ok((provider, instances))
}

/// The clients of these instances. The names of the users begin with `prefix`.
pub(crate) fn clients(
    provider: &Gatepost,
    instances: &[Gatepost],
    prefix: &str,
    count: usize,
) -> anyhow::Result<Clients> {
    let anyone = instances.iter().map(Gatepost::client).collect::<anyhow::Result<Vec<_>>>()?;
    let host = anyone.iter().map(|client| client.with_credential(OperatorToken::new(OPERATOR_TOKEN))).collect();
    let mut users = Vec::new();
    for user in 0..count {
        let name = format!("{prefix}-{user}");
        let token = IdToken::new(provider.run(&["token", "--user", &name])?);
        let clients = anyone.iter().map(|client| client.with_credential(token.clone())).collect();
        users.push(User { name, clients });
    }
    Ok(Clients { host, users, anyone })
}

//! What is broken: instances of Gatepost on one database, with clients and a receiver.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use gatepost_client::{ApiKey, FullKey, IdToken, NewSubscription, OperatorToken};
use tokio::time::{Instant, sleep};

use crate::database::{Database, Kind};
use crate::gatepost::Gatepost;
use crate::ledger::{Key, Ledger, Outcome, Revocation};
use crate::load::{Clients, Load, REVOKED_WITHIN, is_good, publish_one};
use crate::receiver::receive;
use crate::small_disk::SmallDisk;

const OPERATOR_TOKEN: &str = "faults-faults-faults-faults-faults";
/// 32 zero bytes, in base64.
const ENCRYPTION_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const USERS: usize = 4;
/// How long the load runs undisturbed between two faults.
const QUIET: Duration = Duration::from_secs(3);
/// How long an instance may take until it works again.
const HEALED_WITHIN: Duration = Duration::from_mins(2);
/// How long accepted events may take to arrive. What an instance was sending when it died is sent again after a minute.
const ARRIVED_WITHIN: Duration = Duration::from_mins(4);

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
    /// Starts one instance on SQLite, or two on Postgres.
    pub(crate) async fn start(kind: Kind, disk: Option<SmallDisk>) -> anyhow::Result<Self> {
        let mut provider = Gatepost::new("dev")?;
        provider.start().await?;
        let database = Database::start(kind, disk).await?;
        let mut instances = Vec::new();
        for _ in 0..if kind == Kind::Postgres { 2 } else { 1 } {
            let mut instance = instance(&provider, &database)?;
            instance.start().await?;
            instances.push(instance);
        }
        let clients = Arc::new(clients(&provider, &instances)?);
        let ledger = Arc::new(Ledger::default());
        let receiver = receive(Arc::clone(&ledger)).await?;
        for user in &clients.users {
            user[0].create_subscription(&NewSubscription::new(format!("http://{receiver}/"), ["*"])).await?;
        }
        let good_key = clients.users[0][0].create_api_key("good").await?.key;
        let stage = Self { database, instances, turn: 0, clients, ledger, good_key, _provider: provider };
        stage.heals(Instant::now()).await?;
        Ok(stage)
    }

    pub(crate) fn load(&self) -> Load {
        Load::start(&self.clients, &self.ledger, &self.good_key)
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

    /// Waits until every instance publishes, lists and verifies, and returns how long that took since `start`.
    pub(crate) async fn heals(&self, start: Instant) -> anyhow::Result<Duration> {
        for index in 0..self.instances.len() {
            while !self.works(index).await {
                ensure!(start.elapsed() < HEALED_WITHIN, "instance {index} does not heal:\n{}", self.logs());
                sleep(Duration::from_millis(10)).await;
            }
        }
        Ok(start.elapsed())
    }

    async fn works(&self, instance: usize) -> bool {
        let Clients { host, users, anyone } = &*self.clients;
        is_good(&anyone[instance], &self.good_key).await == Some(true)
            && users[0][instance].list_api_keys().await.is_ok()
            && publish_one(&host[instance], &self.ledger, "user-0").await
    }

    /// Waits for the events that were accepted, checks every key whose creation was answered, and counts.
    pub(crate) async fn settle(&self) -> anyhow::Result<Outcome> {
        sleep(REVOKED_WITHIN).await;
        let start = Instant::now();
        while self.ledger.missing() > 0 && start.elapsed() < ARRIVED_WITHIN {
            sleep(Duration::from_millis(100)).await;
        }
        for (user, clients) in self.clients.users.iter().enumerate() {
            let stored = clients[0].list_api_keys().await?;
            for key in self.ledger.keys().iter().filter(|key| key.user == user) {
                self.check(key, stored.iter().find(|stored| stored.id == key.id)).await?;
            }
        }
        Ok(self.ledger.outcome())
    }

    /// Checks what is stored of the key against what was answered, and what the instances say against what is stored.
    /// The list leaves out keys that were revoked long ago.
    async fn check(&self, key: &Key, stored: Option<&ApiKey>) -> anyhow::Result<()> {
        let is_revoked = stored.map(|stored| stored.revoked_at.is_some());
        let is_lost = match key.revocation {
            Revocation::NotAsked => is_revoked != Some(false),
            Revocation::Unknown => false,
            Revocation::Answered => is_revoked == Some(false),
        };
        let must_be_refused = key.revocation == Revocation::Answered || is_revoked == Some(true);
        let is_wrongly_good = must_be_refused && !self.is_refused_everywhere(&key.secret).await?;
        self.ledger.count(|counts| {
            counts.keys_lost += u64::from(is_lost);
            counts.revoked_good += u64::from(is_wrongly_good);
        });
        Ok(())
    }

    async fn is_refused_everywhere(&self, key: &FullKey) -> anyhow::Result<bool> {
        for anyone in &self.clients.anyone {
            if is_good(anyone, key).await.context("an instance does not answer after the faults")? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn logs(&self) -> String {
        let tail = |log: String| log.lines().rev().take(10).map(str::to_owned).collect::<Vec<_>>().join("\n");
        self.instances.iter().map(|instance| tail(instance.log())).collect::<Vec<_>>().join("\n──\n")
    }
}

fn instance(provider: &Gatepost, database: &Database) -> anyhow::Result<Gatepost> {
    let mut instance = Gatepost::new("serve")?;
    for (name, value) in [
        ("DATABASE_URL", database.url().as_str()),
        ("OIDC_ISSUER", &format!("{}/dev/oidc", provider.url())),
        ("OIDC_AUDIENCE", "gatepost-dev"),
        ("ENCRYPTION_KEY", ENCRYPTION_KEY),
        ("OPERATOR_TOKEN", OPERATOR_TOKEN),
        ("API_KEYS_MAX_ACTIVE", "10000"),
        ("WEBHOOK_ALLOW_HTTP", "true"),
        ("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ] {
        instance.set(name, value);
    }
    Ok(instance)
}

fn clients(provider: &Gatepost, instances: &[Gatepost]) -> anyhow::Result<Clients> {
    let anyone = instances.iter().map(Gatepost::client).collect::<anyhow::Result<Vec<_>>>()?;
    let host = anyone.iter().map(|client| client.with_credential(OperatorToken::new(OPERATOR_TOKEN))).collect();
    let mut users = Vec::new();
    for user in 0..USERS {
        let token = IdToken::new(provider.run(&["token", "--user", &format!("user-{user}")])?);
        users.push(anyone.iter().map(|client| client.with_credential(token.clone())).collect());
    }
    Ok(Clients { host, users, anyone })
}

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::Entropy;
use domain::webhooks::HostName;
use futures_util::FutureExt as _;
use futures_util::future::{join, select};
use tokio::time::{Instant, timeout, timeout_at};

use super::cache::Cache;
use super::configuration::{Configuration, Current, NameServers};
use super::name_server::ask;
use super::question::{Answer, Question, RecordType};
use super::resolver::{ResolveError, Resolver};
use super::shared_look_ups::SharedLookUps;

/// How long one server may take in the first round. It doubles with each round.
const PATIENCE: Duration = Duration::from_secs(1);
const ROUNDS: u32 = 3;
/// No name in this zone exists, and no question should be sent about one (RFC 6761, section 6.4).
const NO_NAME_ENDS_WITH: &str = "invalid";
/// The maximum wait for the addresses of the second family: some name servers never answer for IPv6.
const OTHER_FAMILY_MAX: Duration = Duration::from_millis(500);

/// Asks the name servers of the system. A look-up that hangs holds two sockets, and no thread.
pub struct SystemResolver {
    configuration: Current,
    look_ups: SharedLookUps,
    asking: Arc<Asking>,
}

struct Asking {
    cache: Cache,
    entropy: Arc<dyn Entropy>,
}

impl SystemResolver {
    /// Draws the ids of its questions from `entropy`.
    pub fn new(name_servers: NameServers, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            configuration: Current::new(name_servers),
            look_ups: SharedLookUps::default(),
            asking: Arc::new(Asking { cache: Cache::default(), entropy }),
        }
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &HostName, by: Instant) -> Result<Vec<IpAddr>, ResolveError> {
        if name.as_str().rsplit('.').next() == Some(NO_NAME_ENDS_WITH) {
            return Err(ResolveError::NoSuchName);
        }
        let configuration = self.configuration.get();
        if let Some(addresses) = configuration.hosts.get(name) {
            return Ok(addresses.clone());
        }
        if let Some(addresses) = self.asking.cache.get(name) {
            return Ok(addresses);
        }
        let start = || Arc::clone(&self.asking).look_up(name.clone(), configuration, by).boxed();
        self.look_ups.join(name, start).await
    }
}

impl Asking {
    /// Looks the name up. If that fails, the question about the root finds the cause: if the resolver answers
    /// it, the name servers of the name have failed.
    async fn look_up(
        self: Arc<Self>,
        name: HostName,
        configuration: Arc<Configuration>,
        by: Instant,
    ) -> Result<Vec<IpAddr>, ResolveError> {
        let servers = &configuration.servers;
        let half_time = by - by.saturating_duration_since(Instant::now()) / 2;
        let mut found = pin!(in_time(by, self.find(&name, servers)));
        let (found, works) = match timeout_at(half_time, &mut found).await {
            Ok(Ok(found)) => (Ok(found), true),
            Ok(Err(error)) => (Err(error), self.works(servers, by).await),
            Err(_) => join(found, self.works(servers, by)).await,
        };
        match found {
            Ok(Answer::Addresses(addresses, holds)) => {
                self.cache.keep(&name, addresses.clone(), holds);
                Ok(addresses)
            }
            Ok(_) => Err(ResolveError::NoSuchName),
            Err(error) if works => Err(ResolveError::Unanswered(Arc::new(error))),
            Err(error) => Err(ResolveError::Unavailable(Arc::new(error))),
        }
    }

    /// Whether a server answers the question about the root, which concerns no receiver.
    async fn works(&self, servers: &[SocketAddr], by: Instant) -> bool {
        in_time(by, ask_in_turn(servers, || Question::about_the_root(self.id()))).await.is_ok()
    }

    async fn find(&self, name: &HostName, servers: &[SocketAddr]) -> io::Result<Answer> {
        let question = |record_type| move || Question::about(name, record_type, self.id());
        let v4 = pin!(ask_in_turn(servers, question(RecordType::A)));
        let v6 = pin!(ask_in_turn(servers, question(RecordType::Aaaa)));
        let (first, second) = select(v4, v6).await.factor_first();
        let second = match first {
            Ok(Answer::Addresses(..)) => timeout(OTHER_FAMILY_MAX, second).await.unwrap_or(Ok(Answer::Nothing)),
            _ => second.await,
        };
        both(first, second)
    }

    fn id(&self) -> [u8; 2] {
        let mut id = [0; 2];
        self.entropy.fill(&mut id);
        id
    }
}

/// Asks one server after the other, until one of them answers without a failure. Servers that failed are not asked
/// again, unless one was slow.
async fn ask_in_turn(servers: &[SocketAddr], question: impl Fn() -> Question) -> io::Result<Answer> {
    let mut last_error = io::ErrorKind::TimedOut.into();
    for round in 0..ROUNDS {
        let mut is_slow = false;
        for server in servers {
            match timeout(PATIENCE * 2_u32.pow(round), ask(*server, &question())).await {
                Ok(Ok(Answer::Failed(code))) => last_error = io::Error::other(format!("response code {code}")),
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => last_error = error,
                Err(elapsed) => (is_slow, last_error) = (true, elapsed.into()),
            }
        }
        if !is_slow {
            break;
        }
    }
    Err(last_error)
}

async fn in_time(by: Instant, answer: impl Future<Output = io::Result<Answer>>) -> io::Result<Answer> {
    timeout_at(by, answer).await.unwrap_or_else(|elapsed| Err(elapsed.into()))
}

/// The addresses of both families. A family that failed is missed only if the other one has no address.
fn both(first: io::Result<Answer>, second: io::Result<Answer>) -> io::Result<Answer> {
    match (first, second) {
        (Ok(Answer::Addresses(first, holds)), Ok(Answer::Addresses(second, other_holds))) => {
            Ok(Answer::Addresses(in_turn(first, second), holds.min(other_holds)))
        }
        (Ok(addresses @ Answer::Addresses(..)), _) | (_, Ok(addresses @ Answer::Addresses(..))) => Ok(addresses),
        (Err(error), _) | (_, Err(error)) => Err(error),
        (Ok(nothing), Ok(_)) => Ok(nothing),
    }
}

/// The addresses of both families in turn, IPv4 first, so that the few that are tried include both.
fn in_turn(first: Vec<IpAddr>, second: Vec<IpAddr>) -> Vec<IpAddr> {
    let mut places: Vec<(usize, bool, IpAddr)> = Vec::new();
    for family in [first, second] {
        places.extend(family.into_iter().enumerate().map(|(place, address)| (place, address.is_ipv6(), address)));
    }
    places.sort_by_key(|(place, is_ipv6, _)| (*place, *is_ipv6));
    places.into_iter().map(|(_, _, address)| address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn families_take_turns() {
        let (v4, v6) = (addresses(&["1.1.1.1", "1.1.1.2", "1.1.1.3"]), addresses(&["2600::1"]));
        let merged = addresses(&["1.1.1.1", "2600::1", "1.1.1.2", "1.1.1.3"]);
        assert_eq!(in_turn(v6.clone(), v4.clone()), merged);
        assert_eq!(in_turn(v4, v6), merged);
    }

    #[test]
    fn one_family_is_enough_and_no_answer_is_not_nothing() {
        let some = || Ok(Answer::Addresses(addresses(&["1.1.1.1"]), PATIENCE));
        let failed = || Err(io::ErrorKind::TimedOut.into());
        assert!(matches!(both(some(), failed()), Ok(Answer::Addresses(..))));
        assert!(matches!(both(Ok(Answer::Nothing), some()), Ok(Answer::Addresses(..))));
        assert!(both(Ok(Answer::Nothing), failed()).is_err());
        assert_eq!(both(Ok(Answer::Nothing), Ok(Answer::Nothing)).unwrap(), Answer::Nothing);
    }
}

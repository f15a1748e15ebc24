use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters_egress::{ResolveError, Resolver};
use async_trait::async_trait;
use domain::webhooks::HostName;
use tokio::time::{Instant, sleep};

/// The result of a look-up.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    Addresses(&'static [&'static str]),
    NoSuchName,
    LateNoSuchName,
    Unanswered,
    Unavailable,
    Hangs,
}

/// Answers look-ups in the order of a script, repeats the last answer, and records the names.
pub(crate) struct ScriptedResolver {
    script: Vec<Lookup>,
    asked: Mutex<Vec<String>>,
}

impl ScriptedResolver {
    pub(crate) fn new(script: &[Lookup]) -> Arc<Self> {
        Arc::new(Self { script: script.to_vec(), asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolver for ScriptedResolver {
    async fn resolve(&self, name: &HostName, _: Instant) -> Result<Vec<IpAddr>, ResolveError> {
        let turn = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(name.absolute());
            asked.len() - 1
        };
        match &self.script[turn.min(self.script.len() - 1)] {
            Lookup::Addresses(addresses) => Ok(addresses.iter().map(|address| address.parse().unwrap()).collect()),
            Lookup::NoSuchName => Err(ResolveError::NoSuchName),
            Lookup::LateNoSuchName => {
                sleep(Duration::from_secs(2)).await;
                Err(ResolveError::NoSuchName)
            }
            Lookup::Unanswered => Err(ResolveError::Unanswered(Arc::new(io::ErrorKind::TimedOut.into()))),
            Lookup::Unavailable => Err(ResolveError::Unavailable(Arc::new(io::ErrorKind::TimedOut.into()))),
            Lookup::Hangs => std::future::pending().await,
        }
    }
}

//! Verification of hot keys over HTTP, against the bare framework.

use crate::contest::{Contestant, bare, compete};
use crate::floor::Floor;
use crate::hammer::hammer_once;
use crate::store::{Postgres, Sqlite, Store};
use crate::subject::Subject;

const MILLION: u64 = 1_000_000;

/// On SQLite.
pub(crate) async fn measure_sqlite() -> anyhow::Result<()> {
    measure(&Sqlite).await
}

/// On Postgres.
pub(crate) async fn measure_postgres() -> anyhow::Result<()> {
    measure(&Postgres::start().await?).await
}

async fn measure(store: &dyn Store) -> anyhow::Result<()> {
    let mut quiet = Subject::new(store, 1).await?;
    quiet.gatepost.set("LOG", "warn");
    let mut one = Subject::new(store, 1).await?;
    let mut million = Subject::new(store, MILLION).await?;
    for subject in [&mut quiet, &mut one, &mut million] {
        subject.gatepost.start().await?;
        hammer_once(subject.gatepost.address(), &subject.forward_auth()).await?;
        subject.gatepost.usage()?.pause()?;
    }

    let floor = Floor::start().await?;
    one.gatepost.usage()?.resume().await?;
    let address = one.gatepost.address();
    let mut contestants = vec![
        bare(&floor, "bare GET", address, &one.forward_auth(), 0).await?,
        bare(&floor, "bare POST, body parsed", address, &one.introspect(), 1).await?,
    ];
    one.gatepost.usage()?.pause()?;
    floor.usage().pause()?;
    for (name, subject) in [("one key", &one), ("one key, LOG=warn", &quiet), ("1,000,000 keys", &million)] {
        let kinds = [("forward-auth", subject.forward_auth()), ("introspection", subject.introspect())];
        for (floor, (kind, requests)) in kinds.into_iter().enumerate() {
            contestants.push(Contestant::of(&subject.gatepost, format!("{kind}, {name}"), requests, floor)?);
        }
    }
    compete(&format!("Hot keys on {} (aim: 0.8 of the floor)", store.name()), &contestants).await
}

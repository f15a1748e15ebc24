//! Verification of hot keys over HTTP, against the bare framework.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;

use crate::floor::Floor;
use crate::hammer::{CALLERS, Requests, answer_length, hammer_for, hammer_once};
use crate::process::Usage;
use crate::store::{Postgres, Sqlite, Store};
use crate::subject::Subject;
use crate::table::{median, print};

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(1_500);
const MILLION: u64 = 1_000_000;

/// One kind of request to one process.
struct Contestant {
    name: String,
    address: SocketAddr,
    usage: Usage,
    requests: Requests,
    /// The contestant whose request and answer sizes this bare one has.
    floor: usize,
    rounds: Vec<Round>,
}

/// Requests per second, and microseconds of processor time for each.
struct Round {
    rate: f64,
    micros: f64,
}

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
    let mut contestants = floors(&floor, &one).await?;
    one.gatepost.usage()?.pause()?;
    floor.usage().pause()?;
    for (name, subject) in [("one key", &one), ("one key, LOG=warn", &quiet), ("1,000,000 keys", &million)] {
        let (address, usage) = (subject.gatepost.address(), subject.gatepost.usage()?);
        let kinds = [("forward-auth", subject.forward_auth()), ("introspection", subject.introspect())];
        for (floor, (kind, requests)) in kinds.into_iter().enumerate() {
            let name = format!("{kind}, {name}");
            contestants.push(Contestant { name, address, usage, requests, floor, rounds: Vec::new() });
        }
    }
    for round in 0..ROUNDS {
        // The first contestant changes, so that none always runs on the warmer machine.
        let count = contestants.len();
        for turn in 0..count {
            let contestant = &mut contestants[(turn + round) % count];
            let outcome = contestant.compete().await.with_context(|| contestant.name.clone())?;
            contestant.rounds.push(outcome);
        }
    }
    report(store, &contestants);
    Ok(())
}

/// A bare `GET` and a bare `POST`, whose answers are as long as those of Gatepost.
async fn floors(floor: &Floor, subject: &Subject) -> anyhow::Result<Vec<Contestant>> {
    let mut floors = Vec::new();
    for (number, (name, requests)) in
        [("bare GET", subject.forward_auth()), ("bare POST, body parsed", subject.introspect())].into_iter().enumerate()
    {
        let whole = answer_length(subject.gatepost.address(), &requests).await?;
        // The length of the head of a bare answer whose body has 100 to 999 bytes.
        let bare = answer_length(floor.address, &requests.at_path("/100")).await? - 100;
        let requests = requests.at_path(&format!("/{}", whole.saturating_sub(bare).max(100)));
        let (name, address, usage) = (name.to_owned(), floor.address, floor.usage());
        floors.push(Contestant { name, address, usage, requests, floor: number, rounds: Vec::new() });
    }
    Ok(floors)
}

impl Contestant {
    /// One round, in which no other contestant runs. The background work continues: uses of keys are written.
    async fn compete(&self) -> anyhow::Result<Round> {
        self.usage.resume().await?;
        let before = self.usage.processor_time()?;
        let outcome = hammer_for(self.address, &self.requests, ROUND).await?;
        let used = self.usage.processor_time()?.saturating_sub(before);
        self.usage.pause()?;
        Ok(Round { rate: outcome.rate(), micros: used.as_secs_f64() * 1e6 / outcome.count() })
    }

    fn median_of(&self, value: impl Fn(&Round) -> f64) -> f64 {
        median(&self.rounds.iter().map(value).collect::<Vec<_>>())
    }

    /// The median ratio of each round to the floor in the same turn, because the speed of the machine drifts.
    fn median_beside(&self, floor: &Self, ratio: impl Fn(&Round, &Round) -> f64) -> f64 {
        median(&self.rounds.iter().zip(&floor.rounds).map(|(own, floor)| ratio(own, floor)).collect::<Vec<_>>())
    }
}

fn report(store: &dyn Store, contestants: &[Contestant]) {
    let rows: Vec<Vec<String>> = contestants
        .iter()
        .map(|contestant| {
            let floor = &contestants[contestant.floor];
            let (rate, micros) = (contestant.median_of(|round| round.rate), contestant.median_of(|round| round.micros));
            vec![
                contestant.name.clone(),
                format!("{rate:.0}/s"),
                format!("**{:.2}**", contestant.median_beside(floor, |own, floor| own.rate / floor.rate)),
                format!("{micros:.1} µs"),
                format!("{:.2}", contestant.median_beside(floor, |own, floor| floor.micros / own.micros)),
            ]
        })
        .collect();
    print(
        &format!(
            "Hot keys on {}, {CALLERS} callers, medians of {ROUNDS} alternated rounds (aim: 0.8 of the floor)",
            store.name()
        ),
        &["what", "answers", "of the floor", "processor time of the server, each", "floor's part of it"],
        &rows,
    );
}

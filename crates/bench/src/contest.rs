//! Kinds of requests that compete with the bare framework, one after the other, in alternated rounds.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;

use crate::floor::Floor;
use crate::gatepost::Gatepost;
use crate::hammer::{CALLERS, Requests, answer_length, hammer_for};
use crate::process::Usage;
use crate::table::{median, print};

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(1_500);

/// One kind of request to one process.
pub(crate) struct Contestant {
    pub(crate) name: String,
    pub(crate) address: SocketAddr,
    pub(crate) usage: Usage,
    pub(crate) requests: Requests,
    /// The index of the bare framework's contestant, with requests and answers of the same length.
    pub(crate) floor: usize,
}

/// Requests per second, and microseconds of processor time for each.
pub(crate) struct Round {
    rate: f64,
    pub(crate) micros: f64,
}

/// A bare `GET` or `POST`, with answers as long as those of `requests` at `address`.
pub(crate) async fn bare(
    floor: &Floor,
    name: &str,
    address: SocketAddr,
    requests: &Requests,
    index: usize,
) -> anyhow::Result<Contestant> {
    let whole = answer_length(address, requests).await?;
    // The length of the head of a bare answer with a body of 100 to 999 bytes.
    let head = answer_length(floor.address, &requests.at_path("/100")).await? - 100;
    let requests = requests.at_path(&format!("/{}", whole.saturating_sub(head).max(100)));
    Ok(Contestant { name: name.to_owned(), address: floor.address, usage: floor.usage(), requests, floor: index })
}

/// Lets each compete in turn, and prints the medians. All processes are paused before and after.
pub(crate) async fn compete(title: &str, contestants: &[Contestant]) -> anyhow::Result<()> {
    let rounds = alternate(contestants, ROUNDS, async |contestant: &Contestant| contestant.hammer(ROUND).await).await?;
    report(title, contestants, &rounds);
    Ok(())
}

/// Rounds of each contestant, in which no other one runs. All processes are paused before and after.
pub(crate) async fn alternate<R>(
    contestants: &[Contestant],
    rounds: usize,
    round: impl AsyncFn(&Contestant) -> anyhow::Result<R>,
) -> anyhow::Result<Vec<Vec<R>>> {
    let count = contestants.len();
    let mut results: Vec<Vec<R>> = contestants.iter().map(|_| Vec::new()).collect();
    for number in 0..rounds {
        // The first contestant changes, so that none always runs on the warmer machine.
        for turn in 0..count {
            let index = (turn + number) % count;
            let contestant = &contestants[index];
            contestant.usage.resume().await?;
            results[index].push(round(contestant).await.with_context(|| contestant.name.clone())?);
            contestant.usage.pause()?;
        }
    }
    Ok(results)
}

impl Contestant {
    /// These requests to a Gatepost that runs.
    pub(crate) fn of(gatepost: &Gatepost, name: String, requests: Requests, floor: usize) -> anyhow::Result<Self> {
        Ok(Self { name, address: gatepost.address(), usage: gatepost.usage()?, requests, floor })
    }

    /// One round of this length. The background work continues: uses of keys are written.
    pub(crate) async fn hammer(&self, time: Duration) -> anyhow::Result<Round> {
        let before = self.usage.processor_time()?;
        let outcome = hammer_for(self.address, &self.requests, time).await?;
        let used = self.usage.processor_time()?.saturating_sub(before);
        Ok(Round { rate: outcome.rate(), micros: used.as_secs_f64() * 1e6 / outcome.count() })
    }
}

pub(crate) fn median_of(rounds: &[Round], value: impl Fn(&Round) -> f64) -> f64 {
    median(&rounds.iter().map(value).collect::<Vec<_>>())
}

/// The median ratio of each round to the floor in the same turn, because the speed of the machine drifts.
fn median_beside(rounds: &[Round], floor: &[Round], ratio: impl Fn(&Round, &Round) -> f64) -> f64 {
    median(&rounds.iter().zip(floor).map(|(own, floor)| ratio(own, floor)).collect::<Vec<_>>())
}

fn report(title: &str, contestants: &[Contestant], rounds: &[Vec<Round>]) {
    let row = |(contestant, own): (&Contestant, &Vec<Round>)| {
        let floor = &rounds[contestant.floor];
        let (rate, micros) = (median_of(own, |round| round.rate), median_of(own, |round| round.micros));
        vec![
            contestant.name.clone(),
            format!("{rate:.0}/s"),
            format!("**{:.2}**", median_beside(own, floor, |own, floor| own.rate / floor.rate)),
            format!("{micros:.1} µs"),
            format!("{:.2}", median_beside(own, floor, |own, floor| floor.micros / own.micros)),
        ]
    };
    let rows: Vec<Vec<String>> = contestants.iter().zip(rounds).map(row).collect();
    print(
        &format!("{title}, {CALLERS} callers, medians of {ROUNDS} alternated rounds"),
        &["what", "answers", "of the floor", "processor time of the server, each", "floor's part of it"],
        &rows,
    );
}

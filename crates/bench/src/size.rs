//! The cost of a verification as the number of stored keys grows, with all keys in use.

use std::time::Duration;

use crate::contest::{Contestant, Round, alternate, median_of};
use crate::hammer::{CALLERS, hammer_once};
use crate::store::Sqlite;
use crate::subject::Subject;
use crate::table::print;

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(1);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut subjects, mut contestants) = (Vec::new(), Vec::new());
    for keys in SIZES {
        let mut subject = Subject::new(&Sqlite, keys).await?;
        subject.gatepost.start().await?;
        let (empty, _) = subject.gatepost.usage()?.resident_kib()?;
        hammer_once(subject.gatepost.address(), &subject.forward_auth()).await?;
        subject.gatepost.usage()?.pause()?;
        let (full, _) = subject.gatepost.usage()?.resident_kib()?;
        contestants.push(Contestant::of(&subject.gatepost, keys.to_string(), subject.forward_auth(), 0)?);
        subjects.push((subject, full.saturating_sub(empty)));
    }
    let rounds =
        alternate(&contestants, ROUNDS, async |contestant: &Contestant| contestant.hammer(ROUND).await).await?;
    let row = |((subject, resident_kib), rounds): (&(Subject, u64), &Vec<Round>)| {
        vec![
            subject.keys.to_string(),
            format!("**{:.1} µs**", median_of(rounds, |round| round.micros)),
            format!("{} MiB", resident_kib / 1024),
            format!("{} bytes", resident_kib * 1024 / subject.keys),
        ]
    };
    let rows: Vec<Vec<String>> = subjects.iter().zip(&rounds).map(row).collect();
    let title =
        format!("Forward-auth on SQLite against the number of hot keys, {CALLERS} callers, medians of {ROUNDS} rounds");
    print(&title, &["keys", "processor time, each answer", "memory", "memory, each key"], &rows);
    Ok(())
}

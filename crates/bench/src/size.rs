//! The cost of a verification as the number of stored keys grows, with all keys in use.

use std::time::Duration;

use crate::hammer::{CALLERS, hammer_for, hammer_once};
use crate::store::Sqlite;
use crate::subject::Subject;
use crate::table::{median, print};

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(1);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let mut subjects = Vec::new();
    for keys in SIZES {
        let mut subject = Subject::new(&Sqlite, keys).await?;
        subject.gatepost.start().await?;
        let (empty, _) = subject.gatepost.usage()?.resident_kib()?;
        hammer_once(subject.gatepost.address(), &subject.forward_auth()).await?;
        subject.gatepost.usage()?.pause()?;
        let (full, _) = subject.gatepost.usage()?.resident_kib()?;
        subjects.push((subject, full.saturating_sub(empty)));
    }
    let mut micros: [Vec<f64>; SIZES.len()] = Default::default();
    for round in 0..ROUNDS {
        for size in (0..SIZES.len()).map(|turn| (turn + round) % SIZES.len()) {
            let (subject, _) = &subjects[size];
            let usage = subject.gatepost.usage()?;
            usage.resume().await?;
            let before = usage.processor_time()?;
            let outcome = hammer_for(subject.gatepost.address(), &subject.forward_auth(), ROUND).await?;
            micros[size].push(usage.processor_time()?.saturating_sub(before).as_secs_f64() * 1e6 / outcome.count());
            usage.pause()?;
        }
    }
    let rows: Vec<Vec<String>> = subjects
        .iter()
        .enumerate()
        .map(|(size, (subject, resident_kib))| {
            vec![
                subject.keys.to_string(),
                format!("**{:.1} µs**", median(&micros[size])),
                format!("{} MiB", resident_kib / 1024),
                format!("{} bytes", resident_kib * 1024 / subject.keys),
            ]
        })
        .collect();
    print(
        &format!(
            "Forward-auth on SQLite against the number of hot keys, {CALLERS} callers, medians of {ROUNDS} rounds"
        ),
        &["keys", "processor time, each answer", "memory", "memory, each key"],
        &rows,
    );
    Ok(())
}

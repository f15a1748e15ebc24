//! The output of a run.

use super::fault::Fault;
use super::oracles::{Evidence, verdicts};
use crate::{name_of, say};

/// All strikes of one fault.
pub(super) struct Row {
    fault: Fault,
    strikes: u32,
    evidence: Evidence,
}

const HEAD: [&str; 11] = [
    "fault",
    "strikes",
    "acknowledged / lost",
    "events / missing / delivered again",
    "in order / too early",
    "maximum: judged / wrong",
    "revoked keys: refused / 503 / good after 6 s",
    "revoked key good for at most",
    "good keys refused",
    "new primaries, first commit after at most",
    "writes resumed after at most",
];

impl Row {
    /// Whether every promise was kept.
    pub(super) fn is_kept(&self) -> bool {
        verdicts(&self.evidence).iter().all(|verdict| verdict.is_kept)
    }

    fn line(&self) -> String {
        let Self { fault, strikes, evidence } = self;
        let Evidence { outcome, maximum, .. } = evidence;
        let resumed =
            evidence.resumed_after.map_or_else(|| "never".to_owned(), |after| format!("{:.1} s", after.as_secs_f64()));
        format!(
            "| {} | {strikes} | {} / {} | {} / {} / {} | {} / {} | {} / {} | {} / {} / {} | {:.2} s | {} | {}, {:.1} s | {resumed} |",
            name_of(fault),
            outcome.acknowledged,
            outcome.lost,
            evidence.events,
            evidence.events_missing,
            outcome.repeated,
            outcome.counts.numbered,
            outcome.counts.too_early,
            maximum.judged,
            maximum.over + maximum.under + evidence.keys_over,
            evidence.refused,
            evidence.unknown,
            outcome.counts.revoked_good,
            outcome.counts.revoked_good_for.as_secs_f64(),
            outcome.counts.good_refused,
            evidence.promotions,
            evidence.commits_after.as_secs_f64(),
        )
    }
}

/// Prints the answer of each oracle about one strike, and returns whether all are kept.
pub(super) fn tell(fault: Fault, round: u32, evidence: &Evidence) {
    say(&format!("{}, round {round}", name_of(&fault)));
    for verdict in verdicts(evidence) {
        let mark = if verdict.is_kept { "kept  " } else { "BROKEN" };
        say(&format!("  {mark} {}: {}", verdict.promise, verdict.figure));
    }
}

/// Adds a strike to the row of its fault.
pub(super) fn add(rows: &mut Vec<Row>, fault: Fault, evidence: Evidence) {
    match rows.iter_mut().find(|row| row.fault == fault) {
        None => rows.push(Row { fault, strikes: 1, evidence }),
        Some(row) => {
            row.strikes += 1;
            row.evidence.add(evidence);
        }
    }
}

/// Prints the table.
pub(super) fn print(rows: &[Row]) {
    say(&format!("\n| {} |\n|{}", HEAD.join(" | "), "---|".repeat(HEAD.len())));
    for row in rows {
        say(&row.line());
    }
}

//! The table.

use std::time::Duration;

use crate::database::Kind;
use crate::fault::Fault;
use crate::ledger::Outcome;
use crate::{name_of, say};

/// One fault on one database.
pub(crate) struct Row {
    fault: Fault,
    kind: Kind,
    /// How long the service took to work again after each strike.
    healed: Vec<Duration>,
    outcome: Outcome,
}

const HEAD: [&str; 11] = [
    "fault",
    "database",
    "strikes",
    "acknowledged",
    "lost",
    "delivered again",
    "in order / too early",
    "calls refused",
    "good keys refused",
    "revoked keys good",
    "healed after, median / longest",
];

impl Row {
    pub(crate) fn new(fault: Fault, kind: Kind, mut healed: Vec<Duration>, outcome: Outcome) -> Self {
        healed.sort_unstable();
        Self { fault, kind, healed, outcome }
    }

    /// Whether every promise was kept.
    pub(crate) fn is_kept(&self) -> bool {
        let Outcome { lost, counts, .. } = self.outcome;
        lost == 0 && counts.good_refused == 0 && counts.revoked_good == 0 && counts.too_early == 0
    }

    pub(crate) fn line(&self) -> String {
        let Outcome { acknowledged, lost, repeated, counts } = self.outcome;
        let seconds = |duration: Option<&Duration>| duration.map_or(0.0, Duration::as_secs_f64);
        let (median, longest) = (self.healed.get(self.healed.len() / 2), self.healed.last());
        format!(
            "| {} | {} | {} | {acknowledged} | {lost} | {repeated} | {} / {} | {} | {} | {} | {:.2} / {:.2} s |",
            name_of(&self.fault),
            self.kind,
            self.healed.len(),
            counts.numbered,
            counts.too_early,
            counts.refused,
            counts.good_refused,
            counts.revoked_good,
            seconds(median),
            seconds(longest),
        )
    }
}

/// Adds a row, or adds its counts to the row of the same fault on the same database.
pub(crate) fn add(rows: &mut Vec<Row>, row: Row) {
    match rows.iter_mut().find(|known| known.fault == row.fault && known.kind == row.kind) {
        None => rows.push(row),
        Some(known) => {
            known.healed.extend(row.healed);
            known.healed.sort_unstable();
            known.outcome.add(row.outcome);
        }
    }
}

/// Prints the table.
pub(crate) fn print(rows: &[Row]) {
    say(&format!("\n| {} |\n|{}", HEAD.join(" | "), "---|".repeat(HEAD.len())));
    for row in rows {
        say(&row.line());
    }
}

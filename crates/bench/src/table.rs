//! Tables and medians.

use std::time::Duration;

/// A Markdown table in the form of `docs/benchmarks.md`.
#[expect(clippy::print_stdout, reason = "the result is for reading")]
pub(crate) fn print(title: &str, head: &[&str], rows: &[Vec<String>]) {
    println!("\n### {title}\n\n| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
}

/// The median; of an even number of values the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// The quantile: the value below which this share of the values lies.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((sorted.len() as f64) * share) as usize;
    sorted[index.min(sorted.len() - 1)]
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

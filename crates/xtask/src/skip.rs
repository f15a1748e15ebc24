//! Tests that are skipped by name, because a program that they need is not available.

use crate::program::say;

/// Tests to skip.
pub(crate) struct Skip {
    /// A part of their names, which no other test has.
    pub(crate) tests: String,
    /// Why they are skipped.
    pub(crate) reason: String,
}

/// The arguments that make a test runner skip them.
pub(crate) fn arguments(skips: &[Skip]) -> Vec<&str> {
    let named = skips.iter().flat_map(|skip| ["--skip", &skip.tests]);
    if skips.is_empty() { Vec::new() } else { ["--"].into_iter().chain(named).collect() }
}

/// Prints the skipped tests.
pub(crate) fn report(skips: &[Skip]) {
    for Skip { tests, reason } in skips {
        say(&format!("SKIPPED {tests}: {reason}"));
    }
}

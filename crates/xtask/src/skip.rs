//! Tests that are left out, by name, because something outside of this workspace cannot be had.

use crate::program::say;

/// Which tests are left out, and why.
pub(crate) struct Skip {
    /// A part of their names that no other test has.
    pub(crate) tests: String,
    /// Why.
    pub(crate) reason: String,
}

/// What tells a test runner to leave them out.
pub(crate) fn arguments(skips: &[Skip]) -> Vec<&str> {
    let named = skips.iter().flat_map(|skip| ["--skip", &skip.tests]);
    if skips.is_empty() { Vec::new() } else { ["--"].into_iter().chain(named).collect() }
}

/// Names what was left out.
pub(crate) fn report(skips: &[Skip]) {
    for Skip { tests, reason } in skips {
        say(&format!("SKIPPED {tests}: {reason}"));
    }
}

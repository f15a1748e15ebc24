use std::fmt;

use serde::Serialize;

/// A problem that exists, or will.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static str,
    /// The problem.
    pub what: String,
    /// Why it matters.
    pub why: &'static str,
    /// The command or the change that solves it.
    pub cure: String,
}

/// The results of the checks.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// The names of the checks that ran.
    pub checks: Vec<&'static str>,
    /// The problems.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Adds the findings of a check.
    pub fn add(&mut self, check: &'static str, findings: impl IntoIterator<Item = Finding>) {
        self.checks.push(check);
        self.findings.extend(findings);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check, what, why, cure } in &self.findings {
            writeln!(formatter, "{check}: {what}\n  why:  {why}\n  cure: {cure}")?;
        }
        let outcome = if self.findings.is_empty() { "nothing is wrong with" } else { "checked" };
        write!(formatter, "{outcome}: {}", self.checks.join(", "))
    }
}

/// An error with its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |chain, cause| format!("{chain}: {cause}"))
}

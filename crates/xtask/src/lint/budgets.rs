//! How large the house may be: lines of each crate, methods of each port, words of the documentation. Each budget is the
//! number of the day, so that growth is a decision, which the commit that raises the budget explains.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use regex_lite::Regex;

use super::source::{files, without_tests};
use crate::program::{root, say};

/// The budgets: a line for each, with its name and its number. Lines that begin with `#` are comments.
const FILE: &str = "crates/xtask/budgets.txt";
/// Crates for developers. Their lines count as tests.
const TOOLS: [&str; 6] = ["adapters-journal", "bench", "faults", "storage-conformance", "throwaway-postgres", "xtask"];
/// A count may be smaller than its budget by this part of the budget, or by [`SLACK_MIN`]. A budget with more room than
/// that would let the next change grow unseen.
const SLACK_PARTS: usize = 50;
const SLACK_MIN: usize = 5;

type Counts = BTreeMap<String, usize>;

/// Compares today's counts with the budgets.
///
/// # Errors
///
/// The counts that differ, as lines for the file of the budgets.
pub(super) fn check() -> anyhow::Result<()> {
    let text = fs::read_to_string(root().join(FILE)).with_context(|| format!("cannot read {FILE}"))?;
    let (budgets, counts) = (parse(&text)?, count()?);
    for (name, what) in [("production", "production lines"), ("tests", "lines of tests and tools")] {
        let sum: usize = counts.iter().filter(|(key, _)| key.starts_with(name)).map(|(_, count)| count).sum();
        say(&format!("{what}: {sum}"));
    }
    let wrong = differences(&budgets, &counts);
    ensure!(wrong.is_empty(), "{FILE} does not fit; say in the commit why it changes:\n  {}", wrong.join("\n  "));
    Ok(())
}

fn parse(text: &str) -> anyhow::Result<Counts> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let budget = |line: &str| {
        let (name, number) = line.rsplit_once(' ').with_context(|| format!("{FILE}: no number in {line:?}"))?;
        Ok((name.to_owned(), number.parse().with_context(|| format!("{FILE}: no number in {line:?}"))?))
    };
    lines.map(budget).collect()
}

/// Each line of the file that must change, with the reason.
fn differences(budgets: &Counts, counts: &Counts) -> Vec<String> {
    let changed = counts.iter().filter_map(|(name, count)| {
        let budget = budgets.get(name).copied().unwrap_or_default();
        let slack = (budget / SLACK_PARTS).max(SLACK_MIN);
        match count {
            count if *count > budget => Some(format!("{name} {count}   (more than {budget})")),
            count if count + slack < budget => Some(format!("{name} {count}   (lower it from {budget})")),
            _ => None,
        }
    });
    let gone = budgets.keys().filter(|name| !counts.contains_key(*name));
    changed.chain(gone.map(|name| format!("{name}   (remove it)"))).collect()
}

fn count() -> anyhow::Result<Counts> {
    let mut counts = Counts::new();
    for (file, text) in files(&root().join("crates"), "rs")? {
        let inner = file.strip_prefix(root().join("crates"))?;
        let package = inner.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = inner.iter().nth(1).is_some_and(|folder| folder == "src") && !is_test_file(inner);
        let production = if is_source && !TOOLS.contains(&package.as_str()) { without_tests(&text) } else { "" };
        *counts.entry(format!("production {package}")).or_default() += lines_of_code(production);
        *counts.entry(format!("tests {package}")).or_default() += lines_of_code(&text[production.len()..]);
        if inner.starts_with("domain/src/ports") {
            counts.extend(methods(&text)?);
        }
    }
    for (_, text) in files(&root().join("tests/src"), "rs")? {
        *counts.entry("tests tests".to_owned()).or_default() += lines_of_code(&text);
    }
    counts.insert("words of the documentation".to_owned(), words()?);
    counts.retain(|_, count| *count > 0);
    Ok(counts)
}

fn is_test_file(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name == "tests"
        || name.starts_with("test_")
        || name.ends_with("_tests")
        || name.ends_with("_test")
        || path.iter().any(|part| part == "tests")
}

/// Lines that are neither empty nor comments.
fn lines_of_code(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// The methods of each trait in a file of ports.
fn methods(text: &str) -> anyhow::Result<Counts> {
    let (port, method) = (Regex::new(r"(?m)^pub trait (\w+)")?, Regex::new(r"(?m)^    (async )?fn ")?);
    let count = |found: regex_lite::Captures<'_>| {
        let body = &text[found.get(0).map_or(0, |port| port.end())..];
        let body = &body[..body.find("\n}").unwrap_or(body.len())];
        (format!("methods {}", &found[1]), method.find_iter(body).count())
    };
    Ok(port.captures_iter(text).map(count).collect())
}

/// The words of the README and of the pages in `docs`.
fn words() -> anyhow::Result<usize> {
    let pages = files(&root().join("docs"), "md")?.into_iter().map(|(_, text)| text);
    let all = pages.chain([fs::read_to_string(root().join("README.md"))?]);
    Ok(all.map(|text| text.split_whitespace().count()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_methods_are_counted() {
        let text = "/// A port.\npub trait Port {\n    /// Does.\n    async fn one(&self);\n\n    fn two(&self) {\n        x();\n    \
                    }\n}\nimpl Port for () {\n    fn two(&self) {}\n}\n";
        assert_eq!(methods(text).unwrap(), [("methods Port".to_owned(), 2)].into());
        assert_eq!(lines_of_code(text), 9);
    }

    #[test]
    fn growth_and_room_are_found() {
        let counts = |numbers: &[(&str, usize)]| numbers.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let budgets: Counts = counts(&[("grown", 10), ("same", 100), ("shrunk", 100), ("gone", 1)]);
        let today: Counts = counts(&[("grown", 11), ("same", 95), ("shrunk", 90), ("new", 3)]);
        let found = differences(&budgets, &today);
        let names: Vec<&str> = found.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(names, ["grown", "new", "shrunk", "gone"]);
        assert_eq!(parse("# why\ntests a 3\n").unwrap(), counts(&[("tests a", 3)]));
    }
}

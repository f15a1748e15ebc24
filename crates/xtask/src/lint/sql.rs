//! SQL that other engines than Postgres read differently, or refuse. See decision 115.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use super::source::{files, without_tests};
use crate::program::{root, say};

/// Where the SQL of Postgres is.
const FOLDERS: [&str; 2] = ["crates/adapters-postgres/src", "crates/diesel-mapping/src"];

/// The page that counts the exceptions for its readers.
const PAGE: &str = "docs/scaling.md";

/// A construct to avoid, and the files that may have it.
struct Rule {
    /// The start of its row in the table of [`PAGE`]. Rules may share a row.
    row: &'static str,
    /// The construct, and why it is avoided.
    avoided: &'static str,
    count: fn(&str) -> usize,
    exceptions: &'static [Exception],
}

struct Exception {
    reason: &'static str,
    /// Files, and how often each has the construct.
    files: &'static [(&'static str, usize)],
}

/// The rules, each with its exceptions.
const RULES: [Rule; 9] = [
    Rule {
        row: "`ctid`",
        avoided: "ctid: a row's place on its page, which engines with other storage do not have",
        count: |text| words(text, "ctid"),
        exceptions: &[],
    },
    Rule {
        row: "a change within `WITH`",
        avoided: "a change within WITH: engines that run its parts one after the other give silently other results",
        count: changes_in_with,
        exceptions: &[],
    },
    Rule {
        row: "`now()`",
        avoided: "now(): the clock of one node, at the start of the transaction. Times come as parameters (decision 54)",
        count: |text| statements(text).map(|sql| sql.matches("now()").count()).sum(),
        exceptions: &[Exception { reason: "how long this transaction has lasted", files: &[("transaction.rs", 1)] }],
    },
    Rule {
        row: "`INSERT … SELECT FROM unnest`",
        avoided: "INSERT … SELECT FROM unnest that names no table of its shard: Citus commits in two phases (decision 120)",
        count: |text| {
            let names_table = |sql: &str| ["FROM webhook_", "JOIN webhook_"].iter().any(|name| sql.contains(name));
            let inserts = |sql: &&str| sql.starts_with("INSERT") && sql.contains("FROM unnest") && !names_table(sql);
            statements(text).filter(inserts).count().saturating_sub(text.matches("on_its_node!(").count())
        },
        exceptions: &[],
    },
    Rule {
        row: "locks of the session",
        avoided: "a lock of the session: it ends up in another one behind a pooler, and stops at one node (decision 93)",
        count: |text| ["pg_advisory_lock", "pg_try_advisory_lock"].iter().map(|name| text.matches(name).count()).sum(),
        exceptions: &[Exception {
            reason: "used only where connections have sessions for themselves",
            files: &[("claimers.rs", 1), ("migrate.rs", 1)],
        }],
    },
    Rule {
        row: "locks of the session",
        avoided: "LISTEN: notifications are lost behind a pooler, and stop at one node (decision 93)",
        count: |text| text.matches("LISTEN ").count(),
        exceptions: &[Exception {
            reason: "used only where connections have sessions for themselves",
            files: &[("change_signal.rs", 1)],
        }],
    },
    Rule {
        row: "locks of the session",
        avoided: "what stays in a session: SET without LOCAL, temporary tables, cursors, PREPARE (decision 93)",
        count: |text| {
            let kept = ["\"SET ", "CREATE TEMP", "DECLARE ", "\"PREPARE ", "WITH HOLD"];
            kept.iter().map(|start| text.matches(start).count()).sum::<usize>() - text.matches("\"SET LOCAL ").count()
        },
        exceptions: &[Exception {
            reason: "the settings of connections that have sessions for themselves",
            files: &[("server.rs", 1)],
        }],
    },
    Rule {
        row: "numbers of transactions",
        avoided: "a number of a transaction, a snapshot or a place in the log: those of one run of one node (decision 114)",
        count: |text| {
            let names = ["xid8", "pg_snapshot", "pg_current_xact_id", "pg_current_snapshot", "pg_walfile", "_wal_"];
            names.iter().map(|name| text.matches(name).count()).sum()
        },
        exceptions: &[],
    },
    Rule {
        row: "an interval in `SET`",
        avoided: "an interval in the SET of an UPDATE: Citus refuses to add one to a column (decision 120)",
        count: |text| statements(text).filter(|sql| has_interval_in_set(sql)).count(),
        exceptions: &[],
    },
];

/// Compares each file with the exceptions.
///
/// # Errors
///
/// When a file has more such constructs, or an exception is no longer needed.
pub(super) fn check() -> anyhow::Result<()> {
    let mut findings = Vec::new();
    let mut excepted = 0;
    for folder in FOLDERS {
        for (file, text) in files(&root().join(folder), "rs")? {
            let (name, code) = (relative(&file, folder), without_comments(without_tests(&text)));
            for rule in &RULES {
                let (found, allowed) = ((rule.count)(&code), rule.allowed(&name));
                excepted += allowed;
                if found != allowed {
                    findings.push(format!("{name}: {found} instead of {allowed} of {}", rule.avoided));
                }
            }
        }
    }
    say(&format!("SQL for Postgres alone: {excepted} named exceptions"));
    let page = fs::read_to_string(root().join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    findings.extend(miscounted(&page));
    ensure!(
        findings.is_empty(),
        "SQL that is not portable, or an exception that is not needed:\n  {}",
        findings.join("\n  ")
    );
    Ok(())
}

/// The rows of the page that do not say how often its exceptions occur.
fn miscounted(page: &str) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for rule in &RULES {
        *counts.entry(rule.row).or_insert(0) += rule.total();
    }
    let is_told = |row: &str, count: usize| {
        let mut lines = page.lines().filter(|line| line.starts_with(&format!("| {row}")));
        lines.any(|line| line.contains(&format!("| {count} time")))
    };
    let wrong = counts.into_iter().filter(|(row, count)| *count > 0 && !is_told(row, *count));
    wrong.map(|(row, count)| format!("{PAGE}: the row of {row} does not say \"{count} times\"")).collect()
}

impl Rule {
    /// The number of exceptions in all files.
    fn total(&self) -> usize {
        self.exceptions.iter().flat_map(|exception| exception.files).map(|(_, count)| count).sum()
    }

    fn allowed(&self, name: &str) -> usize {
        let files = self.exceptions.iter().inspect(|exception| assert!(!exception.reason.is_empty()));
        files.flat_map(|exception| exception.files).filter(|(file, _)| *file == name).map(|(_, count)| count).sum()
    }
}

fn relative(file: &Path, folder: &str) -> String {
    file.strip_prefix(root().join(folder)).unwrap_or(file).display().to_string()
}

/// The code without comments, of Rust and of SQL, that have a line to themselves.
fn without_comments(text: &str) -> String {
    let is_code = |line: &&str| !["//", "--"].iter().any(|start| line.trim_start().starts_with(start));
    text.lines().filter(is_code).flat_map(|line| [line.trim(), "\n"]).collect()
}

/// How often the text has the word, and not only as a part of another one.
fn words(text: &str, word: &str) -> usize {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|found| *found == word).count()
}

/// The string literals.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

fn changes_in_with(text: &str) -> usize {
    let spaced = text.replace('(', " ( ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let is_change = |pair: &&[&str]| pair[0] == "(" && ["INSERT", "UPDATE", "DELETE"].contains(&pair[1]);
    let after_as = words.windows(3).filter(|three| three[0] == "AS" && is_change(&&three[1..]));
    after_as.count()
}

fn has_interval_in_set(sql: &str) -> bool {
    let set = sql.split_once(" SET ").map_or("", |(_, rest)| rest);
    set.split("WHERE").next().is_some_and(|set| set.contains("INTERVAL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_another_count_is_found() {
        let page = "| `now()` in comparisons | 5 times: a reason |\n| locks of the session | 4 times |\n";
        let wrong = miscounted(page);
        assert!(wrong.iter().any(|finding| finding.contains("`now()`")), "{wrong:?}");
        assert!(!wrong.iter().any(|finding| finding.contains("locks")), "{wrong:?}");
    }

    fn found(rule: usize, code: &str) -> usize {
        (RULES[rule].count)(&without_comments(code))
    }

    #[test]
    fn each_rule_finds_what_it_avoids_and_nothing_else() {
        for (rule, code, count) in [
            (0, "\"SELECT ctid AS place\" // ctid\n// ctid", 2),
            (0, "\"distinctid\"", 0),
            (1, "\"WITH a AS (\n  SELECT 1\n), b AS (\n  DELETE FROM c\n)\"", 1),
            (1, "\"WITH a AS (SELECT 1), b AS (UPDATE c SET d = 1) INSERT INTO e\"", 1),
            (1, "\"WITH a AS (SELECT 1) DELETE FROM c\"", 0),
            (2, "\"SELECT now()\"; Instant::now()\n  -- now()", 1),
            (3, "\"INSERT INTO a\n SELECT * FROM unnest($1)\"; \"SELECT * FROM unnest($1)\"", 1),
            (3, "on_its_node!(\n\"INSERT INTO a SELECT * FROM unnest($1)\")", 0),
            (3, "\"INSERT INTO a SELECT b FROM unnest($1) JOIN webhook_due USING (id)\"", 0),
            (4, "\"SELECT pg_try_advisory_lock(1)\"; \"SELECT pg_advisory_xact_lock(1)\"", 1),
            (5, "\"LISTEN a; LISTEN b\"", 2),
            (6, "\"SET a = 1\"; \"SET LOCAL a = 1\"; \"UPDATE a SET b = 1\"", 1),
            (7, "\"SELECT pg_current_xact_id()\"; \"SELECT $1::pg_snapshot\"; \"SELECT transaction_id\"", 2),
            (
                8,
                "\"UPDATE a SET b = b + INTERVAL '1 s' WHERE c\"; \"UPDATE a SET b = 1 WHERE c < $1 + INTERVAL '1 s'\"",
                1,
            ),
        ] {
            assert_eq!(found(rule, code), count, "{code}");
        }
    }
}

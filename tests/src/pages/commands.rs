//! Every command on a page runs, in the order in which a reader pastes it, and its answer has the shape that the page
//! shows.
//!
//! Three remarks, each an HTML comment directly above a block, say how a block is run:
//!
//! - `<!-- keeps running; ready when it prints "..." -->`: in another terminal, until the end of the page.
//! - `<!-- not run: ... -->`: not at all, and why. The table below counts these.
//! - without a remark: to its end, in the one terminal of the page.
//!
//! A block of `json` directly after such a block is its output; each line of a block of `text` is a part of a line that
//! the block prints, in the same order.

use serde_json::Value;

use super::masked::{masked, masked_text};
use super::page::{Block, Page, pages};
use super::session::{Session, Way};

/// Makes a test of each page with commands, and a table of how many blocks run there and how many do not.
macro_rules! pages_with_commands {
    ($($name:ident: $path:literal, $run:literal, $not_run:literal;)+) => {
        const PAGES_WITH_COMMANDS: &[(&str, usize, usize)] = &[$(($path, $run, $not_run)),+];

        $(
            #[test]
            fn $name() {
                runs($path);
            }
        )+
    };
}

pages_with_commands! {
    the_readme_runs: "README.md", 7, 2;
    the_page_about_owners_runs: "docs/owners.md", 8, 0;
    the_page_about_hosts_runs: "docs/hosts.md", 12, 0;
    the_page_about_scim_runs: "docs/scim.md", 3, 0;
    the_page_about_keys_runs: "docs/keys.md", 11, 0;
    the_page_about_protection_runs: "docs/protect-your-api.md", 2, 0;
    the_page_about_starting_runs: "docs/operations/start.md", 1, 1;
    the_page_about_monitoring_runs: "docs/operations/monitoring.md", 0, 3;
    the_page_about_access_runs: "docs/operations/access.md", 0, 1;
    the_page_about_the_audit_log_runs: "docs/audit.md", 6, 1;
    the_page_about_backups_runs: "docs/backups.md", 0, 3;
    the_page_about_high_availability_runs: "docs/high-availability.md", 0, 2;
    the_page_about_installing_runs: "docs/install.md", 2, 5;
    the_page_about_moving_runs: "docs/runbooks/move-to-postgres.md", 0, 2;
    the_page_about_moving_to_shards_runs: "docs/runbooks/move-to-several-shards.md", 0, 3;
    the_page_about_operational_events_runs: "docs/webhooks/operational-events.md", 0, 1;
    the_page_about_event_types_runs: "docs/webhooks/event-types.md", 4, 0;
    the_page_about_webhooks_runs: "docs/webhooks/README.md", 14, 1;
    the_page_about_filters_runs: "docs/webhooks/filters.md", 3, 0;
    the_page_about_pulling_runs: "docs/webhooks/pull.md", 7, 0;
    the_page_about_scaling_runs: "docs/scaling.md", 0, 3;
    the_page_about_express_runs: "docs/quickstart/express.md", 0, 3;
    the_page_about_fastify_runs: "docs/quickstart/fastify.md", 0, 3;
    the_page_about_hono_runs: "docs/quickstart/hono.md", 0, 3;
    the_page_about_next_runs: "docs/quickstart/next.md", 0, 3;
    the_page_about_fastapi_runs: "docs/quickstart/fastapi.md", 0, 3;
    the_page_about_django_runs: "docs/quickstart/django.md", 0, 3;
    the_page_about_flask_runs: "docs/quickstart/flask.md", 0, 3;
    the_page_about_rust_runs: "docs/quickstart/rust.md", 5, 1;
    the_page_about_organizations_runs: "docs/organizations.md", 0, 3;
    the_page_about_the_shell_runs: "docs/webhooks/command-line.md", 3, 0;
}

/// Pages with commands that this module does not run, and why.
const PAGES_NOT_RUN: [(&str, &str); 1] =
    [("docs/writing-an-adapter.md", "the module `guide` runs them in a copy of the repository")];

/// Blocks in other languages, and the module that runs them, or that finds them in programs that run.
const RUN_ELSEWHERE: [(&str, &str, &str); 8] = [
    ("docs/add-to-your-app.md", "ts", "examples.test.mjs"),
    ("docs/add-to-your-app.md", "python", "examples.test.mjs"),
    ("docs/add-to-your-app.md", "rust", "examples.test.mjs"),
    ("docs/gateways/nginx.md", "nginx", "gateways"),
    ("docs/gateways/caddy.md", "caddyfile", "gateways"),
    ("docs/gateways/envoy.md", "yaml", "gateways"),
    ("docs/webhooks/receivers.md", "js", "receivers_page"),
    ("docs/webhooks/receivers.md", "python", "receivers_page"),
];

/// A page that is generated, and its beginning. They cannot say why their block is not run: a configuration for another
/// machine.
const GENERATED: [&str; 2] = ["docs/configuration.md", "crates/app/src/configuration/settings/introduction.md"];

#[test]
fn a_block_in_another_language_is_run_or_says_why_not() {
    for page in pages().iter().filter(|page| !GENERATED.contains(&page.path.as_str()) && !is_not_run(&page.path)) {
        let blocks = page.blocks().into_iter();
        for block in blocks.filter(|block| !["", "sh", "json", "text"].contains(&block.language.as_str())) {
            let (path, language, line) = (page.path.as_str(), block.language.as_str(), block.line);
            let is_run = RUN_ELSEWHERE.iter().any(|(page, name, _)| (*page, *name) == (path, language));
            assert!(is_run || reason_not_to_run(&block).is_some(), "{path}, line {line}: not run, and no reason");
        }
    }
}

/// The quick starts in other languages have such a test in `clients`.
#[test]
fn the_quick_start_in_rust_shows_the_example() {
    let page = pages().into_iter().find(|page| page.path == "docs/quickstart/rust.md").expect("the page is there");
    let shown = page.blocks().into_iter().find(|block| block.language == "rust").expect("a block of Rust");
    assert_eq!(shown.text, include_str!("../../../crates/client/examples/tower.rs"));
}

fn is_not_run(path: &str) -> bool {
    PAGES_NOT_RUN.iter().any(|(page, _)| *page == path)
}

/// A new block, or one that is no longer run, changes a number here, so that the change is deliberate.
#[test]
fn every_block_of_commands_is_counted() {
    let expected = |path: &str| {
        let row = PAGES_WITH_COMMANDS.iter().find(|(page, ..)| *page == path);
        row.map_or((0, 0), |(_, run, not_run)| (*run, *not_run))
    };
    let pages = pages().into_iter().filter(|page| !is_not_run(&page.path));
    let wrong: Vec<_> = pages.filter(|page| counts(page) != expected(&page.path)).collect();
    let lines: Vec<_> = wrong.iter().map(|page| format!("{}: {:?}", page.path, counts(page))).collect();
    assert!(lines.is_empty(), "blocks that run, and that do not: {lines:#?}");
}

fn counts(page: &Page) -> (usize, usize) {
    let blocks = page.blocks();
    let shell: Vec<_> = blocks.iter().filter(|block| is_shell(block)).collect();
    let not_run = shell.iter().filter(|block| reason_not_to_run(block).is_some()).count();
    (shell.len() - not_run, not_run)
}

fn is_shell(block: &Block) -> bool {
    let is_other_shell = ["bash", "shell", "console", "zsh"].contains(&block.language.as_str());
    assert!(!is_other_shell, "line {}: a block of commands is marked `sh`", block.line);
    block.language == "sh"
}

fn reason_not_to_run(block: &Block) -> Option<&str> {
    block.remark.as_deref()?.strip_prefix("not run: ")
}

fn way(block: &Block) -> Way {
    let ready = block.remark.as_deref().and_then(|remark| remark.strip_prefix("keeps running; ready when it prints "));
    ready.map_or(Way::ToItsEnd, |ready| Way::KeepsRunning { ready: ready.trim_matches('"').to_owned() })
}

/// Pastes the blocks of the page, and compares their output with the page.
fn runs(path: &str) {
    let page = pages().into_iter().find(|page| page.path == path).expect("the page is there");
    let blocks = page.blocks();
    let is_run = |block: &&Block| is_shell(block) && reason_not_to_run(block).is_none();
    let run: Vec<(&Block, Way)> = blocks.iter().filter(is_run).map(|block| (block, way(block))).collect();
    let printed = Session::new(&page).run(&run);
    for ((block, _), printed) in run.iter().zip(printed) {
        let next = blocks.iter().skip_while(|other| other.line != block.line).nth(1);
        if let Some(shown) = next {
            compare(&format!("{path}, line {}", block.line), shown, &printed);
        }
    }
}

fn compare(place: &str, shown: &Block, printed: &str) {
    match shown.language.as_str() {
        "json" => {
            let printed: Value =
                serde_json::from_str(printed).unwrap_or_else(|error| panic!("{place}: {error}: {printed}"));
            let shown: Value = serde_json::from_str(&shown.text).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(masked(&printed), masked(&shown), "{place}: what is printed, and what the page shows");
        }
        "text" => {
            let mut lines = printed.lines().map(masked_text);
            for line in shown.text.lines().map(masked_text) {
                let is_printed = lines.any(|printed| printed.contains(&line));
                assert!(is_printed, "{place}: {line:?} is not printed, or too early: {printed}");
            }
        }
        _ => {}
    }
}

//! Runs the code of `docs/webhooks/receivers.md` with the reference libraries and a real webhook.
//!
//! `cargo xtask test` installs the libraries where it can, and skips the other tests by name.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::host::{Host, setup, started};
use crate::harness::{Storage, feed, succeeded};

const PAGE: &str = include_str!("../../../docs/webhooks/receivers.md");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_javascript_verifies() {
    let main = r"
        const { secret, headers, body } = JSON.parse(await new Response(process.stdin).text());
        console.log(JSON.stringify(handle(secret, headers, body)));";
    verifies("js", "handle.mjs", main, "node".into()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_verifies() {
    let main = "
import json, sys
given = json.load(sys.stdin)
print(json.dumps(handle(given['secret'], given['headers'], given['body'])))";
    verifies("python", "handle.py", main, libraries().join("python/bin/python")).await;
}

/// The folder into which `cargo xtask test` installs the libraries.
#[expect(clippy::disallowed_methods, reason = "finds the reference libraries; not a setting of Gatepost")]
fn libraries() -> PathBuf {
    let folder = std::env::var_os("RECEIVER_LIBRARIES");
    folder.map(PathBuf::from).expect("`cargo xtask test` installs the reference libraries and sets RECEIVER_LIBRARIES")
}

/// Runs the page's code in this language on a genuine webhook, on one with a changed body, and on an old one.
async fn verifies(language: &str, name: &str, main: &str, program: PathBuf) {
    let (gatepost, receiver, consumer) = started(setup(&Storage::sqlite()).await).await;
    let (_, secret) = consumer.subscribe(&receiver.url(), &["*"]).await;
    Host(gatepost.address()).publish("alice", "invoice.paid", json!({ "invoiceId": "in_42" })).await;
    let webhook = receiver.expect(1).await.remove(0);
    let header = |name: &str| (name.to_owned(), Value::from(webhook.header(name)));
    let headers: serde_json::Map<String, Value> =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header).into_iter().collect();
    let body = String::from_utf8(webhook.body.clone()).unwrap();

    // node searches the folders above the file for the library.
    let folder = tempfile::tempdir_in(libraries()).unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, format!("{}\n{main}\n", fence(language))).unwrap();
    let run = |headers: &serde_json::Map<String, Value>, body: &str| {
        let input = json!({ "secret": secret, "headers": headers, "body": body });
        feed(Command::new(&program).arg(&file), &input.to_string())
    };

    let genuine = run(&headers, &body);
    let handled: Value = serde_json::from_str(&succeeded(&genuine)).unwrap();
    assert_eq!(handled["data"]["invoiceId"], "in_42");
    assert!(!run(&headers, &body.replace("in_42", "in_43")).status.success(), "a changed body is refused");
    let mut old = headers.clone();
    old.insert("webhook-timestamp".into(), "1614265330".into());
    assert!(!run(&old, &body).status.success(), "an old webhook is refused");
}

/// The page's code in a language.
fn fence(language: &str) -> &'static str {
    let start = format!("```{language}\n");
    let (_, after) = PAGE.split_once(&start).expect("the page has code in this language");
    after.split_once("```").expect("the code ends").0
}

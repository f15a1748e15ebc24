//! Commands that show the present state.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::Shell;
use crate::webhooks::receiver::{Behaviour, Receiver};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_shown_and_an_unknown_one_is_not_found() {
    let (_gatepost, shell) = Shell::dev().await;
    let created = shell.json("keys create CI --scope orders:read --user alice");
    let id = created["keyId"].as_str().unwrap();
    assert_eq!(shell.json(&format!("keys show {id} --user alice"))["scopes"][0], "orders:read");
    let shown = shell.succeeds(&format!("keys show {id} --user alice"));
    assert!(shown.contains("orders:read") && shown.contains("active") && shown.contains("never"), "{shown}");
    assert_eq!(shell.run(&format!("keys show {id} --user bob")).status.code(), Some(4), "the key of another user");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_listed_by_pages() {
    let (_gatepost, shell) = Shell::dev().await;
    assert_eq!(shell.succeeds("events list"), "no events");
    for event_type in ["order.created", "invoice.paid"] {
        shell.succeeds(&format!("events publish --user alice --type {event_type} --data {{}}"));
    }
    let first = shell.run("events list --limit 1");
    let (rows, remark) = (String::from_utf8_lossy(&first.stdout), String::from_utf8_lossy(&first.stderr));
    assert!(rows.contains("invoice.paid") && !rows.contains("order.created"), "{rows}");
    let cursor = remark.trim().rsplit(' ').next().unwrap();
    let second = shell.json(&format!("events list --limit 1 --cursor {cursor}"));
    assert_eq!(second["events"][0]["event"]["type"], "order.created");
    assert_eq!(shell.succeeds("events list --user bob"), "no events");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_are_followed() {
    let (_gatepost, shell) = Shell::dev().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    shell.succeeds(&format!("webhooks create {} --event * --user alice", receiver.url()));
    let mut follow = shell.command("webhooks deliveries --follow --user alice");
    let mut child = follow.stdout(Stdio::piped()).spawn().unwrap();
    for event_type in ["order.created", "invoice.paid"] {
        shell.succeeds(&format!("events publish --user alice --type {event_type} --data {{}}"));
    }
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let delivered = lines.find(|line| line.contains("invoice.paid") && line.contains("delivered"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(delivered.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overview_counts_what_a_user_has() {
    let (_gatepost, shell) = Shell::dev().await;
    shell.succeeds("keys create CI --user alice");
    shell.succeeds("keys create short --expires-at 1d --user alice");
    let overview = shell.json("overview --user alice");
    assert_eq!((&overview["activeKeys"], &overview["expiringKeys"]), (&2.into(), &1.into()), "{overview}");
    let shown = shell.succeeds("overview --user alice");
    assert!(shown.contains("2 active, 1 of them"), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_console_and_the_version_are_named() {
    let (gatepost, shell) = Shell::dev().await;
    assert_eq!(shell.succeeds("open --print"), format!("http://{}/console/", gatepost.address()));
    let version = shell.json("version")["version"].as_str().unwrap().to_owned();
    assert_eq!(shell.succeeds("version"), format!("gatepost {version}"));
    let help = String::from_utf8(shell.with("COLUMNS", "60").run("keys --help").stdout).unwrap();
    let wrapped = "  GATEPOST_URL             the URL of Gatepost; the default\n                           is the URL";
    assert!(help.contains(wrapped), "{help}");
}

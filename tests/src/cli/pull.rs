//! `gatepost pull` prints events, runs a command for each, or forwards each.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::Shell;
use crate::harness::{Gatepost, complaint, succeeded};
use crate::webhooks::receiver::{Behaviour, Receiver};

/// Fails for the third event.
const HANDLE: &str = "#!/bin/sh\nread -r event\ncase \"$event\" in *'\"n\":3}'*) exit 7 ;; esac\necho \"$event\"\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_pulled_once_and_one_whose_command_fails_comes_again() {
    let (_gatepost, shell, id) = started().await;
    let pull = format!("pull {id} --once --user alice");
    let printed = shell.succeeds(&pull);
    assert_eq!(numbers(&printed), [1, 2, 3, 4]);
    let first: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["sequence"]), (&json!("invoice.paid"), &json!(1)));
    assert!(first["id"].as_str().unwrap().starts_with("evt_") && first["timestamp"].is_string(), "{first}");
    assert_eq!(shell.succeeds(&pull), "", "all events are committed");
    assert_eq!(numbers(&shell.succeeds(&format!("{pull} --seek start"))), [1, 2, 3, 4]);
    assert_eq!(shell.succeeds(&format!("{pull} --consumer new --seek end")), "");
    let wrong = shell.run(&format!("{pull} --seek yesterday"));
    assert_eq!(wrong.status.code(), Some(2), "{}", complaint(&wrong));
    assert!(complaint(&wrong).contains("or start or end"), "{}", complaint(&wrong));
    assert_eq!(numbers(&shell.succeeds(&format!("{pull} --seek 1d"))), [1, 2, 3, 4]);

    let handle = shell.folder.join("handle");
    fs::write(&handle, HANDLE).unwrap();
    fs::set_permissions(&handle, Permissions::from_mode(0o755)).unwrap();
    let exec = format!("{pull} --consumer other --exec ./handle");
    for handled in [&[1_u64, 2][..], &[]] {
        let failed = shell.run(&exec);
        assert_eq!(failed.status.code(), Some(1), "{}", complaint(&failed));
        assert!(complaint(&failed).contains("number 3"), "{}", complaint(&failed));
        assert_eq!(numbers(&String::from_utf8_lossy(&failed.stdout)), handled);
    }
    assert_eq!(numbers(&shell.succeeds(&format!("{pull} --consumer other"))), [3, 4]);
    assert_eq!(shell.run(&format!("{pull} --exec true --forward-to 127.0.0.1:1")).status.code(), Some(2));
    let unknown = shell.run("pull sub_01h455vb4pex5vsknk084sn02q --once --user alice");
    assert_eq!(unknown.status.code(), Some(4), "{}", complaint(&unknown));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_forwarded_again_until_the_target_takes_it() {
    let (gatepost, _, id) = started().await;
    let target = Receiver::start(Behaviour::answer("500 Internal Server Error", "", "")).await;
    let (shell, url) = (Shell::in_the_folder_of(&gatepost), target.url());
    let pulling =
        tokio::task::spawn_blocking(move || shell.run(&format!("pull {id} --once --user alice --forward-to {url}")));
    target.expect(2).await;
    target.behave(Behaviour::ok());
    let output = pulling.await.unwrap();
    assert!(complaint(&output).contains("status 500; trying again in 1 s"), "{}", complaint(&output));
    assert_eq!(succeeded(&output), "");
    let webhooks = target.received();
    assert!(webhooks.iter().all(|webhook| webhook.header("content-type") == "application/json"));
    let bodies = webhooks.into_iter().map(|webhook| String::from_utf8(webhook.body).unwrap() + "\n");
    let mut forwarded = numbers(&bodies.collect::<String>());
    assert!(forwarded.starts_with(&[1, 1]), "the same event: {forwarded:?}");
    forwarded.dedup();
    assert_eq!(forwarded, [1, 2, 3, 4]);
}

/// A running instance, a shell in its folder, and a subscription of alice with four events.
async fn started() -> (Gatepost, Shell, String) {
    let (gatepost, shell) = Shell::dev().await;
    let id = shell.succeeds("webhooks create --pull --event invoice.* --user alice");
    assert!(id.starts_with("sub_") && !id.contains(char::is_whitespace), "only the id: {id}");
    for number in 1..=4 {
        let data = json!({ "n": number });
        shell.succeeds(&format!("events publish --user alice --type invoice.paid --data {data}"));
    }
    (gatepost, shell, id)
}

/// The data of the events in these lines.
fn numbers(lines: &str) -> Vec<u64> {
    let number = |line: &str| serde_json::from_str::<Value>(line).ok()?["data"]["n"].as_u64();
    lines.lines().map(|line| number(line).unwrap_or_else(|| panic!("not an event: {line}"))).collect()
}

//! `gatepost webhooks`, `gatepost events` and `gatepost listen`, used by a person and by a script: the real binary is a
//! client of the real binary.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cli::Shell;
use crate::harness::{Request, Setup, Storage, assert_failed, complaint, eventually, free_address, succeeded, until};
use crate::webhooks::host::{Host, OPERATOR_TOKEN, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};
use crate::webhooks::three_calls::verify;

const DATA: &str = r#"{"amount":12.50,"id":9007199254740993}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_receives_and_forwards_an_event_of_dev() {
    let (gatepost, shell) = Shell::dev().await;
    let target = Receiver::start(Behaviour::answer("201 Created", "x-mine: yes\r\n", "stored")).await;
    let mut listening = listen(&shell, &format!("listen --user alice --forward-to {}", target.url())).await;

    let published = succeeded(&shell.publish("alice", "invoice.paid", DATA));
    let event = published.split_whitespace().next().unwrap();
    assert!(event.starts_with("evt_") && published.ends_with("1 delivery"), "{published}");

    let webhook = target.expect(1).await.remove(0);
    assert_eq!((webhook.path.as_str(), webhook.header("webhook-id")), ("/hook", event));
    assert_eq!(webhook.header("content-type"), "application/json");
    assert!(webhook.header("user-agent").starts_with("Gatepost/") && !webhook.header("webhook-signature").is_empty());
    assert_eq!(webhook.header("host"), target.address().to_string());
    let body = String::from_utf8(webhook.body).unwrap();
    assert!(body.ends_with(&format!(r#""data":{DATA}}}"#)), "byte for byte: {body}");

    let line = listening.shows(event).await;
    assert!(line.starts_with("20") && line.contains("invoice.paid") && line.ends_with("201"), "{line}");
    let delivery = eventually("it is delivered", async || {
        let deliveries = shell.json("webhooks deliveries --user alice --state delivered");
        deliveries["deliveries"].as_array()?.first().cloned()
    })
    .await;
    assert_eq!((&delivery["eventId"], &delivery["attempts"]), (&json!(event), &json!(1)));
    let counted = json!({"delivered": 1, "retried": 0, "exhausted": 0});
    let outcomes = "webhooks outcomes --user alice --hours 2";
    until("it is counted", async || shell.json(outcomes)["total"] == counted).await;
    let alice = shell.succeeds("token --user alice");
    let detail = format!("/api/webhooks/deliveries/{}", delivery["id"].as_str().unwrap());
    let detail = gatepost.send(&Request::new("GET", &detail).bearer(&alice)).await.json();
    let attempt = &detail["attempts"][0];
    assert_eq!((&attempt["status"], &attempt["response"]), (&json!(201), &json!("stored")), "the answer of the target");
    assert!(shell.succeeds("webhooks list --user alice").contains("gatepost listen"));

    listening.signal("INT");
    assert_eq!(listening.exited().await.code(), Some(0), "{}", listening.complaint());
    assert_eq!(shell.succeeds("webhooks list --user alice"), "no subscriptions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_of_dev_is_short() {
    let gatepost = Setup::dev().await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).start().await;
    let shell = Shell::in_the_folder_of(&gatepost);
    let target = Receiver::start(Behaviour::answer("500 Internal Server Error", "", "")).await;
    shell.succeeds(&format!("webhooks create {} --event * --user alice", target.url()));
    for _ in 0..5 {
        Host(gatepost.address()).publish("alice", "a", Value::Null).await;
    }
    target.expect(5).await;
    let paused = Instant::now();
    // The first of them is due again after 5 s.
    target.expect(6).await;
    assert!(paused.elapsed() < Duration::from_secs(15), "the pause took {:?}", paused.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_dev_prints_about_webhooks_works_when_pasted() {
    let gatepost = Setup::dev().await.start().await;
    let complete = async || Some(gatepost.written()).filter(|all| all.contains("/api/webhooks/subscriptions"));
    let welcome = eventually("the welcome is printed", complete).await;
    let (command, address) = ("gatepost listen --user alice", gatepost.address().to_string());
    assert!(welcome.lines().any(|line| line.trim() == command), "{welcome}");
    let listening = listen(&Shell::in_the_folder_of(&gatepost), "listen --user alice").await;

    let is_pasted = |line: &&str| ["ID_TOKEN=", "OPERATOR_TOKEN="].iter().any(|start| line.starts_with(start));
    let tokens: Vec<&str> = welcome.lines().filter(is_pasted).collect();
    assert_eq!(tokens.len(), 2, "{welcome}");
    let paste = |path: &str| -> Value {
        let url = format!("http://{address}{path} ");
        let curl = welcome.lines().find(|line| line.starts_with("curl") && line.contains(&url)).unwrap();
        let output = Command::new("sh").args(["-c", &format!("{}\n{curl}", tokens.join("\n"))]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", complaint(&output)))
    };
    let published = paste("/api/operator/events");
    assert_eq!(published["deliveries"], 1, "{published}");
    listening.shows(published["event"]["id"].as_str().unwrap()).await;
    let subscribed = paste("/api/webhooks/subscriptions");
    assert!(subscribed["secret"].as_str().unwrap().starts_with("whsec_"), "{subscribed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listening_shows_payloads_and_takes_only_what_gatepost_signed() {
    let (_gatepost, shell) = Shell::dev().await;
    let mut listening = listen(&shell, "listen --user alice --json --events invoice.* order.created").await;
    let remark = listening.complains("Ctrl-C").await;
    let url = remark.split_whitespace().find(|word| word.starts_with("http://")).unwrap();

    let forged = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", url, "-d", r#"{"type":"forged"}"#];
    let curl = |more: &[&str]| {
        let output = Command::new("curl").args(forged).args(more).output();
        String::from_utf8(output.expect("curl runs: apt-get install -y curl").stdout).unwrap()
    };
    let signature = "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(curl(&[]), "401");
    assert_eq!(curl(&["-H", "webhook-id: evt_1", "-H", "webhook-timestamp: 1614265330", "-H", signature]), "401");

    for event_type in ["invoice.paid", "order.cancelled", "order.created"] {
        succeeded(&shell.publish("alice", event_type, DATA));
    }
    succeeded(&shell.publish("bob", "invoice.paid", DATA));
    let shown: Value = serde_json::from_str(&listening.shows("order.created").await).unwrap();
    assert_eq!(shown["payload"]["type"], "order.created");
    assert!(shown["payload"]["data"]["amount"] == json!(12.5) && shown.get("forwarded").is_none(), "{shown}");
    listening.shows("invoice.paid").await;
    listening.signal("TERM");
    assert_eq!(listening.exited().await.code(), Some(0), "{}", listening.complaint());
    let shown = listening.shown();
    assert_eq!(shown.lines().count(), 2, "not the forged event, and no event of another type or user: {shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listening_keeps_its_secret_prints_it_on_request_and_survives_sighup() {
    let (_gatepost, shell) = Shell::dev().await;
    let mut secrets = Vec::new();
    for _ in 0..2 {
        let mut listening = listen(&shell, "listen --user alice --print-secret").await;
        let line = listening.complains("whsec_").await;
        secrets.push(line.split_whitespace().last().unwrap().to_owned());
        listening.signal("HUP");
        succeeded(&shell.publish("alice", "invoice.paid", DATA));
        listening.shows("invoice.paid").await;
        listening.signal("INT");
        assert_eq!(listening.exited().await.code(), Some(0), "{}", listening.complaint());
    }
    assert_eq!(secrets[0], secrets[1]);
    let listening = listen(&shell, "listen --user alice").await;
    assert!(!listening.complaint().contains("whsec_"), "{}", listening.complaint());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_target_is_reported_and_retried() {
    let gatepost = Setup::dev().await.with("WEBHOOK_RETRY_SCHEDULE", "1s").start().await;
    let shell = Shell::in_the_folder_of(&gatepost);
    let address = free_address();
    let listening = listen(&shell, &format!("listen --user alice --forward-to http://{address}/hook")).await;
    succeeded(&shell.publish("alice", "invoice.paid", DATA));
    let line = listening.shows("invoice.paid").await;
    assert!(line.contains("not forwarded"), "{line}");
    let target = Receiver::start_at(address, Behaviour::ok()).await;
    target.expect(1).await;
    until("the answer is shown", async || listening.shown().lines().any(|line| line.ends_with("200"))).await;
}

/// Five failures pause the subscription for 30 s, and the second retry is five minutes later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_target_gets_its_webhooks_as_soon_as_it_answers() {
    let (_gatepost, shell) = Shell::dev().await;
    let address = free_address();
    let listening = listen(&shell, &format!("listen --user alice --forward-to http://{address}/hook")).await;
    for _ in 0..6 {
        succeeded(&shell.publish("alice", "invoice.paid", DATA));
    }
    listening.complains("Gatepost pauses").await;
    until("five deliveries have failed", async || listening.shown().lines().count() >= 5).await;
    let start = Instant::now();
    let target = Receiver::start_at(address, Behaviour::ok()).await;
    target.expect(6).await;
    listening.complains("webhooks are sent again").await;
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_cannot_be_deleted_is_named() {
    let (mut gatepost, shell) = Shell::dev().await;
    let mut listening = listen(&shell, "listen --user alice").await;
    gatepost.kill().await;
    listening.signal("INT");
    assert_eq!(listening.exited().await.code(), Some(5), "Gatepost does not answer");
    let complaint = listening.complaint();
    let command = complaint.split('`').find(|part| part.starts_with("gatepost webhooks delete")).unwrap();
    gatepost.start_again().await;
    let shell = Shell::in_the_folder_of(&gatepost);
    shell.succeeds(command.strip_prefix("gatepost ").unwrap());
    assert_eq!(shell.succeeds("webhooks list --user alice"), "no subscriptions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_is_created_tested_and_retried_with_an_api_key() {
    let storage = Storage::sqlite();
    let gatepost = setup(&storage).await.with("WEBHOOK_RETRY_SCHEDULE", "").start().await;
    let receiver = Receiver::start(Behaviour::answer("500 Internal Server Error", "", "")).await;
    let (key, _) = gatepost.user("alice").created("CLI").await;
    let shell = Shell::beside(&gatepost).with("GATEPOST_API_KEY", &key);

    let created = shell.run(&format!("webhooks create {} --event invoice.* --event order.created", receiver.url()));
    let secret = succeeded(&created);
    assert!(secret.starts_with("whsec_") && !secret.contains(char::is_whitespace), "only the secret: {secret}");
    let id = complaint(&created).split_whitespace().find(|word| word.starts_with("sub_")).unwrap().to_owned();
    let listed = shell.succeeds("webhooks list");
    assert!([&id, &receiver.url(), "enabled", "invoice.* order.created"].iter().all(|part| listed.contains(*part)));
    assert!(!listed.contains(&secret), "the secret is shown once");

    assert!(shell.succeeds(&format!("webhooks test {id}")).contains(&id));
    let webhook = receiver.expect(1).await.remove(0);
    verify(&secret, &webhook).expect("the secret signs");

    let failed = format!("webhooks deliveries --subscription {id} --state failed --event-type webhook.test");
    let delivery = eventually("the test fails", async || {
        let deliveries = shell.json(&failed);
        Some(deliveries["deliveries"].as_array()?.first()?["id"].as_str()?.to_owned())
    })
    .await;
    let table = shell.succeeds(&failed);
    assert!(table.contains(&delivery) && table.contains("failed schedule_spent"), "{table}");
    receiver.behave(Behaviour::ok());
    let unknown = "dlv_01h455vb4pex5vsknk084sn02q";
    let retried = shell.run(&format!("webhooks retry {unknown} {delivery}"));
    assert_eq!(retried.status.code(), Some(1), "one of the ids is unknown");
    assert!(complaint(&retried).contains("delivery_not_found") && complaint(&retried).contains("1 of 2 calls"));
    assert_eq!(String::from_utf8_lossy(&retried.stdout).trim(), format!("{delivery} is due now"));
    receiver.expect(2).await;

    assert_failed(&shell.run("webhooks test sub_unknown"), 4, "subscription_not_found");
    shell.succeeds(&format!("webhooks delete {id} --yes"));
    assert_eq!(shell.json("webhooks list"), json!({ "subscriptions": [] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_published_by_the_operator_from_a_file_or_a_pipe() {
    let storage = Storage::sqlite();
    let gatepost = setup(&storage).await.start().await;
    let shell = Shell::beside(&gatepost).with("GATEPOST_OPERATOR_TOKEN", OPERATOR_TOKEN);
    std::fs::write(gatepost.folder().join("data.json"), format!("{DATA}\n")).unwrap();
    let publish = |data: &str, input: &str| {
        let event = "--user alice --type invoice.paid --id in_42-paid";
        shell.feed(&format!("events publish {event} --json --data {data}"), input)
    };
    let first: Value = serde_json::from_str(&succeeded(&publish("@data.json", ""))).unwrap();
    assert_eq!((&first["event"]["userId"], &first["event"]["type"]), (&json!("alice"), &json!("invoice.paid")));
    assert_eq!((&first["deliveries"], first.get("duplicate")), (&json!(0), None));
    let again: Value = serde_json::from_str(&succeeded(&publish("-", DATA))).unwrap();
    assert_eq!((&again["event"], &again["duplicate"]), (&first["event"], &json!(true)), "the same bytes");
    assert_failed(&publish("{}", ""), 3, "event_conflict");
    assert_failed(&publish("-1", ""), 3, "event_conflict");
    assert_failed(&publish("{", ""), 1, "the data is not JSON");
    assert_failed(&publish("@missing.json", ""), 1, "missing.json");
    assert_failed(&shell.publish("alice", "no type", DATA), 3, "type");
    let wrong = shell.with("GATEPOST_OPERATOR_TOKEN", "not-the-operator-token-0123456789");
    assert_failed(&wrong.publish("alice", "invoice.paid", DATA), 3, "credential_invalid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_go_to_standard_error() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);
    for usage in [
        "webhooks",
        "webhooks create http://127.0.0.1:9000/",
        "webhooks deliveries --state lost",
        "webhooks deliveries --limit 201",
        "webhooks retry",
        "events publish --user alice --type a",
        "listen --forward-to ftp://127.0.0.1/",
    ] {
        assert_failed(&shell.run(usage), 2, "");
    }
    assert_failed(&shell.run("webhooks list"), 78, "GATEPOST_API_KEY");
    assert_failed(&shell.run("listen"), 78, "GATEPOST_API_KEY");
    assert_failed(&shell.publish("alice", "a", "1"), 78, "GATEPOST_OPERATOR_TOKEN");
    let two_words = shell.with("GATEPOST_API_KEY", "sword fish");
    assert_failed(&two_words.run("webhooks list"), 78, "GATEPOST_API_KEY");
    assert!(!complaint(&two_words.run("webhooks list")).contains("sword fish"), "a secret is not shown");
    assert_failed(&shell.run("webhooks create ftp://127.0.0.1/ --event * --user alice"), 3, "url");
    assert_failed(&shell.run("listen --events in*voice --user alice"), 3, "events");
    let nowhere = format!("http://{}", free_address());
    let away = shell.with("GATEPOST_URL", &nowhere).with("GATEPOST_API_KEY", "svc_live_1");
    assert_failed(&away.run("webhooks list"), 5, &nowhere);
}

/// Starts this command, and waits until it listens.
async fn listen(shell: &Shell, line: &str) -> Listening {
    let log = |name: &str| File::create(shell.folder.join(name)).expect("creates a log");
    let child = shell.command(line).stdout(log("listen.out")).stderr(log("listen.err")).spawn();
    let listening = Listening { child: child.expect("the binary starts"), folder: shell.folder.clone() };
    listening.complains("Ctrl-C").await;
    listening
}

/// A running `gatepost listen`. Dropping the value kills the process.
struct Listening {
    child: Child,
    folder: PathBuf,
}

impl Listening {
    fn shown(&self) -> String {
        std::fs::read_to_string(self.folder.join("listen.out")).unwrap()
    }

    fn complaint(&self) -> String {
        std::fs::read_to_string(self.folder.join("listen.err")).unwrap()
    }

    /// Waits for a complete line on standard output that contains this text.
    async fn shows(&self, what: &str) -> String {
        eventually(&format!("{what} is shown"), async || whole_line(&self.shown(), what)).await
    }

    /// Waits for a complete line on standard error that contains this text.
    async fn complains(&self, what: &str) -> String {
        eventually(&format!("{what} is remarked"), async || whole_line(&self.complaint(), what)).await
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success(), "{kill}");
    }

    async fn exited(&mut self) -> ExitStatus {
        eventually("listening ends", async || self.child.try_wait().expect("a child of this process")).await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn whole_line(text: &str, what: &str) -> Option<String> {
    let line = text.split_inclusive('\n').find(|line| line.ends_with('\n') && line.contains(what));
    line.map(|line| line.trim_end().to_owned())
}

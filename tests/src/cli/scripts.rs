//! A script tells failures apart by their exit code, and reads them as problem documents.

use std::fs::OpenOptions;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use super::Shell;
use crate::harness::{complaint, free_address};

const UNKNOWN_KEY: &str = "key_01h455vb4pex5vsknk084sn02q";

/// The problem document, which is alone on standard error.
#[track_caller]
fn problem(output: &Output, code: i32) -> Value {
    let written = complaint(output);
    assert_eq!(output.status.code(), Some(code), "{written}");
    assert!(output.stdout.is_empty(), "errors go to standard error");
    serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_have_their_own_exit_codes_and_are_problem_documents() {
    let (_gatepost, shell) = Shell::dev().await;
    let not_found = problem(&shell.run(&format!("keys revoke {UNKNOWN_KEY} --user alice --yes --json")), 4);
    assert_eq!((&not_found["status"], &not_found["code"]), (&json!(404), &json!("key_not_found")));
    assert!(not_found["requestId"].is_string() && not_found["type"] == "/docs/errors/key_not_found", "{not_found}");

    let refused = problem(&shell.run("keys create  --user alice --json"), 3);
    assert_eq!((&refused["status"], &refused["errors"][0]["field"]), (&json!(400), &json!("label")), "{refused}");

    let nowhere = shell.with("GATEPOST_URL", &format!("http://{}", free_address())).with("GATEPOST_ID_TOKEN", "a.b.c");
    assert_eq!(problem(&nowhere.run("keys list --json"), 5)["code"], "unavailable");
    assert_eq!(problem(&nowhere.run("token --user alice --json"), 5)["code"], "unavailable");
    assert_eq!(problem(&shell.run("webhooks list --json"), 78)["code"], "configuration_invalid");
    let usage = problem(&shell.run("keys create --json"), 2);
    assert!(usage["code"] == "usage" && usage["detail"].as_str().unwrap().contains("<LABEL>"), "{usage}");
    for document in [not_found, refused, usage] {
        assert!(["title", "code", "detail"].iter().all(|member| document[*member].is_string()), "{document}");
    }
}

/// The secret is lost, so the user must know which key to revoke.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_or_a_closed_pipe_hides_no_id() {
    let (_gatepost, shell) = Shell::dev().await;
    for line in ["keys create CI --user alice", "keys create CI --user alice --json"] {
        let (full, (_, closed)) = (OpenOptions::new().write(true).open("/dev/full").unwrap(), std::io::pipe().unwrap());
        for (stdout, succeeds) in [(Stdio::from(full), false), (Stdio::from(closed), true)] {
            let output = shell.command(line).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
            let id = shell.json("keys list --user alice")["keys"][0]["id"].as_str().unwrap().to_owned();
            assert!(output.status.success() == succeeds && complaint(&output).contains(&id), "{id}: {output:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_undone_needs_yes_where_nobody_can_confirm() {
    let (_gatepost, shell) = Shell::dev().await;
    let id = shell.json("keys create CI --user alice")["keyId"].as_str().unwrap().to_owned();
    for line in [
        &format!("keys revoke {id} --user alice"),
        "keys revoke --all-of alice",
        "webhooks delete sub_01h455vb4pex5vsknk084sn02q --user alice",
        "webhooks cancel dlv_01h455vb4pex5vsknk084sn02q --user alice",
    ] {
        let output = shell.feed(line, "y\n");
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert!(complaint(&output).contains("add --yes"), "{output:?}");
        assert_eq!(problem(&shell.run(&format!("{line} --json")), 2)["code"], "usage");
    }
    assert_eq!(shell.json("keys list --user alice")["keys"][0]["revokedAt"], Value::Null, "no call was made");
    shell.succeeds(&format!("keys revoke {id} --user alice -y"));
    assert!(shell.json("keys list --user alice")["keys"][0]["revokedAt"].is_string());
}

//! The output on a terminal, which `script` gives the command.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::Shell;
use crate::harness::free_address;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_confirms_what_cannot_be_undone() {
    let (gatepost, shell) = Shell::dev().await;
    let id = shell.json("keys create CI --user alice")["keyId"].as_str().unwrap().to_owned();
    let revoke = format!("keys revoke {id} --user alice");
    for answer in ["n\n", "\n", "maybe\n"] {
        let (shown, success) = shell.on_terminal(100, &revoke, ("[y/N] ", answer));
        let question = format!("revoke {id} at http://{}? This cannot be undone. [y/N]", gatepost.address());
        assert!(shown.contains(&question) && shown.contains("nothing is changed") && !success, "{shown}");
    }
    assert!(shell.succeeds("keys list --user alice").contains("active"));
    let (shown, success) = shell.on_terminal(100, &revoke, ("[y/N] ", "y\n"));
    assert!(success && shown.contains(&format!("{id} is revoked")), "{shown}");
    assert!(shell.json("keys list --user alice")["keys"][0]["revokedAt"].is_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_fit_the_terminal_and_times_are_relative() {
    let (_gatepost, shell) = Shell::dev().await;
    let label = "a-label-that-is-longer-than-what-is-left-of-the-terminal-0123456789";
    let id = shell.json(&format!("keys create {label} --expires-at 90d --user alice"))["keyId"].clone();
    let id = id.as_str().unwrap();
    for (columns, shows_label) in [(200, true), (110, false), (60, true)] {
        let (shown, success) = shell.on_terminal(columns, "keys list --user alice", ("", ""));
        assert!(success && shown.contains(id) && shown.contains("expires in 89d"), "{shown}");
        assert_eq!(shown.contains(label), shows_label, "{columns} columns: {shown}");
        let is_wide = |line: &str| !line.contains(label) && line.chars().count() > usize::from(columns);
        assert!(!shown.lines().any(is_wide), "{columns} columns: {shown}");
    }
    let piped = shell.succeeds("keys list --user alice");
    assert!(piped.contains(label) && piped.contains("expires 20") && piped.contains('Z'), "a pipe gets all: {piped}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credential_that_is_typed_is_not_shown() {
    let (_gatepost, shell) = Shell::dev().await;
    let key = shell.json("keys create CI --user alice")["key"].as_str().unwrap().to_owned();
    let (shown, success) = shell.on_terminal(100, "keys verify", ("not shown): ", &format!("{key}\n")));
    assert!(success && shown.contains("valid: key_") && !shown.contains(&key), "{shown}");
    let (shown, success) = shell.on_terminal(100, "keys verify", ("not shown): ", "\u{3}"));
    assert!(!success && shown.contains("nothing was typed"), "Ctrl-C ends it, and the terminal is as before: {shown}");
}

/// The opener of the test notes the URL, and stops the server that started it.
#[test]
fn a_key_opens_the_console_of_dev() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address().to_string());
    let opener = folder.path().join("xdg-open");
    fs::write(&opener, "#!/bin/sh\necho \"$1\" >> opened\nkill -TERM $PPID\n").unwrap();
    fs::set_permissions(&opener, Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let environment = vec![("LISTEN".to_owned(), address.clone()), ("PATH".to_owned(), path)];
    let shell = Shell { folder: folder.path().to_owned(), environment };
    let (shown, success) = shell.on_terminal(200, "dev", ("o and Enter open the console.", "what\no\n"));
    assert!(success, "{shown}");
    assert_eq!(fs::read_to_string(folder.path().join("opened")).unwrap(), format!("http://{address}/console/\n"));
}

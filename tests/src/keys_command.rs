//! `gatepost keys`, used by a person and by a script: the real binary is a client of the real binary.

use serde_json::{Value, json};

use crate::cli::Shell;
use crate::harness::{Setup, Storage, User, assert_failed, complaint, free_address, succeeded, until};

const OPERATOR_TOKEN: &str = "operator-token-of-the-suite-0123456789";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_creates_verifies_rotates_and_revokes_keys() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);

    let created = shell.words(&["keys", "create", "CI deploy", "--scope", "orders:read", "--user", "alice"], "");
    let key = succeeded(&created);
    assert!(key.starts_with("svc_live_") && !key.contains(char::is_whitespace), "only the key, for a pipe: {key}");
    let id = complaint(&created).split_whitespace().find(|word| word.starts_with("key_")).unwrap().to_owned();

    let verified = succeeded(&shell.feed("keys verify --scope orders:read", &format!("{key}\n")));
    assert!(verified.contains(&id) && verified.contains("alice") && verified.contains("CI deploy"), "{verified}");
    let narrow = shell.feed("keys verify --scope orders:write", &key);
    assert_failed(&narrow, 1, "orders:write");

    let listed = shell.succeeds("keys list --user alice");
    assert!(listed.contains(&id) && listed.contains("active"), "{listed}");
    assert_eq!(shell.succeeds("keys list --user bob"), "no keys");

    let successor = shell.succeeds(&format!("keys rotate {id} --overlap-seconds 3600 --user alice"));
    for good in [&key, &successor] {
        succeeded(&shell.feed("keys verify", good));
    }
    let revoked = shell.succeeds(&format!("keys revoke {id} --user alice --yes"));
    assert!(revoked.contains(&id), "{revoked}");
    assert_failed(&shell.feed("keys verify", &key), 1, "not valid");
    succeeded(&shell.feed("keys verify", &successor));
    assert!(shell.succeeds("keys list --user alice").contains("revoked 2"));
    until("what was verified is counted", async || {
        let usage = shell.succeeds(&format!("keys usage {id} --hours 2 --user alice"));
        let total = usage.lines().last().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        total == "total 3 0 1"
    })
    .await;
    until("the active key alone", async || {
        let uses = shell.succeeds("keys usage --user alice");
        let rows = uses.lines().skip(1).map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>());
        rows.collect::<Vec<_>>() == [["2", "2", "2"]]
    })
    .await;
    assert_eq!(shell.succeeds("keys usage --user bob"), "no active keys");
    assert_failed(&shell.run("keys usage --hours 2 --user alice"), 2, "KEY_ID");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_json_for_a_script() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);
    let verify = |line: &str, key: &str| -> Value {
        let output = shell.feed(&format!("{line} --json"), key);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}: {output:?}"))
    };
    let create = shell.json("keys create CI --scope orders:read --user alice");
    let (key, id) = (create["key"].as_str().unwrap(), create["keyId"].as_str().unwrap());
    let expected = json!({ "userId": "alice", "keyId": id, "label": "CI", "scopes": ["orders:read"] });
    assert_eq!(verify("keys verify", key), json!({ "good": true, "key": expected }));
    assert_eq!(verify("keys verify --scope other", key), json!({ "good": false, "key": expected }));
    let list = shell.json("keys list --user alice");
    let names: Vec<_> = list["keys"][0].as_object().unwrap().keys().map(String::as_str).collect();
    let contract = ["createdAt", "id", "label", "lastUsedAt", "prefix", "revokedAt", "scopes"];
    assert_eq!(names, contract, "the fields of the API");
    let rotate = shell.json(&format!("keys rotate {id} --user alice"));
    assert_ne!(rotate["keyId"], create["keyId"]);
    assert!(shell.json(&format!("keys revoke {id} --user alice --yes"))["revokedAt"].is_string());
    assert_eq!(verify("keys verify", key), json!({ "good": false }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_comes_from_the_environment_or_a_file() {
    let storage = Storage::sqlite();
    let gatepost = Setup::serve(&storage).await.start().await;
    let shell = Shell::beside(&gatepost);
    let alice = gatepost.provider().token("alice");
    let file = gatepost.folder().join("id-token");
    std::fs::write(&file, format!("{alice}\n")).unwrap();

    let key = shell.with("GATEPOST_ID_TOKEN", &alice).succeeds("keys create alice's");
    let in_file = shell.with("GATEPOST_ID_TOKEN_FILE", file.to_str().unwrap());
    assert!(in_file.succeeds("keys list").contains("alice's"));
    succeeded(&shell.feed("keys verify", &key));

    let expired = gatepost.provider().token_with("alice", &json!({ "exp": 1 }));
    let refused = shell.with("GATEPOST_ID_TOKEN", &expired).run("keys list");
    assert_failed(&refused, 3, "credential_invalid");
    assert!(!complaint(&refused).contains(&expired), "no token is shown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_lists_and_revokes_the_keys_of_any_user() {
    let storage = Storage::sqlite();
    let gatepost = Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).start().await;
    let alice: User = gatepost.user("auth0|alice");
    let (key, id) = alice.created("alice's").await;
    let operator = Shell::beside(&gatepost).with("GATEPOST_OPERATOR_TOKEN", OPERATOR_TOKEN);

    assert!(operator.succeeds("keys list --user auth0|alice").contains(&id));
    assert_failed(&operator.run(&format!("keys revoke {id} --user bob --yes")), 3, "key_not_owned");
    operator.succeeds(&format!("keys revoke {id} --user auth0|alice --yes"));
    assert_failed(&operator.feed("keys verify", &key), 1, "not valid");

    for label in ["one", "two"] {
        alice.created(label).await;
    }
    let (others, _) = gatepost.user("bob").created("bob's").await;
    let all = "keys revoke --all-of auth0|alice --yes";
    let early = operator.succeeds(&format!("{all} --created-before 2001-01-01T00:00:00Z"));
    assert_eq!(early, "0 keys of user auth0|alice revoked");
    assert_eq!(operator.succeeds(all), "2 keys of user auth0|alice revoked");
    assert_eq!(operator.succeeds(&format!("{all} --json")), r#"{"revokedCount":0}"#);
    succeeded(&operator.feed("keys verify", &others));
    assert_eq!(operator.succeeds("keys list --for-user auth0|alice").lines().count(), 4, "a head, three keys");
    let wrong = operator.with("GATEPOST_OPERATOR_TOKEN", "not-the-operator-token-0123456789");
    assert_failed(&wrong.run("keys list --user auth0|alice"), 3, "credential_invalid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_and_the_operator_manage_the_keys_of_an_organization() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);
    let token = gatepost.folder().join("gatepost-data/operator.token");
    let operator = shell.with("GATEPOST_OPERATOR_TOKEN_FILE", token.to_str().unwrap());

    operator.succeeds("keys create member's --user carol --organization acme");
    operator.succeeds("keys create host's --for-organization acme");
    for (shell, owner) in [(&shell, "--user dave --organization acme"), (&operator, "--for-organization acme")] {
        let keys = shell.succeeds(&format!("keys list {owner}"));
        assert!(keys.contains("member's") && keys.contains("host's"), "{keys}");
    }
    assert_eq!(shell.succeeds("keys list --user carol"), "no keys", "the organization owns the key");
    assert_failed(&shell.run("keys list --user bob --organization acme"), 4, "organization_not_found");
    let two = operator.run("keys list --for-organization acme --for-user carol");
    assert_failed(&two, 2, "cannot be used with");
    let all = operator.succeeds("keys revoke --all-of-organization acme --yes");
    assert_eq!(all, "2 keys of organization acme revoked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_go_to_standard_error() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);
    for usage in [
        "keys",
        "keys sing",
        "keys create",
        "keys revoke",
        "keys revoke key_1 --all-of alice",
        "keys revoke key_1 --created-before 2001-01-01T00:00:00Z",
        "keys rotate key_1 --overlap-seconds soon",
        "keys verify svc_live_a-key-is-no-argument",
    ] {
        assert_failed(&shell.run(usage), 2, "");
    }
    assert_failed(&shell.run("keys list"), 78, "you are not logged in; run `gatepost login`");
    assert_failed(&shell.with("GATEPOST_URL", "ftp://keys.example").run("keys list"), 78, "GATEPOST_URL");
    assert_failed(&shell.with("GATEPOST_ID_TOKEN_FILE", "/does/not/exist").run("keys list"), 78, "GATEPOST_ID_TOKEN");
    assert_failed(&shell.words(&["keys", "create", " ", "--user", "alice"], ""), 3, "label");
    let past = shell.run("keys create CI --expires-at 2001-01-01T00:00:00Z --user alice");
    assert_failed(&past, 3, "expiresAt");
    assert_failed(&shell.run("keys revoke key_unknown --user alice --yes"), 4, "key_not_found");
    for no_key in ["", "\n", "two words", "a.b.c", &"a".repeat(5_000)] {
        assert_failed(&shell.feed("keys verify", no_key), 1, "");
    }
    let nowhere = format!("http://{}", free_address());
    let away = shell.with("GATEPOST_URL", &nowhere).with("GATEPOST_ID_TOKEN", "a.b.c");
    assert_failed(&away.run("keys list"), 5, &nowhere);
    assert_failed(&shell.with("GATEPOST_URL", &nowhere).feed("keys verify", "svc_live_1"), 5, &nowhere);
}

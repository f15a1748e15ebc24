//! A host suspends a customer: every instance refuses the customer in time, deliveries wait, and the end of it undoes all.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::harness::{
    Connection, Gatepost, Request, Storage, contains, database_files, eventually, in_time, on_both_databases,
    own_server, run_gatepost, until,
};
use crate::webhooks::host::{Consumer, Host, by_host, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

on_both_databases!(
    a_suspended_customer_waits_and_goes_on,
    a_maximum_of_a_customer_holds_at_once,
    rate_limits_of_a_customer_hold_on_every_instance,
    whom_the_provider_deactivates_is_refused_everywhere,
    keys_of_an_organization_end_with_their_member_if_the_settings_say_so,
);

/// The bound on the other instances: a second, and the time of a request on a busy machine.
const REFUSED_WITHIN: Duration = Duration::from_millis(1_500);
/// How long nothing may arrive.
const QUIET: Duration = Duration::from_secs(3);

async fn set_state(gatepost: &Gatepost, owner: &str, body: Value) -> Value {
    let answer = gatepost.send(&by_host("PUT", &format!("{owner}/state")).json(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Waits for the end of the erasure of a user.
async fn erased(gatepost: &Gatepost, user: &str) {
    let ended = by_host("GET", &format!("audit?userId={user}&action=owner.erased"));
    let count = async || gatepost.send(&ended).await.json()["events"].as_array().map(Vec::len);
    until("the end of the erasure", async || count().await == Some(1)).await;
}

/// Suspends on one instance, asks on the other. SQLite has one instance, which is both.
async fn a_suspended_customer_waits_and_goes_on(storage: Storage) {
    let setup = setup(&storage).await;
    let here = setup.clone().start().await;
    let twin = if storage.url().starts_with("postgres") { Some(setup.twin().start().await) } else { None };
    let there = twin.as_ref().unwrap_or(&here);
    let receiver = Receiver::start(Behaviour::ok()).await;
    let (alice, host) = (Consumer::new(&here, "alice").await, Host(here.address()));
    let (alice_there, user) = (alice.at(there.address()), here.user("alice").at(there.address()));
    let bob = Consumer::new(&here, "bob").await.at(there.address());
    alice.subscribe(&receiver.url(), &["order.*"]).await;
    host.publish("alice", "order.paid", json!("before")).await;
    receiver.expect(1).await;
    let whoami = || Request::new("GET", "/api/whoami");
    for consumer in [&alice, &alice_there, &bob] {
        assert_eq!(consumer.send(whoami()).await.status, 200);
    }
    let unknown = there.whoami("svc_live_unknown").await.json()["code"].clone();

    let suspended = set_state(&here, "users/alice", json!({ "state": "suspended", "reason": "unpaid" })).await;
    let answered = Instant::now();
    assert_eq!(suspended["state"]["reason"], "unpaid");
    assert_eq!(alice.send(whoami()).await.status, 401, "at once where it was suspended");
    let key_gets = async |status: u16| alice_there.send(whoami()).await.status == status;
    let token_gets = async |status: u16| user.list().await.status == status;
    in_time(answered, REFUSED_WITHIN, "the other instance refuses the key", async || key_gets(401).await).await;
    in_time(answered, REFUSED_WITHIN, "the other instance refuses the ID token", async || token_gets(403).await).await;
    assert_eq!(user.list().await.json()["code"], "owner_suspended");
    let refused = alice_there.send(whoami()).await.json();
    assert_eq!(refused["code"], unknown, "as an unknown key");
    assert_eq!(bob.send(whoami()).await.status, 200, "another customer goes on");
    host.publish("alice", "order.paid", json!("meanwhile")).await;
    sleep(QUIET).await;
    assert_eq!(receiver.received().len(), 1, "nothing is sent");

    set_state(&here, "users/alice", json!({ "state": "active" })).await;
    assert_eq!(alice.send(whoami()).await.status, 200, "at once where it ended");
    let arrived = receiver.expect(2).await;
    assert!(String::from_utf8_lossy(&arrived[1].body).contains("meanwhile"), "what has waited is sent");
    let ended = Instant::now();
    in_time(ended, REFUSED_WITHIN, "the other instance accepts the key again", async || key_gets(200).await).await;
    in_time(ended, REFUSED_WITHIN, "the other instance accepts the ID token", async || token_gets(200).await).await;
}

/// The next creation obeys a changed maximum, on each instance.
async fn a_maximum_of_a_customer_holds_at_once(storage: Storage) {
    let gatepost = setup(&storage).await.start().await;
    let user = gatepost.user("alice");
    user.created("first").await;
    for (max, status) in [(1, 400), (2, 200), (0, 400)] {
        let change = by_host("PATCH", "users/alice").json(&json!({ "maxActiveKeys": max }));
        let changed = gatepost.send(&change).await;
        assert_eq!((changed.status, &changed.json()["maxActiveKeys"]), (200, &json!(max)));
        assert_eq!(user.create("next").await.status, status, "with a maximum of {max}");
    }
    assert_eq!(user.keys().await.len(), 2, "a lower maximum ends no key");
}

/// Changes rate limits on one instance, and calls the other, which has the key in memory. They are stored: a new process has
/// them.
async fn rate_limits_of_a_customer_hold_on_every_instance(storage: Storage) {
    let setup = setup(&storage).await;
    let mut here = setup.clone().start().await;
    let twin = if storage.url().starts_with("postgres") { Some(setup.twin().start().await) } else { None };
    let there = twin.as_ref().unwrap_or(&here).address();
    let alice = Consumer::new(&here, "alice").await;
    let (alice_there, bob) = (alice.at(there), Consumer::new(&here, "bob").await.at(there));
    let user = here.user("alice").at(there);
    let whoami = async |consumer: &Consumer| consumer.send(Request::new("GET", "/api/whoami")).await;
    for consumer in [&alice, &alice_there, &bob] {
        assert_eq!(whoami(consumer).await.status, 200, "in memory");
    }
    let set = async |gatepost: &Gatepost, body: Value| {
        let changed = gatepost.send(&by_host("PATCH", "users/alice").json(&body)).await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        Instant::now()
    };
    let there_gets = async |status: u16| whoami(&alice_there).await.status == status;

    let answered = set(&here, json!({ "keyRateLimit": "1/h" })).await;
    let mut at_once = Vec::new();
    while at_once.last() != Some(&429) {
        at_once.push(whoami(&alice).await.status);
    }
    // A use that is looked up while the instance reads its own change in the feed counts for itself.
    assert!(matches!(at_once[..], [200, 429] | [200, 200, 429]), "at once where it was changed: {at_once:?}");
    in_time(answered, REFUSED_WITHIN, "the other instance limits the key", async || there_gets(429).await).await;
    let refused = whoami(&alice_there).await;
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""key";q=1;w=3600"#));
    assert_eq!(whoami(&bob).await.status, 200, "another customer goes on");
    let body = json!({ "label": "fast", "rateLimit": "2/h" });
    let raised = user.post(&body).await;
    assert_eq!((raised.status, &raised.json()["errors"][0]["field"]), (400, &json!("rateLimit")));

    if twin.is_none() {
        here.restart().await;
        assert_eq!([whoami(&alice).await.status, whoami(&alice).await.status], [200, 429], "stored");
    }
    let answered = set(&here, json!({ "keyRateLimit": null })).await;
    assert_eq!(whoami(&alice).await.status, 200, "at once where it ended");
    in_time(answered, REFUSED_WITHIN, "the end of the limit of the key", async || there_gets(200).await).await;
    let answered = set(&here, json!({ "requestRateLimit": "1/h" })).await;
    let calls = async || {
        let by_key = alice_there.send(Request::new("GET", "/api/webhooks/subscriptions"));
        let (by_key, by_token) = tokio::join!(by_key, user.list());
        [by_key, by_token].map(|answer| (answer.status, answer.header("ratelimit-policy").map(str::to_owned)))
    };
    let refused = (429, Some(r#""user";q=1;w=3600"#.to_owned()));
    let refused = [refused.clone(), refused];
    in_time(answered, REFUSED_WITHIN, "the other instance limits the calls", async || calls().await == refused).await;
    let answered = set(&here, json!({ "requestRateLimit": null })).await;
    let are_good = async || calls().await.map(|(status, _)| status) == [200, 200];
    in_time(answered, REFUSED_WITHIN, "the end of the limit of the calls", are_good).await;
}

/// By SCIM, the identity provider deactivates a user whose key is cached on another instance, and a user who has never signed
/// in. The first is refused within the bound, and the second at the first sign-in, also after a restart.
async fn whom_the_provider_deactivates_is_refused_everywhere(storage: Storage) {
    const TOKEN: &str = "provider-provider-provider-provider";
    let setup = setup(&storage).await.with("SCIM_SUBJECT", "userName");
    let setup = setup.with("OPERATOR_TOKENS", &format!("provider:scim:{TOKEN}"));
    let mut here = setup.clone().start().await;
    let twin = if storage.url().starts_with("postgres") { Some(setup.twin().start().await) } else { None };
    let there = twin.as_ref().unwrap_or(&here).address();
    let (alice, leaver) = (Consumer::new(&here, "alice").await.at(there), here.user("leaver"));
    let whoami = async || alice.send(Request::new("GET", "/api/whoami")).await.status;
    let list = async |address| leaver.at(address).list().await.status;
    assert_eq!(whoami().await, 200);

    for user in ["alice", "leaver"] {
        let body = json!({ "userName": user, "displayName": "Somebody", "active": "False" });
        let created = here.send(&Request::new("POST", "/scim/v2/Users").bearer(TOKEN).json(&body)).await;
        assert_eq!(created.status, 201, "{}", created.text());
    }
    let answered = Instant::now();
    assert_eq!(list(here.address()).await, 403, "at once where it answered");
    in_time(answered, REFUSED_WITHIN, "the other instance refuses the key", async || whoami().await == 401).await;
    in_time(answered, REFUSED_WITHIN, "the other instance refuses the leaver", async || list(there).await == 403).await;
    if twin.is_none() {
        here.restart().await;
        assert_eq!((whoami().await, list(there).await), (401, 403), "also after a restart");
    }
    for user in ["alice", "leaver"] {
        let body = json!({ "Operations": [{ "op": "Replace", "path": "active", "value": "True" }] });
        let request = Request::new("PATCH", &format!("/scim/v2/Users/{user}")).bearer(TOKEN).json(&body);
        assert_eq!(here.send(&request).await.status, 200);
    }
    let ended = Instant::now();
    in_time(ended, REFUSED_WITHIN, "the other instance accepts the key again", async || whoami().await == 200).await;
    in_time(ended, REFUSED_WITHIN, "the other instance accepts the leaver", async || list(there).await == 200).await;
}

/// Keys that carol has made for her company, and one that dave has made. Her erasure revokes hers for good, also when she
/// comes back.
async fn keys_of_an_organization_end_with_their_member_if_the_settings_say_so(storage: Storage) {
    let setup = setup(&storage).await.with("OIDC_TOKENS", "access").with("OIDC_ORGANIZATION_CLAIM", "/org_id");
    let setup = setup.with("ORGANIZATION_ROLES", "*=keys").with("ORGANIZATION_KEYS_END_WITH_MEMBER", "true");
    let mut here = setup.clone().start().await;
    let twin = if storage.url().starts_with("postgres") { Some(setup.twin().start().await) } else { None };
    let there = twin.as_ref().map_or(here.address(), Gatepost::address);
    let mut keys = Vec::new();
    for (member, label) in [("carol", "CI"), ("carol", "deploy"), ("dave", "CI")] {
        let token = here.provider().access_token(member, "app", &json!({ "org_id": "acme" }));
        let create = Request::new("POST", "/api/api-keys?organization=acme").bearer(&token);
        let created = here.send(&create.json(&json!({ "label": label }))).await.json();
        keys.push(created["key"].as_str().expect("a key").to_owned());
    }
    let statuses = async |address| {
        let status = keys.iter().map(async |key| {
            let mut connection = Connection::open(address).await.expect("a connection");
            let answer = connection.exchange(&Request::new("GET", "/api/whoami").bearer(key)).await;
            answer.expect("an answer").status
        });
        join_all(status).await
    };
    assert_eq!((statuses(here.address()).await, statuses(there).await), (vec![200; 3], vec![200; 3]));
    for (state, expected) in [("suspended", [401, 401, 200]), ("active", [200; 3]), ("suspended", [401, 401, 200])] {
        set_state(&here, "users/carol", json!({ "state": state })).await;
        let answered = Instant::now();
        assert_eq!(statuses(here.address()).await, expected, "at once where carol was {state}");
        let what = format!("carol is {state} on the other instance too");
        in_time(answered, REFUSED_WITHIN, &what, async || statuses(there).await == expected).await;
    }

    let begun = here.send(&by_host("DELETE", "users/carol?confirm=carol")).await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    here.restart().await;
    erased(&here, "carol").await;
    assert_eq!(statuses(here.address()).await, [401, 401, 200]);
    assert_eq!(statuses(there).await, [401, 401, 200]);
    let log = here.send(&by_host("GET", "audit?organizationId=acme&action=key.revoked")).await.json();
    let revoked = log["events"].as_array().expect("events");
    assert_eq!((revoked.len(), &revoked[0]["actor"]["type"]), (2, &json!("service")), "{log}");
}

/// What alice leaves in the database: the label of a key, the path of a URL, a payload, an answer, a name and a publisher's id.
const TRACES: [&str; 6] =
    ["label-of-alice", "path-of-alice", "payload-of-alice", "answer-of-alice", "name-of-alice", "id-of-alice"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_an_erased_customer_is_on_disk_with_sqlite() {
    nothing_of_an_erased_customer_is_on_disk(Storage::sqlite()).await;
}

/// Uses a separate cluster: vacuuming locks the catalogs that all databases share, and the search reads every file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_an_erased_customer_is_on_disk_with_postgres() {
    nothing_of_an_erased_customer_is_on_disk(Storage::postgres_in(own_server().await).await).await;
}

/// The process is killed as soon as the erasure has begun, and again while it runs. Afterwards alice is new, and bob has
/// everything.
async fn nothing_of_an_erased_customer_is_on_disk(storage: Storage) {
    let mut gatepost = setup(&storage).await.start().await;
    let receiver = Receiver::start(Behaviour::answer("500 Internal Server Error", "", "answer-of-alice")).await;
    let (alice, bob) = (Consumer::new(&gatepost, "alice").await, Consumer::new(&gatepost, "bob").await);
    let (key, _) = gatepost.user("alice").created("label-of-alice").await;
    for (consumer, path) in [(&alice, "path-of-alice"), (&bob, "path-of-bob")] {
        consumer.subscribe(&format!("{}/{path}", receiver.url()), &["order.*"]).await;
    }
    let host = Host(gatepost.address());
    for number in 0..700 {
        let event = json!({
            "userId": "alice", "type": "order.paid", "data": "payload-of-alice", "id": format!("id-of-alice-{number}"),
        });
        assert_eq!(host.try_publish(&event).await.expect("an answer").status, 202);
    }
    receiver.expect(1).await;
    gatepost.send(&by_host("PATCH", "users/alice").json(&json!({ "name": "name-of-alice" }))).await;
    if let Some((cluster, database)) = storage.server() {
        // Autovacuum may do this at any time.
        cluster.execute(&database.name, "ANALYZE").await.expect("an analysis");
    }
    let found = traces_in(&storage).await;
    assert_eq!(found, TRACES, "the search sees what is stored");

    let slip = gatepost.send(&by_host("DELETE", "users/alice?confirm=bob")).await;
    assert_eq!((slip.status, &slip.json()["errors"][0]["field"]), (400, &json!("confirm")));
    let begun = gatepost.send(&by_host("DELETE", "users/alice?confirm=alice")).await;
    assert_eq!((begun.status, &begun.json()["state"]["state"]), (202, &json!("erasing")), "{}", begun.text());
    gatepost.restart().await;
    assert_eq!(gatepost.whoami(&key).await.status, 401);
    let back = gatepost.send(&by_host("PUT", "users/alice/state").json(&json!({ "state": "active" }))).await;
    assert_eq!((back.status, &back.json()["code"]), (409, &json!("owner_erasing")));
    gatepost.restart().await;
    erased(&gatepost, "alice").await;
    // A session of a killed process may read for a moment, and a vacuum keeps the rows that it sees.
    until("no trace of alice is left", async || traces_in(&storage).await.is_empty()).await;
    let of_bob = bob.at(gatepost.address()).get("/api/webhooks/subscriptions").await;
    assert_eq!(of_bob["subscriptions"][0]["enabled"], true);
    let record = gatepost.send(&by_host("GET", "users/alice")).await.json();
    assert_eq!((&record["name"], &record["state"]["state"]), (&Value::Null, &json!("active")));
    let alice = gatepost.user("alice");
    assert_eq!(alice.keys().await, Vec::<Value>::new(), "alice is new");
    alice.created("a new key").await;
}

/// Days pass in the database. Every start begins a round.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_who_stay_away_are_told_and_then_suspended() {
    let storage = Storage::postgres().await.undivided();
    let mut gatepost = setup(&storage).await.with("OWNER_SEEN_WITHIN_DAYS", "90").start().await;
    let mut keys = Vec::new();
    for user in ["alice", "bob", "carol"] {
        keys.push(gatepost.user(user).created("CI").await.0);
    }
    let acme = json!({ "label": "of the company" });
    let acme = gatepost.send(&by_host("POST", "organizations/acme/keys").json(&acme)).await.json();
    keys.push(acme["key"].as_str().expect("a key").to_owned());
    for (user, days, told) in [("alice", 91, "now() - INTERVAL '1 hour'"), ("bob", 77, "NULL")] {
        let passed = format!(
            "UPDATE owners SET seen_at = seen_at - INTERVAL '{days} days', suspends_at = {told}
            WHERE owner_subject = '{user}'"
        );
        storage.execute(0, &passed).await;
    }
    gatepost.restart().await;
    let suspended = eventually("the suspension", async || {
        let record = gatepost.send(&by_host("GET", "users/alice")).await.json();
        (record["state"]["state"] == "suspended").then_some(record)
    })
    .await;
    assert_eq!(suspended["state"]["reason"], "not signed in for 90 days");
    let log = async |user: &str, action: &str| {
        let path = format!("audit?userId={user}&action={action}");
        gatepost.send(&by_host("GET", &path)).await.json()["events"].as_array().expect("events").clone()
    };
    let told = eventually("the notice", async || log("bob", "owner.suspending").await.first().cloned()).await;
    assert_eq!((&told["changes"][0]["field"], &told["actor"]["type"]), (&json!("suspendsAt"), &json!("service")));
    let bob = gatepost.send(&by_host("GET", "users/bob")).await.json();
    assert_eq!(bob["suspendsAt"], told["changes"][0]["after"]);
    assert_eq!(log("carol", "owner.suspending").await.len(), 0);
    let mut statuses = Vec::new();
    for key in &keys {
        statuses.push(gatepost.whoami(key).await.status);
    }
    assert_eq!(statuses, [401, 200, 200, 200], "alice's key, and nobody else's");
    assert_eq!(gatepost.user("alice").list().await.json()["code"], "owner_suspended");

    set_state(&gatepost, "users/alice", json!({ "state": "active" })).await;
    gatepost.restart().await;
    assert_eq!(gatepost.whoami(&keys[0]).await.status, 200);
    assert_eq!(gatepost.user("bob").list().await.status, 200, "bob signs in, and stays");
    let bob = gatepost.send(&by_host("GET", "users/bob")).await.json();
    assert_eq!(bob["suspendsAt"], Value::Null);
    let day = |text: &Value| text.as_str().expect("a time")[..10].to_owned();
    let alice = gatepost.send(&by_host("GET", "users/alice")).await.json();
    assert_eq!(day(&bob["lastSeenAt"]), day(&alice["lastSeenAt"]), "today");
}

/// Searches the files of a vacuumed database for the traces. The statistics of Postgres are deleted first: they have samples
/// of stored values, also of rows that were deleted after the last analysis. A backup of SQLite is vacuumed.
async fn traces_in(storage: &Storage) -> Vec<&'static str> {
    let files = if let Some((cluster, database)) = storage.server() {
        for statement in ["DELETE FROM pg_statistic", "VACUUM FULL"] {
            cluster.execute(&database.name, statement).await.expect("a statement");
        }
        let of_tables = |path: &std::path::Path| path.components().any(|part| part.as_os_str() == "base");
        let files = database_files(storage).await.into_iter().filter(|(path, _)| of_tables(path));
        files.map(|(_, content)| content).collect()
    } else {
        let folder = TempDir::new().expect("a folder");
        let made = run_gatepost(folder.path(), &["backup", "copy"], &storage.settings());
        assert!(made.status.success(), "{made:?}");
        vec![std::fs::read(folder.path().join("copy")).expect("the backup")]
    };
    TRACES.into_iter().filter(|trace| files.iter().any(|file: &Vec<u8>| contains(file, trace.as_bytes()))).collect()
}

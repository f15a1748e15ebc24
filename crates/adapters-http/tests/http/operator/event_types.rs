//! The catalogue of event types, and publishing by it.

use adapters_http::{OperatorScope, OperatorToken};
use domain::catalogue::UncataloguedTypes;

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, OPERATOR, Request, Response, request};

const PATH: &str = "/api/operator/event-types";
/// Its numbers have digits that a parser would drop.
const SCHEMA: &str = r#"{"type": "object", "required":["id"],"properties":{"total":{"minimum":1.00}}}"#;

fn put(name: &str, body: &str) -> Request {
    request(&format!("PUT {PATH}/{name}")).header(OPERATOR).json(body)
}

async fn find(server: &Server, name: &str) -> Response {
    request(&format!("GET {PATH}/{name}")).header(OPERATOR).send(server).await
}

async fn publish(server: &Server, event_type: &str, data: &str) -> Response {
    let body = format!(r#"{{"userId":"alice","type":"{event_type}","data":{data}}}"#);
    request("POST /api/operator/events").header(OPERATOR).json(&body).send(server).await
}

fn enforced() -> String {
    format!(r#"{{"schema":{SCHEMA},"validation":"enforce"}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_type_comes_back_byte_for_byte() {
    let server = Server::start();
    let body = format!(
        r##"{{"title":"Paid","description":"# Paid\n*a < b*","schema":{SCHEMA},"examples":[{{"id": 1.0}}],"validation":"warn","visibility":"hidden","deprecated":{{"since":"2026-11-21T02:42:03+01:00","replacement":"v2/paid"}}}}"##
    );
    let written = put("v1%2Fpaid", &body).send(&server).await;
    let entry = format!(
        r##"{{"name":"v1/paid","title":"Paid","description":"# Paid\n*a < b*","schema":{SCHEMA},"examples":[{{"id": 1.0}}],"validation":"warn","visibility":"hidden","deprecated":{{"since":"2026-11-21T01:42:03.000Z","replacement":"v2/paid"}},"archived":false,"version":1,"updatedAt":"2026-11-21T01:42:03.120Z"}}"##
    );
    assert_eq!((written.status, written.body), (200, format!(r#"{{"eventType":{entry},"changed":true}}"#)));
    assert_eq!(find(&server, "v1%2Fpaid").await.body, entry);
    let again = put("v1%2Fpaid", &body).send(&server).await;
    assert_eq!(again.body, format!(r#"{{"eventType":{entry},"changed":false}}"#));
    let log = request("GET /api/operator/audit?action=event_type.changed").header(OPERATOR).send(&server).await;
    assert_eq!(log.body.matches("\"event_type.changed\"").count(), 1, "{}", log.body);
    assert!(log.body.contains(r#""field":"eventType""#) && log.body.contains("v1/paid"), "{}", log.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_see_public_types() {
    let server = Server::start();
    put("shown", &enforced()).send(&server).await;
    put("hidden", r#"{"visibility":"hidden"}"#).send(&server).await;
    let without_body = request(&format!("PUT {PATH}/old")).header(OPERATOR).send(&server).await;
    assert_eq!(without_body.status, 200, "the document says that a body is optional: {}", without_body.body);
    let archived = request(&format!("DELETE {PATH}/old")).header(OPERATOR).send(&server).await;
    assert!(archived.body.contains(r#""archived":true"#) && archived.body.ends_with(r#""changed":true}"#));
    let list = request("GET /api/event-types").header(ALICE).send(&server).await;
    let shown = r#"{"name":"shown","validation":"enforce","visibility":"public","archived":false,"version":1,"updatedAt":"2026-11-21T01:42:03.120Z"}"#;
    assert_eq!((list.status, list.body), (200, format!(r#"{{"eventTypes":[{shown}]}}"#)));
    let all = request(&format!("GET {PATH}")).header(OPERATOR).send(&server).await;
    assert_eq!(all.body.matches("\"name\"").count(), 3);
    for (name, verdict) in
        [("shown", "200"), ("hidden", "404 event_type_not_found"), ("old", "404 event_type_not_found")]
    {
        let found = request(&format!("GET /api/event-types/{name}")).header(ALICE).send(&server).await;
        assert!(found.verdict().starts_with(verdict), "{name}: {}", found.verdict());
        assert_eq!(find(&server, name).await.status, 200);
    }
    let export = request("GET /api/event-types/openapi.json").header(ALICE).send(&server).await;
    assert!(export.body.contains(r#""webhooks":{"shown":{"#), "{}", export.body);
    assert!(!export.body.contains("hidden") && !export.body.contains("\"old\""), "{}", export.body);
    for path in ["/api/event-types", "/api/event-types/shown", "/api/event-types/openapi.json"] {
        let refused = request(&format!("GET {path}")).send(&server).await;
        assert_eq!(refused.verdict(), "401 credential_missing", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_strict() {
    let server = Server::start();
    let long = "x".repeat(70_000);
    for (body, verdict, part) in [
        (r#"{"titel":"a"}"#, "400 unknown_field", "did you mean title?"),
        (r#"{"title":"a","title":"a"}"#, "400 invalid_json", "twice"),
        (r#"{"title":null}"#, "400 invalid_field", "must be a string"),
        (r#"{"title":"a\nb"}"#, "400 invalid_field", "control characters"),
        (r#"{"description":"<b>"}"#, "400 invalid_field", "HTML"),
        (r#"{"schema":null}"#, "400 invalid_field", "must be an object"),
        (r#"{"schema":true}"#, "400 invalid_field", "must be an object"),
        (r#"{"schema":{"type":"text"}}"#, "400 invalid_field", "#/type"),
        (r#"{"schema":{"$ref":"http://127.0.0.1/"}}"#, "400 invalid_field", "only references within"),
        (r#"{"schema":{"pattern":"(?=a)"}}"#, "400 invalid_field", "linear"),
        (&*format!(r#"{{"schema":{{"a":"{long}"}}}}"#), "400 invalid_field", "at most 65536 bytes"),
        (r#"{"schema":{"type":"null"},"examples":[null,"secret"]}"#, "400 invalid_field", "examples[1]"),
        (r#"{"examples":[1,2,3,4,5,6]}"#, "400 invalid_field", "at most 5"),
        (r#"{"examples":{}}"#, "400 invalid_field", "at most 5"),
        (r#"{"validation":"Warn"}"#, "400 invalid_field", "off, warn or enforce"),
        (r#"{"validation":"enforce"}"#, "400 invalid_field", "schema is needed for the validation `enforce`"),
        (r#"{"visibility":""}"#, "400 invalid_field", "public or hidden"),
        (r#"{"deprecated":{}}"#, "400 invalid_field", "deprecated.since is required"),
        (r#"{"deprecated":[]}"#, "400 invalid_field", "must be an object"),
        (r#"{"deprecated":{"since":"2026-11-21"}}"#, "400 invalid_field", "deprecated.since"),
        (r#"{"deprecated":{"since":"2026-11-21T00:00:00Z","replacement":"a b"}}"#, "400 invalid_field", "replacement"),
        (r#"{"deprecated":{"sinze":"x"}}"#, "400 unknown_field", "deprecated.sinze"),
        (r#"{"force":"yes"}"#, "400 invalid_field", "true or false"),
        (r#"{"title":null,"force":"yes"}"#, "400 invalid_field", "must be a string; force must be true or false"),
        ("[]", "400 invalid_json", "must be a JSON object"),
    ] {
        let refused = put("a", body).send(&server).await;
        let shown = &body[..body.len().min(100)];
        assert_eq!(refused.verdict(), verdict, "{shown}");
        assert!(refused.body.contains(part) && !refused.body.contains("secret"), "{shown}: {}", refused.body);
    }
    for name in ["gatepost.x", "openapi.json", "a%20b", "-", &"a".repeat(129)] {
        assert_eq!(put(name, "{}").send(&server).await.verdict(), "400 invalid_field", "{name}");
        assert_eq!(find(&server, name).await.verdict(), "404 event_type_not_found", "{name}");
    }
    assert_eq!(request(&format!("GET {PATH}")).header(OPERATOR).send(&server).await.body, r#"{"eventTypes":[]}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_breaks_needs_force() {
    let server = Server::start();
    put("paid", r#"{"schema":{"type":["object","null"]}}"#).send(&server).await;
    let narrowed = r#"{"schema":{"type":"object"}"#;
    let refused = put("paid", &format!("{narrowed}}}")).send(&server).await;
    assert_eq!(refused.verdict(), "409 schema_breaks");
    assert_eq!(refused.field("detail"), "#/type: the type null is not allowed any more");
    let forced = put("paid", &format!(r#"{narrowed},"force":true}}"#)).send(&server).await;
    assert!(forced.body.contains(r#""version":2"#), "{}", forced.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn enforced_schemas_refuse_events() {
    let server = Server::start();
    put("paid", &enforced()).send(&server).await;
    let good = publish(&server, "paid", r#"{"id":1,"total":1.00}"#).await;
    assert_eq!(good.status, 202);
    assert!(!good.body.contains("warnings"), "{}", good.body);
    let refused = publish(&server, "paid", r#"{"total":0.5,"name":"secret"}"#).await;
    assert_eq!(refused.verdict(), "422 event_invalid");
    assert_eq!(refused.field("detail"), "data breaks the schema of its type");
    for part in [
        r#""errors":[{"field":"data","detail":"breaks the schema of its type"}]"#,
        r#"{"pointer":"","keyword":"required","message":"must have the property \"id\""}"#,
        r#"{"pointer":"/total","keyword":"minimum","message":"must follow \"minimum\": 1.0"}"#,
    ] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    assert!(!refused.body.contains("secret"));
    let events =
        r#"{"events":[{"userId":"alice","type":"paid","data":{"id":1}},{"userId":"alice","type":"paid","data":1}]}"#;
    let batch = request("POST /api/operator/events/batch").header(OPERATOR).json(events).send(&server).await;
    assert_eq!(batch.verdict(), "422 event_invalid");
    assert!(batch.body.contains(r#""field":"events[1].data""#), "{}", batch.body);
    let listed = request("GET /api/operator/events").header(OPERATOR).send(&server).await;
    assert_eq!(listed.body.matches("\"evt_").count(), 1, "a refused call leaves nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_events_are_accepted() {
    let server = Server::start();
    put("warned", &enforced().replace("enforce", "warn")).send(&server).await;
    put("off", &enforced().replace("enforce", "off")).send(&server).await;
    let warned = publish(&server, "warned", r#"{"total":2}"#).await;
    assert_eq!(warned.status, 202);
    let warnings = r#""warnings":[{"pointer":"","keyword":"required","message":"must have the property \"id\""}]"#;
    assert!(warned.body.contains(warnings), "{}", warned.body);
    let events = r#"{"events":[{"userId":"alice","type":"warned","data":{"id":1}},{"userId":"alice","type":"warned","data":{}}]}"#;
    let batch = request("POST /api/operator/events/batch").header(OPERATOR).json(events).send(&server).await;
    assert_eq!((batch.status, batch.body.matches("warnings").count()), (202, 1));
    assert!(batch.body.ends_with(&format!("{warnings}}}]}}")), "{}", batch.body);
    for event_type in ["off", "unknown"] {
        let accepted = publish(&server, event_type, "1").await;
        assert_eq!((accepted.status, accepted.body.contains("warnings")), (202, false), "{event_type}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_catalogue_refuses_other_types() {
    let server = Setup { event_types: UncataloguedTypes::Closed, ..Setup::default() }.start();
    let refused = publish(&server, "paid", "1").await;
    assert_eq!((refused.verdict().as_str(), refused.field("field")), ("422 event_type_unknown", "type"));
    put("paid", "{}").send(&server).await;
    assert_eq!(publish(&server, "paid", "1").await.status, 202);
    request(&format!("DELETE {PATH}/paid")).header(OPERATOR).send(&server).await;
    assert_eq!(publish(&server, "paid", "1").await.verdict(), "422 event_type_unknown");
    let absent = request(&format!("DELETE {PATH}/none")).header(OPERATOR).send(&server).await;
    assert_eq!(absent.verdict(), "404 event_type_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_need_the_scope() {
    let token = |name, scope| OperatorToken::new(name, vec![scope], name);
    let operator_tokens = vec![
        token("catalogue", OperatorScope::Catalogue),
        token("support", OperatorScope::Support),
        token("manage", OperatorScope::Manage),
    ];
    let server = Setup { operator_tokens, ..Setup::default() }.start();
    for (name, reads, writes) in [("catalogue", true, true), ("support", true, false), ("manage", false, false)] {
        let bearer = format!("Bearer {name}");
        let call = |line: &str| request(line).header(("authorization", &bearer));
        let written = call(&format!("PUT {PATH}/a")).json("{}").send(&server).await.status;
        let archived = call(&format!("DELETE {PATH}/a")).send(&server).await.status;
        let listed = call(&format!("GET {PATH}")).send(&server).await.status;
        let status = |may| if may { 200 } else { 403 };
        assert_eq!((written, archived, listed), (status(writes), status(writes), status(reads)), "{name}");
    }
}

async fn import(server: &Server, body: &str) -> Response {
    request(&format!("POST {PATH}/import")).header(OPERATOR).json(body).send(server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalogue_is_imported_at_once() {
    let server = Server::start();
    put("b", "{}").send(&server).await;
    let types = format!(r#"[{{"name":"a","schema":{SCHEMA},"validation":"enforce","title":"A"}},{{"name":"v1/c"}}]"#);
    let body = |rest: &str| format!(r#"{{"types":{types}{rest}}}"#);
    let changes = r#"{"changes":[{"name":"a","change":"created"},{"name":"v1/c","change":"created"}]}"#;
    let dry = import(&server, &body(r#","dryRun":true"#)).await;
    assert_eq!((dry.status, dry.body.as_str()), (200, changes));
    assert_eq!(find(&server, "a").await.status, 404);
    assert_eq!(import(&server, &body("")).await.body, changes);
    assert!(find(&server, "a").await.body.contains(SCHEMA), "byte for byte");
    let pruned = import(&server, &body(r#","prune":true"#)).await;
    assert_eq!(pruned.body, r#"{"changes":[{"name":"b","change":"archived"}]}"#);

    let export = request("GET /api/event-types/openapi.json").header(ALICE).send(&server).await;
    let again = import(&server, &format!(r#"{{"openapi":{}}}"#, export.body)).await;
    assert_eq!((again.status, again.body.as_str()), (200, r#"{"changes":[]}"#), "the document says the same");
    assert!(find(&server, "a").await.body.contains(r#""validation":"enforce""#), "and the rest stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_import_names_the_place_and_changes_nothing() {
    let server = Server::start();
    put("a", &enforced()).send(&server).await;
    let webhook = |schema: &str| {
        let content = format!(r#"{{"application/json":{{"schema":{schema}}}}}"#);
        format!(
            r#"{{"openapi":{{"webhooks":{{"ok":{{"post":{{}}}},"x":{{"post":{{"requestBody":{{"content":{content}}}}}}}}}}}}}"#
        )
    };
    for (body, verdict) in [
        ("{}".to_owned(), "400 invalid_field at types"),
        (r#"{"types":[],"openapi":{}}"#.to_owned(), "400 invalid_field at openapi"),
        (r#"{"types":{}}"#.to_owned(), "400 invalid_field at types"),
        (r#"{"types":[],"dry":true}"#.to_owned(), "400 unknown_field at dry"),
        (r#"{"types":[{"name":"b"},1]}"#.to_owned(), "400 invalid_field at types[1]"),
        (r#"{"types":[{"name":"b"},{}]}"#.to_owned(), "400 invalid_field at types[1].name"),
        (r#"{"types":[{"name":"b"},{"name":"b"}]}"#.to_owned(), "400 invalid_field at types[1].name"),
        (r#"{"types":[{"name":"import"}]}"#.to_owned(), "400 invalid_field at types[0].name"),
        (r#"{"types":[{"name":"b"},{"name":"c","titel":""}]}"#.to_owned(), "400 unknown_field at types[1].titel"),
        (r#"{"types":[{"name":"b"},{"name":"c","force":true}]}"#.to_owned(), "400 unknown_field at types[1].force"),
        (
            r#"{"types":[{"name":"b"},{"name":"c","schema":{"type":"x"}}]}"#.to_owned(),
            "400 invalid_field at types[1].schema",
        ),
        (
            r#"{"types":[{"name":"b"},{"name":"a","schema":{"required":["id","b"]}}]}"#.to_owned(),
            "409 schema_breaks at types[1].schema",
        ),
        (r#"{"openapi":{"openapi":"3.0.3","paths":{}}}"#.to_owned(), "400 invalid_field at openapi"),
        (
            r#"{"openapi":{"webhooks":{"bad name":{"post":{}}}}}"#.to_owned(),
            "400 invalid_field at openapi.webhooks.bad name",
        ),
        (webhook(r#"{"$ref":"other.json"}"#), "400 invalid_field at openapi.webhooks.x"),
        (webhook(r#"{"type":"x"}"#), "400 invalid_field at openapi.webhooks.x.schema"),
    ] {
        let refused = import(&server, &body).await;
        let (wanted, field) = verdict.split_once(" at ").unwrap();
        let names_field = refused.body.contains(&format!(r#""field":"{field}""#));
        assert!(refused.verdict() == wanted && names_field, "{body}: {} {}", refused.status, refused.body);
    }
    let all = request(&format!("GET {PATH}")).header(OPERATOR).send(&server).await;
    assert_eq!(all.body.matches("\"name\"").count(), 1, "{}", all.body);
}

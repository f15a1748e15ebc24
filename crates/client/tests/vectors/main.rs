//! The vectors of `clients/conformance`, which every client runs. Those of the verifier are in `src/protect/vectors.rs`,
//! which sets its clock.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

mod played;

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use gatepost_client::protect::{Refusal, api_key_in};
use gatepost_client::webhooks::{Headers, InvalidSigningSecret, PublicKey, Refused, SigningSecret, TOLERANCE};
use gatepost_client::{Client, Error, NewEvent, OperatorToken, Owner, SubscriptionChange};
use played::{Answer, Played, cases};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Signed {
    name: String,
    secrets: Vec<String>,
    jwks: Option<Value>,
    headers: BTreeMap<String, String>,
    body: String,
    now_seconds: u64,
    tolerance_seconds: Option<u64>,
    result: String,
}

impl Signed {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn verdict(&self) -> Result<(), &'static str> {
        let keys = self.secrets.iter().map(|text| Key::parse(text)).collect::<Option<Vec<_>>>();
        let mut keys = keys.ok_or("invalid_secret")?;
        keys.extend(self.jwks.iter().flat_map(PublicKey::of_jwks).map(Key::Public));
        if keys.is_empty() {
            return Err("invalid_secret");
        }
        let headers = Headers::read(|name| self.header(name)).map_err(word)?;
        let now = UNIX_EPOCH + Duration::from_secs(self.now_seconds);
        let verdicts = keys.iter().map(|key| match key {
            Key::Secret(secret) => secret.verify(&headers, self.body.as_bytes(), now),
            Key::Public(key) => key.verify(&headers, self.body.as_bytes(), now),
        });
        verdicts.reduce(Result::or).unwrap().map_err(word)
    }
}

enum Key {
    Secret(SigningSecret),
    Public(PublicKey),
}

impl Key {
    fn parse(text: &str) -> Option<Self> {
        match SigningSecret::parse(text) {
            Err(InvalidSigningSecret::PublicKey) => PublicKey::parse(text).ok().map(Self::Public),
            secret => secret.ok().map(Self::Secret),
        }
    }
}

fn word(refused: Refused) -> &'static str {
    match refused {
        Refused::MissingHeader(_) => "missing_header",
        Refused::UnreadableTimestamp => "unreadable_timestamp",
        Refused::TooOld => "too_old",
        Refused::TooNew => "too_new",
        Refused::WrongSignature => "wrong_signature",
        _ => unreachable!("{refused}"),
    }
}

/// This crate has one tolerance.
#[test]
fn signatures() {
    let cases = cases::<Signed>("signatures.json").into_iter();
    let is_run = |case: &Signed| case.tolerance_seconds.is_none_or(|seconds| seconds == TOLERANCE.as_secs());
    let run: Vec<Signed> = cases.filter(is_run).collect();
    for case in &run {
        assert_eq!(case.verdict().err().unwrap_or("ok"), case.result, "{}", case.name);
    }
    assert!(run.len() >= 50, "{} vectors", run.len());
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Repeated {
    name: String,
    call: Call,
    answers: Vec<Answer>,
    #[serde(rename = "requests")]
    _requests: usize,
    #[serde(rename = "waitsMs")]
    _waits_ms: Option<Value>,
    #[serde(rename = "result")]
    _result: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    operation: String,
    #[serde(rename = "path")]
    _path: Option<Value>,
    #[serde(rename = "headers")]
    _headers: Option<Value>,
    #[serde(default)]
    body: Value,
}

/// The Rust client never repeats a call, so each vector is one request, and the first answer is the result.
#[tokio::test]
async fn retries() {
    let service = Played::start().await;
    let client = Client::new(service.url()).unwrap().with_credential(OperatorToken::new("token"));
    for case in cases::<Repeated>("retries.json") {
        let (before, first) = (service.requests(), case.answers[0].clone());
        service.answers(case.answers);
        let outcome = called(&client, &case.call).await;
        let status = outcome.as_ref().map_or_else(Error::status, |()| Some(first.status));
        assert_eq!(status, (!first.is_silent).then_some(first.status), "{}", case.name);
        assert_eq!(service.requests() - before, 1, "{}", case.name);
    }
}

async fn called(client: &Client, call: &Call) -> Result<(), Error> {
    let event = |body: &Value| {
        let event =
            NewEvent::new(body["userId"].as_str().unwrap(), body["type"].as_str().unwrap(), &body["data"]).unwrap();
        body["id"].as_str().map_or(event.clone(), |id| event.with_id(id))
    };
    match call.operation.as_str() {
        "listApiKeys" => client.list_api_keys().await.map(drop),
        "revokeUserApiKeys" => client.for_owner(Owner::User("u".to_owned())).revoke_all_api_keys(None).await.map(drop),
        "changeSubscription" => client.change_subscription("sub_1", &SubscriptionChange::default()).await.map(drop),
        "createApiKey" => client.create_api_key("k").await.map(drop),
        "rotateSecret" => client.rotate_webhook_secret("sub_1", None, None).await.map(drop),
        "publishEvent" => client.publish_event(&event(&call.body)).await.map(drop),
        "publishEvents" => {
            let events: Vec<_> = call.body["events"].as_array().unwrap().iter().map(event).collect();
            client.publish_events(&events).await.map(drop)
        }
        other => panic!("no test calls {other}"),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusing {
    name: String,
    status: u16,
    headers: serde_json::Map<String, Value>,
    body: Value,
    error: Value,
    message: String,
}

#[tokio::test]
async fn problems() {
    let service = Played::start().await;
    let client = Client::new(service.url()).unwrap().with_credential(OperatorToken::new("token"));
    for case in cases::<Refusing>("problems.json") {
        service.answers(vec![Answer { status: case.status, headers: case.headers, body: case.body, is_silent: false }]);
        let error = client.create_api_key("k").await.unwrap_err();
        assert_eq!(error.to_string(), case.message, "{}", case.name);
        let problem = error.problem().cloned().unwrap_or_default();
        let found = json!({
            "status": error.status(), "code": error.code(), "title": problem.title, "detail": problem.detail,
            "page": problem.page, "errors": problem.errors, "requestId": problem.request_id,
            "retryAfterSeconds": error.retry_after().map(|time| time.as_secs()),
        });
        assert_eq!(found, case.error, "{}", case.name);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Presented {
    name: String,
    authorization: Vec<String>,
    x_api_key: Vec<String>,
    result: Value,
}

#[test]
fn presented() {
    let cases = cases::<Presented>("presented.json");
    assert!(cases.len() > 20, "{} vectors", cases.len());
    for case in cases {
        let found =
            api_key_in(case.authorization.iter().map(String::as_bytes), case.x_api_key.iter().map(String::as_bytes));
        let result = match found {
            Ok(key) => json!({ "key": key }),
            Err(Refusal::Missing) => json!("missing"),
            Err(refusal) => json!(if refusal == Refusal::Invalid { "invalid" } else { "another refusal" }),
        };
        assert_eq!(result, case.result, "{}", case.name);
    }
}

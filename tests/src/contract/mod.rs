//! The HTTP contract, on both databases.

mod create;
mod credentials;
mod errors;
mod list;
mod revoke;
mod surroundings;
mod whoami;

use serde_json::Value;

use crate::harness::{Gatepost, Response, Setup, Storage, User};

/// The fields of a plain key's record: exactly these six.
const RECORD_FIELDS: [&str; 6] = ["createdAt", "id", "label", "lastUsedAt", "prefix", "revokedAt"];

/// An instance, and a user of it.
async fn started(storage: &Storage) -> (Gatepost, User) {
    let gatepost = Setup::serve(storage).await.start().await;
    let alice = gatepost.user("alice");
    (gatepost, alice)
}

#[track_caller]
fn assert_record(record: &Value) {
    let mut fields: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, RECORD_FIELDS);
    assert_timestamp(&record["createdAt"]);
}

/// Checks the form `2026-11-21T01:42:03.120Z`: UTC with exactly three decimals.
#[track_caller]
fn assert_timestamp(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("{value} is not a string"));
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{text}");
}

/// Checks an error of Gatepost: status, code, and every required member of a problem document.
#[track_caller]
fn assert_problem(response: &Response, status: u16, code: &str) -> Value {
    assert_eq!(response.status, status, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/problem+json"));
    let problem = response.json();
    assert_eq!(problem["status"], status);
    assert_eq!(problem["code"], code);
    let kind = problem["type"].as_str().unwrap();
    assert!(kind.ends_with(&format!("/docs/errors/{code}")), "{kind}");
    for name in ["title", "detail", "requestId"] {
        assert!(problem[name].as_str().is_some_and(|text| !text.is_empty()), "{name} of {problem}");
    }
    assert_eq!(response.header("x-request-id"), problem["requestId"].as_str());
    problem
}

#[track_caller]
fn assert_refused(response: &Response) {
    assert_problem(response, 401, "credential_invalid");
    assert_eq!(response.header("www-authenticate"), Some("Bearer realm=\"gatepost\", error=\"invalid_token\""));
}

/// A problem document without the members that differ from request to request.
fn without_request_id(response: &Response) -> Value {
    let mut problem = response.json();
    problem.as_object_mut().unwrap().remove("requestId");
    problem
}

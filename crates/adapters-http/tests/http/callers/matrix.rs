//! Every operation of the API, with every kind of credential, called by a page of the service, by another site and by a
//! program: the accepted calls, and the error of each refused one.

use std::collections::BTreeSet;
use std::fmt::Write;

use adapters_http::openapi_json;
use domain::sessions::{Capability, SessionRole};
use serde_json::Value;

use crate::doubles::user;
use crate::server::Server;
use crate::sessions::browser::{SAME_ORIGIN, session_of};
use crate::transcript::{ALICE, OPERATOR, Request, Response, request};

/// Why a call is not accepted. `+` means that it is.
const ANSWERS: [(char, u16, &str); 7] = [
    ('m', 401, "credential_missing"),
    ('i', 401, "credential_invalid"),
    ('s', 400, "several_credentials"),
    ('x', 403, "cross_site_request"),
    ('c', 403, "capability_missing"),
    ('r', 403, "operator_role_missing"),
    ('b', 400, "sign_in_not_begun"),
];

/// The columns of [`CLASSES`].
const CREDENTIALS: [Credential; 13] = [
    Credential::Nothing,
    Credential::IdToken,
    Credential::ApiKey,
    Credential::OperatorToken,
    Credential::Session(Who::User),
    Credential::Session(Who::Operator),
    Credential::Session(Who::Ended),
    Credential::Session(Who::Reader),
    Credential::Session(Who::Writer),
    Credential::Session(Who::Stranger),
    Credential::SessionAnd(&Credential::IdToken),
    Credential::SessionAnd(&Credential::ApiKey),
    Credential::SessionAnd(&Credential::OperatorToken),
];

#[derive(Clone, Copy, Debug)]
enum Credential {
    Nothing,
    IdToken,
    ApiKey,
    OperatorToken,
    Session(Who),
    /// A user's session, together with another credential.
    SessionAnd(&'static Credential),
}

/// The holder of a session.
#[derive(Clone, Copy, Debug)]
enum Who {
    User,
    Operator,
    /// A signed-out user.
    Ended,
    /// A visitor with the right to see keys and webhooks.
    Reader,
    /// A visitor with the right to change them.
    Writer,
    /// A visitor without rights.
    Stranger,
}

/// A class of operations: the answer to a page of the service with each credential, and whether another site, and a
/// program that sends neither header, gets the same.
struct Class {
    name: &'static str,
    answers: &'static str,
    elsewhere: Elsewhere,
}

#[derive(Clone, Copy)]
enum Elsewhere {
    /// The session does not count, or the call makes no change.
    Same,
    /// A call with a session alone is refused.
    RefusesSessions,
    /// Everybody is refused.
    RefusesAll,
}

#[rustfmt::skip]
static CLASSES: [Class; 16] = [
    //                                  nothing, ID token, API key in x-api-key, operator token,
    //                                  sessions: user, operator, ended, reader, writer, stranger,
    //                                  a user's session and: ID token, API key, operator token
    Class { name: "see keys",           answers: "m+ii ++i++c sss", elsewhere: Elsewhere::Same },
    Class { name: "change keys",        answers: "m+ii ++ic+c sss", elsewhere: Elsewhere::RefusesSessions },
    Class { name: "see webhooks",       answers: "m++i ++i++c sss", elsewhere: Elsewhere::Same },
    Class { name: "change webhooks",    answers: "m++i ++ic+c sss", elsewhere: Elsewhere::RefusesSessions },
    Class { name: "whoami",             answers: "m++i ++i+++ sss", elsewhere: Elsewhere::Same },
    Class { name: "see this session",   answers: "miii ++i+++ sss", elsewhere: Elsewhere::Same },
    Class { name: "end this session",   answers: "miii ++i+++ sss", elsewhere: Elsewhere::RefusesSessions },
    Class { name: "see own sessions",   answers: "m+ii ++iccc sss", elsewhere: Elsewhere::Same },
    Class { name: "end own sessions",   answers: "m+ii ++iccc sss", elsewhere: Elsewhere::RefusesSessions },
    Class { name: "see as operator",    answers: "mim+ r+irrr sss", elsewhere: Elsewhere::Same },
    Class { name: "change as operator", answers: "mim+ r+irrr sss", elsewhere: Elsewhere::RefusesSessions },
    Class { name: "verify keys",        answers: "mim+ mmmmmm im+", elsewhere: Elsewhere::Same },
    Class { name: "gateway",            answers: "mi+i mmmmmm i+i", elsewhere: Elsewhere::Same },
    Class { name: "open",               answers: "++++ ++++++ +++", elsewhere: Elsewhere::Same },
    Class { name: "callback",           answers: "bbbb bbbbbb bbb", elsewhere: Elsewhere::Same },
    Class { name: "own page",           answers: "++++ ++++++ +++", elsewhere: Elsewhere::RefusesAll },
];

/// The classes of the calls at these paths: of GET, and of the other methods.
const AREAS: [(&str, &str, &str); 3] = [
    ("/api/api-keys", "see keys", "change keys"),
    ("/api/webhooks/", "see webhooks", "change webhooks"),
    ("/api/operator/", "see as operator", "change as operator"),
];

/// The classes of the other operations.
const OTHER_OPERATIONS: &[(&str, &str)] = &[
    ("GET /api/audit", "see own sessions"),
    ("GET /api/event-types", "whoami"),
    ("GET /api/event-types/openapi.json", "whoami"),
    ("GET /api/event-types/{name}", "whoami"),
    ("GET /api/whoami", "whoami"),
    ("GET /api/session", "see this session"),
    ("POST /api/session", "own page"),
    ("DELETE /api/session", "end this session"),
    ("GET /api/sessions", "see own sessions"),
    ("DELETE /api/sessions", "end own sessions"),
    ("DELETE /api/sessions/{id}", "end own sessions"),
    ("POST /api/operator/introspect", "verify keys"),
    ("GET /forward-auth", "gateway"),
    ("GET /forward-auth/{tail}", "gateway"),
    ("GET /api/command-line-client", "open"),
    ("GET /console/login", "open"),
    ("GET /console/callback", "callback"),
    ("POST /console/logout", "own page"),
    ("GET /.well-known/webhooks/{id}/jwks.json", "open"),
    ("GET /docs", "open"),
    ("GET /docs/{file}", "open"),
    ("GET /docs/errors", "open"),
    ("GET /docs/errors/{code}", "open"),
    ("GET /openapi.json", "open"),
    ("GET /favicon.ico", "open"),
    ("GET /livez", "open"),
    ("GET /readyz", "open"),
    ("GET /healthz", "open"),
];

/// The page that calls, or a program.
const PAGES: [Option<(&str, &str)>; 3] = [Some(SAME_ORIGIN), Some(("sec-fetch-site", "cross-site")), None];

#[tokio::test]
async fn every_operation_admits_whom_the_table_admits() {
    let operations = documented();
    assert!(operations.len() > 150, "{operations:?}");
    for (operation, _) in OTHER_OPERATIONS {
        assert!(operations.contains(*operation), "{operation} is not in the document");
    }
    let server = Server::start();
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"matrix"}"#).send(&server).await;
    let (key, mut wrong, mut calls) = (key.field("key").to_owned(), String::new(), 0);
    for operation in &operations {
        let class = class_of(operation);
        for (credential, answer) in CREDENTIALS.iter().zip(class.answers.replace(' ', "").chars()) {
            for page in PAGES {
                let expected = class.expects(answer, *credential, page == Some(SAME_ORIGIN));
                let call = with_credential(&server, call_of(operation), *credential, &key).await;
                let call = if let Some(header) = page { call.header(header) } else { call };
                let response = call.send(&server).await;
                let answered = answer_of(&response);
                calls += 1;
                if answered != expected {
                    let _ = writeln!(wrong, "{operation} {credential:?} {page:?}: {answered}, not {expected}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(calls, operations.len() * CREDENTIALS.len() * PAGES.len());
}

/// The class of an operation, which is in [`OTHER_OPERATIONS`] or in one of the [`AREAS`].
fn class_of(operation: &str) -> &'static Class {
    let own = OTHER_OPERATIONS.iter().find(|(named, _)| *named == operation).map(|(_, class)| *class);
    let (method, path) = operation.split_once(' ').unwrap();
    let mut areas = AREAS.iter().filter(|(start, ..)| path.starts_with(*start));
    let of_area = || areas.next().map(|(_, see, change)| if method == "GET" { *see } else { *change });
    let name = own.or_else(of_area).unwrap_or_else(|| panic!("{operation} has no class"));
    CLASSES.iter().find(|class| class.name == name).unwrap()
}

/// The operations of the OpenAPI document.
pub(crate) fn documented() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(&openapi_json()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| (method, path)));
    operations.map(|(method, path)| format!("{} {path}", method.to_uppercase())).collect()
}

impl Class {
    fn expects(&self, on_own_page: char, credential: Credential, is_own_page: bool) -> char {
        let has_session = matches!(credential, Credential::Session(_));
        match self.elsewhere {
            Elsewhere::RefusesSessions if has_session && !is_own_page => 'x',
            Elsewhere::RefusesAll if !is_own_page => 'x',
            Elsewhere::Same | Elsewhere::RefusesSessions | Elsewhere::RefusesAll => on_own_page,
        }
    }
}

/// A call that fails after it is admitted, if it would not end or would change too much.
fn call_of(operation: &str) -> Request {
    let path = ["keyId", "id", "userId", "organizationId", "tail", "file", "code"]
        .iter()
        .fold(operation.to_owned(), |path, name| path.replace(&format!("{{{name}}}"), "x"));
    let endless = if path.ends_with("/stream") { "?subscriptionId=x" } else { "" };
    let call = request(&format!("{path}{endless}"));
    if path.starts_with("GET") { call } else { call.json("{}") }
}

async fn with_credential(server: &Server, call: Request, credential: Credential, key: &str) -> Request {
    match credential {
        Credential::Nothing => call,
        Credential::IdToken => call.header(ALICE),
        Credential::ApiKey => call.header(("x-api-key", key)),
        Credential::OperatorToken => call.header(OPERATOR),
        Credential::Session(who) => call.header(("cookie", &cookie_of(server, who).await)),
        Credential::SessionAnd(other) => {
            let call = call.header(("cookie", &cookie_of(server, Who::User).await));
            Box::pin(with_credential(server, call, *other, key)).await
        }
    }
}

/// A new session each time, because calls may end it.
async fn cookie_of(server: &Server, who: Who) -> String {
    use Capability::{Keys, KeysRead, Webhooks, WebhooksRead};
    let role = match who {
        Who::User | Who::Ended => SessionRole::User,
        Who::Operator => SessionRole::Operator,
        Who::Reader => SessionRole::Visitor([KeysRead, WebhooksRead].into()),
        Who::Writer => SessionRole::Visitor([Keys, Webhooks].into()),
        Who::Stranger => SessionRole::Visitor([].into()),
    };
    let cookie = session_of(server, "alice", role).await;
    if matches!(who, Who::Ended) {
        server.sessions.end_all(&user("alice"), None, &domain::audit::Origin::SERVICE).await.unwrap();
    }
    cookie
}

/// The letter of an answer: `+` for everything that is not about credentials.
fn answer_of(response: &Response) -> char {
    let names = |code: &str| response.body.contains(&format!("/docs/errors/{code}\""));
    let known = ANSWERS.iter().find(|(_, status, code)| *status == response.status && names(code));
    assert!(known.is_some() || ![401, 403].contains(&response.status), "{response:?}");
    known.map_or('+', |(letter, _, _)| *letter)
}

//! `/api/operator/log-filter`.

use domain::LogControl;

use crate::server::Server;
use crate::transcript::{OPERATOR, Request, Response, request};

const PATH: &str = "/api/operator/log-filter";

fn change(body: &str) -> Request {
    request(&format!("POST {PATH}")).header(OPERATOR).json(body)
}

async fn present(server: &Server) -> Response {
    request(&format!("GET {PATH}")).header(OPERATOR).send(server).await
}

async fn audited(server: &Server) -> usize {
    let log = request("GET /api/operator/audit?action=log.filter_changed").header(OPERATOR).send(server).await;
    log.body.matches("\"log.filter_changed\"").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_recorded_once_and_answered_with_both_filters() {
    let server = Server::start();
    assert_eq!(present(&server).await.body, r#"{"filter":"info"}"#);
    let changed = change(r#"{"filter":"debug"}"#).send(&server).await;
    assert_eq!((changed.status, &*changed.body), (200, r#"{"filter":"debug","before":"info"}"#));
    let again = change(r#"{"filter":"debug"}"#).send(&server).await;
    assert_eq!(again.body, r#"{"filter":"debug","before":"debug"}"#);
    assert_eq!(present(&server).await.body, r#"{"filter":"debug"}"#);
    assert_eq!(audited(&server).await, 1, "the second call changed nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_filter_changes_nothing() {
    let server = Server::start();
    let long = format!(r#"{{"filter":"{}"}}"#, "x".repeat(LogControl::FILTER_LENGTH_MAX + 1));
    for (body, detail) in [
        (r#"{"filter":"dbug"}"#, "must be a level"),
        (r#"{"filter":1}"#, "must be a string"),
        ("{}", "is required"),
        (&*long, "must have at most 256 characters"),
    ] {
        let refused = change(body).send(&server).await;
        assert_eq!((refused.verdict().as_str(), refused.field("field")), ("400 invalid_field", "filter"), "{body}");
        assert!(refused.body.contains(detail), "{}", refused.body);
    }
    assert_eq!((present(&server).await.body, audited(&server).await), (r#"{"filter":"info"}"#.to_owned(), 0));
}

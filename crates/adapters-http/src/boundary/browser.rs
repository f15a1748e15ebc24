use actix_web::HttpRequest;
use actix_web::http::header;
use domain::OwnerId;
use domain::sessions::{Browser, UserAgent};

use crate::boundary::exchange::Exchange;

/// The browser that calls, for lists of sessions.
pub(crate) fn browser_of(request: &HttpRequest) -> Browser {
    let user_agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    (user_agent.and_then(UserAgent::new), Exchange::of(request).and_then(|exchange| exchange.peer))
}

/// Records the user who has signed in, or calls with an ID token, for the log.
pub(crate) fn note_user(request: &HttpRequest, user: &OwnerId) {
    if let Some(exchange) = Exchange::of(request) {
        exchange.note_user(user);
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn an_unreadable_name_is_none() {
        for (value, name) in [(&b"Firefox"[..], Some("Firefox")), (b"\xff\xfe", None), (b" ", None)] {
            let request = TestRequest::default().insert_header((header::USER_AGENT, value)).to_http_request();
            assert_eq!(browser_of(&request).0.as_ref().map(UserAgent::as_str), name);
        }
    }
}

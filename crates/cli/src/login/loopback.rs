use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use actix_web::http::{KeepAlive, StatusCode, header};
use actix_web::web::{self, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use anyhow::{Context, Result, anyhow};
use domain::sessions::SignInSecrets;
use pages::{MEDIA_TYPE, escape, page};
use tokio::sync::mpsc::{self, Sender};
use url::form_urlencoded;
use zeroize::Zeroizing;

/// How long the last page may take to be sent.
const STOP_SECONDS_MAX: u64 = 2;
/// The most characters of a provider's error that are shown.
const REASON_CHARACTERS_MAX: usize = 200;

/// The port of this machine to which the identity provider leads the browser back (RFC 8252, section 7.3).
pub(super) struct Loopback(TcpListener);

/// The answer of the identity provider.
pub(super) enum Answer {
    /// The person has signed in.
    Code {
        /// The code, which becomes an ID token once.
        code: Zeroizing<String>,
        /// The issuer (RFC 9207).
        issuer: Option<String>,
    },
    /// The person has not signed in, for this reason.
    Refused(String),
}

/// The browser that must return.
struct Waiting {
    secrets: Arc<SignInSecrets>,
    /// Takes the answer.
    answers: Sender<Answer>,
}

impl Loopback {
    /// Listens on this port of 127.0.0.1, or on any free one.
    ///
    /// # Errors
    ///
    /// When another program has the port.
    pub(super) fn bind(port: Option<u16>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        listener.map(Self).map_err(|error| match (error.kind(), port) {
            (ErrorKind::AddrInUse, Some(port)) => {
                anyhow!("another program uses port {port} of 127.0.0.1: end it, or choose another --port")
            }
            _ => anyhow::Error::new(error).context("cannot listen on 127.0.0.1 for the end of the sign-in"),
        })
    }

    /// The return URL of the provider.
    ///
    /// # Errors
    ///
    /// When the listener has no address.
    pub(super) fn redirect_uri(&self) -> Result<String> {
        let address = self.0.local_addr().context("the listener has no address")?;
        Ok(format!("http://{address}/callback"))
    }

    /// Listens from now on, and returns the first answer to the sign-in with these secrets. Any page can send a browser to
    /// this port, so a request with another state does not end the wait.
    ///
    /// # Errors
    ///
    /// When the listener cannot be served.
    pub(super) fn answer(self, secrets: Arc<SignInSecrets>) -> Result<impl Future<Output = Result<Answer>>> {
        let (answers, mut arrivals) = mpsc::channel(1);
        let waiting = Data::new(Waiting { secrets, answers });
        let app = move || App::new().app_data(waiting.clone()).route("/callback", web::get().to(receive));
        let server = HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(STOP_SECONDS_MAX);
        let server = server.keep_alive(KeepAlive::Disabled).listen(self.0).context("cannot serve this machine")?;
        let mut server = server.run();
        Ok(async move {
            let handle = server.handle();
            let answer = tokio::select! {
                ended = &mut server => return Err(ended.err().map_or_else(|| anyhow!("the wait has ended"), Into::into)),
                answer = arrivals.recv() => answer.context("the wait has ended")?,
            };
            // The browser gets its page first.
            let ((), _) = tokio::join!(handle.stop(true), server);
            Ok(answer)
        })
    }
}

async fn receive(request: HttpRequest, waiting: Data<Waiting>) -> HttpResponse {
    let parameters = Parameters::of(request.query_string());
    if !parameters.one("state").is_some_and(|state| waiting.secrets.has_state(state)) {
        let text = "This answer does not belong to the login that waits here. Open the URL that the terminal shows.";
        return shown(StatusCode::BAD_REQUEST, "Another login", text);
    }
    let answer = parameters.answer();
    let response = match &answer {
        Answer::Code { .. } => {
            let text = "You can close this window. The terminal shows whether you are logged in.";
            shown(StatusCode::OK, "Go back to the terminal", text)
        }
        Answer::Refused(reason) => {
            let text = format!("{reason}. You can close this window, and run the command again.");
            shown(StatusCode::OK, "You are not logged in", &text)
        }
    };
    match waiting.answers.try_send(answer) {
        Ok(()) => response,
        Err(_) => shown(StatusCode::GONE, "This login has ended", "You can close this window."),
    }
}

/// A page that makes no requests. Its address, which has the code, is not stored anywhere.
fn shown(status: StatusCode, title: &str, text: &str) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, MEDIA_TYPE))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        ))
        .body(page(title, "", &format!("<p>{}</p>", escape(text))))
}

/// The parameters of an answer.
struct Parameters(Vec<(String, Zeroizing<String>)>);

impl Parameters {
    fn of(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), Zeroizing::new(value.into_owned()))).collect())
    }

    /// The value; `None` if the parameter is missing or occurs twice, which RFC 6749 (section 3.1) forbids.
    fn one(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    }

    fn answer(&self) -> Answer {
        if let Some(error) = self.one("error") {
            let description = self.one("error_description").map(|text| format!(": {text}")).unwrap_or_default();
            return Answer::Refused(printable(&format!("{error}{description}")));
        }
        match self.one("code") {
            Some(code) => {
                Answer::Code { code: Zeroizing::new(code.to_owned()), issuer: self.one("iss").map(str::to_owned) }
            }
            None => Answer::Refused("the answer has neither a code nor an error".to_owned()),
        }
    }
}

/// The part of a string from elsewhere that a terminal may show.
fn printable(text: &str) -> String {
    let shown = text.chars().filter(|character| *character == ' ' || character.is_ascii_graphic());
    shown.take(REASON_CHARACTERS_MAX).collect::<String>().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_code_or_a_reason_that_a_terminal_may_show() {
        let reason = |query: &str| match Parameters::of(query).answer() {
            Answer::Code { code, issuer } => format!("code {} of {issuer:?}", *code),
            Answer::Refused(reason) => reason,
        };
        assert_eq!(reason("code=a%26b&iss=https%3A%2F%2Fid.example"), "code a&b of Some(\"https://id.example\")");
        assert_eq!(reason("error=access_denied&code=c"), "access_denied");
        assert_eq!(reason("error=x&error_description=%1b%5b2Jno%0Away."), "x: [2Jnoway");
        assert_eq!(reason(&format!("error={}", "e".repeat(500))).len(), REASON_CHARACTERS_MAX);
        for neither in ["", "code=a&code=b", "state=s"] {
            assert!(reason(neither).starts_with("the answer has neither"), "{neither}");
        }
    }
}

use gatepost_client::{Error, Problem};
use serde::Serialize;

use crate::consent::NoConsent;
use crate::login::NobodyThere;

/// Why a command failed, for a script: an exit code, and a problem document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Any other reason.
    Other,
    /// The command line is wrong, or the command needs `--yes`.
    Usage,
    /// Gatepost refused the call (4xx).
    Refused,
    /// The thing that the command names does not exist (404).
    NotFound,
    /// No answer, or an answer that says "later": 408, 429, 5xx.
    Unavailable,
    /// A setting, a variable or a profile is missing or wrong. `EX_CONFIG` of BSD's sysexits.
    Configuration,
}

impl Failure {
    /// The reason for the error of a command.
    pub fn of(error: &anyhow::Error) -> Self {
        if let Some(no_consent) = cause::<NoConsent>(error) {
            return match no_consent {
                NoConsent::NoTerminal(_) => Self::Usage,
                NoConsent::Declined => Self::Other,
            };
        }
        if cause::<NobodyThere>(error).is_some() {
            return Self::Usage;
        }
        match cause::<Error>(error) {
            Some(Error::InvalidCredential | Error::InvalidBaseUrl) => Self::Configuration,
            Some(Error::InvalidId) => Self::Usage,
            Some(Error::Refused(problem)) => Self::of_status(problem.status),
            Some(Error::NoAnswer(_)) => Self::Unavailable,
            None if cause::<reqwest::Error>(error).is_some() => Self::Unavailable,
            Some(_) | None => Self::Other,
        }
    }

    fn of_status(status: u16) -> Self {
        match status {
            404 => Self::NotFound,
            408 | 429 | 500.. => Self::Unavailable,
            _ => Self::Refused,
        }
    }

    /// The exit code. See decision 80.
    pub fn exit_code(self) -> u8 {
        self.parts().0
    }

    /// The exit code, and the code and the title of the problem document.
    fn parts(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Other => (1, "command_failed", "The command failed"),
            Self::Usage => (2, "usage", "The command line is wrong"),
            Self::Refused => (3, "refused", "Gatepost refused the call"),
            Self::NotFound => (4, "not_found", "Not found"),
            Self::Unavailable => (5, "unavailable", "Gatepost cannot answer now"),
            Self::Configuration => (78, "configuration_invalid", "The configuration is not valid"),
        }
    }

    /// The problem document: that of the service, or one of the same form if the service sent none.
    pub fn in_json(self, error: &anyhow::Error) -> String {
        let (_, code, title) = self.parts();
        let own = OwnProblem { title, code, detail: format!("{error:#}") };
        let document = match cause::<Error>(error).and_then(Error::problem) {
            Some(problem) => serde_json::to_string(&whole(problem)),
            None => serde_json::to_string(&own),
        };
        document.unwrap_or_else(|_| own.detail.clone())
    }
}

/// A problem that the service did not report.
#[derive(Serialize)]
struct OwnProblem {
    title: &'static str,
    code: &'static str,
    detail: String,
}

/// A load balancer may answer with a status alone.
fn whole(problem: &Problem) -> Problem {
    let (_, code, title) = Failure::of_status(problem.status).parts();
    let mut whole = problem.clone();
    whole.title.get_or_insert_with(|| title.to_owned());
    whole.code.get_or_insert_with(|| code.to_owned());
    whole.detail.get_or_insert_with(|| problem.to_string());
    whole
}

fn cause<E: std::error::Error + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};
    use serde_json::{Value, json};

    use super::*;

    fn refused(status: u16) -> anyhow::Error {
        let mut problem = Problem::default();
        problem.status = status;
        anyhow::Error::new(Error::Refused(Box::new(problem))).context("while it was tested")
    }

    #[test]
    fn the_exit_code_says_what_to_do_next() {
        for (status, code) in [(400, 3), (401, 3), (403, 3), (409, 3), (404, 4), (408, 5), (429, 5), (500, 5), (503, 5)]
        {
            assert_eq!(Failure::of(&refused(status)).exit_code(), code, "{status}");
        }
        for (error, code) in [
            (anyhow!("a reason"), 1),
            (NoConsent::Declined.into(), 1),
            (NoConsent::NoTerminal("revoke key_1".to_owned()).into(), 2),
            (Error::InvalidCredential.into(), 78),
        ] {
            assert_eq!(Failure::of(&error).exit_code(), code, "{error}");
        }
    }

    #[tokio::test]
    async fn silence_is_not_a_refusal() {
        let silence = reqwest::Client::new().get("http://127.0.0.1:1/").send().await.unwrap_err();
        let error = Err::<(), _>(silence).context("nothing answers").context("cannot list").unwrap_err();
        assert_eq!(Failure::of(&error), Failure::Unavailable);
    }

    #[test]
    fn every_error_is_a_problem_document() {
        let problem = |error: &anyhow::Error| -> Value {
            serde_json::from_str(&Failure::of(error).in_json(error)).expect("one line of JSON")
        };
        let own = json!({ "title": "The command failed", "code": "command_failed", "detail": "outer: inner" });
        assert_eq!(problem(&anyhow!("inner").context("outer")), own);
        let of_a_proxy = problem(&refused(502));
        assert_eq!((&of_a_proxy["status"], &of_a_proxy["code"]), (&json!(502), &json!("unavailable")));
        assert!(of_a_proxy["title"].is_string() && of_a_proxy["detail"].is_string(), "{of_a_proxy}");
    }
}

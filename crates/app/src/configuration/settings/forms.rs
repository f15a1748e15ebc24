//! The forms of values: the allowed values, their parsers, and the part that may be shown.

use std::fmt::Display;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use adapters_http::{OperatorToken, OperatorTokens, ScimSubject};
use adapters_oidc::{ClaimPointer, OidcSettings, OidcVerifier, TokenKind};
use adapters_system::{EncryptionKey, LogFilter, LogFormat, MASK, Secret};
use domain::audit::AuditRetention;
use domain::catalogue::UncataloguedTypes;
use domain::organizations::DefaultOwner;
use domain::webhooks::{
    EventPattern, RetrySchedule, RetryWait, SigningSecret, SubscribedEvents, TargetUrl, WebhookPolicy,
    WebhookPolicySettings,
};
use domain::{KeyPolicy, KeyPolicySettings, Metadata, RateLimit, SamplingRatio};
use ipnet::IpNet;
use url::Url;

use super::Secrecy;

pub(super) const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The form of a rate limit.
pub(super) const RATE_LIMIT: &str = "a count and a unit, such as 100/s, 6000/m or 100000/h";
/// The value that switches a limit off.
const OFF: &str = "off";
/// The longest name, in characters, so that it fits next to the logo.
const NAME_LENGTH_MAX: usize = 40;
/// The form of `ORGANIZATION_ROLES`.
pub(super) const ROLES: &str =
    "roles and their capabilities, such as admin=keys+webhooks, dev=webhooks+keys:read, *=keys:read";
/// The start of a signing secret.
const SECRET_PREFIX: &str = "whsec_";
/// The start of the patterns of operational events.
const EVENTS_PREFIX: &str = "gatepost.";

/// How a value is written.
pub(super) struct Form<T> {
    /// See [`Setting::allowed`](super::Setting::allowed).
    pub(super) allowed: String,
    pub(super) parse: Parse<T>,
    /// The value as it may be shown.
    pub(super) show: Box<dyn Fn(&T) -> String + Send + Sync>,
    pub(super) secrecy: Secrecy,
}

type Parse<T> = Box<dyn Fn(&str) -> Option<T> + Send + Sync>;

impl<T> Form<T> {
    fn new(
        allowed: impl Into<String>,
        parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
        show: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { allowed: allowed.into(), parse: Box::new(parse), show: Box::new(show), secrecy: Secrecy::Open }
    }

    /// Adds a note to the allowed values.
    pub(super) fn noting(self, note: &str) -> Self {
        Self { allowed: self.allowed + note, ..self }
    }

    /// The values are URLs, which may have a password.
    pub(super) fn with_password(self) -> Self {
        Self { secrecy: Secrecy::Password, ..self }
    }

    fn secret(self) -> Self {
        Self { secrecy: Secrecy::Secret, ..self }
    }
}

/// Values that print as they are written.
pub(super) fn form<T: ToString + 'static>(
    allowed: impl Into<String>,
    parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
) -> Form<T> {
    Form::new(allowed, parse, T::to_string)
}

/// A few words, each with its value.
pub(super) fn word<T: Copy + PartialEq + Sync + 'static>(words: &'static [(&'static str, T)]) -> Form<T> {
    let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let parse = move |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    let show = move |shown: &T| words.iter().find(|(_, value)| value == shown).map_or("", |(word, _)| *word).to_owned();
    Form::new(allowed.join(" or "), parse, show)
}

pub(super) fn url<T: ToString + 'static>(allowed: &str, parse: fn(&str) -> Option<T>) -> Form<T> {
    form(allowed, parse).with_password()
}

/// Secrets.
pub(super) fn masked<T>(
    allowed: impl Into<String>,
    parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
) -> Form<T> {
    Form::new(allowed, parse, |_| MASK.to_owned()).secret()
}

pub(super) fn flag() -> Form<bool> {
    form("true or false", parsed)
}

pub(super) fn number<N>(range: RangeInclusive<N>) -> Form<N>
where
    N: FromStr + Display + PartialOrd + Send + Sync + 'static,
{
    let allowed = format!("{} to {}", range.start(), range.end());
    form(allowed, move |text| parsed::<N>(text).filter(|number| range.contains(number)))
}

/// A number of seconds.
pub(super) fn seconds(range: RangeInclusive<u64>) -> Form<Duration> {
    let Form { allowed, parse, .. } = number(range);
    Form::new(allowed, move |text| parse(text).map(Duration::from_secs), |time| time.as_secs().to_string())
}

pub(super) fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

pub(super) fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn some(what: &str) -> Form<String> {
    form(format!("one or more {what}, separated by commas"), not_empty)
}

/// Kept byte for byte, because `iss` must equal it: a slash at the end counts. The verifier knows which URLs are safe.
pub(super) fn issuer() -> Form<String> {
    url("the issuer's URL: https, or http on a loopback host; without user, query and fragment", |text| {
        OidcVerifier::new(OidcSettings::new(text.to_owned(), Vec::new())).is_ok().then(|| text.to_owned())
    })
}

pub(super) fn not_none(kinds: Vec<TokenKind>) -> Option<Vec<TokenKind>> {
    (!kinds.is_empty()).then_some(kinds)
}

pub(super) fn token_kinds() -> Form<TokenKind> {
    Form::new("id, access or both, separated by commas", TokenKind::of_name, |kind| kind.name().to_owned())
}

pub(super) fn claim() -> Form<ClaimPointer> {
    form(ClaimPointer::ALLOWED, ClaimPointer::parse)
}

pub(super) fn default_owner() -> Form<DefaultOwner> {
    word(&[("user", DefaultOwner::User), ("organization", DefaultOwner::Organization)])
}

pub(super) fn scim_subject() -> Form<ScimSubject> {
    word(&[("externalId", ScimSubject::ExternalId), ("userName", ScimSubject::UserName)])
}

pub(super) fn client_secret() -> Form<Secret> {
    masked("the client secret, without line breaks", |text| {
        (!text.chars().any(char::is_control)).then(|| Secret::new(text))
    })
}

pub(super) fn portal_name() -> Form<String> {
    form(format!("1 to {NAME_LENGTH_MAX} characters without line breaks"), |text| {
        let is_short = (1..=NAME_LENGTH_MAX).contains(&text.chars().count());
        (is_short && text.trim() == text && !text.chars().any(char::is_control)).then(|| text.to_owned())
    })
}

/// An SVG image, recognized by its element; browsers check the rest.
pub(super) fn svg() -> Form<String> {
    let parse = |text: &str| {
        let is_image = text.trim_start().starts_with('<') && text.contains("<svg") && text.contains("</svg>");
        is_image.then(|| text.to_owned())
    };
    Form::new("an SVG image", parse, |_| "an SVG image".to_owned())
}

/// The origins of pages, as browsers send them.
pub(super) fn web_origins() -> Form<String> {
    let allowed = "origins such as https://app.example.com, separated by commas: scheme, host and port only, without * \
                   and without a slash at the end";
    form(allowed, |text| {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        (url.origin().ascii_serialization() == text).then(|| text.to_owned())
    })
}

/// Ranges, or single addresses.
pub(super) fn networks() -> Form<IpNet> {
    form("addresses or CIDR ranges such as 10.0.0.0/8, separated by commas", |text| {
        parsed(text).or_else(|| parsed::<IpAddr>(text).map(IpNet::from))
    })
}

pub(super) fn audit_retention() -> Form<AuditRetention> {
    let parse = |text: &str| AuditRetention::of_days(parsed(text)?).ok();
    Form::new(format!("1 to {}", AuditRetention::DAYS_MAX), parse, |kept| kept.days().to_string())
}

/// See [`OperatorToken::is_strong`].
pub(crate) fn operator_token(text: &str) -> Option<Secret> {
    OperatorToken::is_strong(text).then(|| Secret::new(text))
}

pub(super) fn named_token() -> Form<OperatorToken> {
    form(format!("tokens separated by commas, each as {}", OperatorToken::FORMAT), OperatorToken::parse).secret()
}

pub(super) fn each_token(tokens: &OperatorTokens) -> Vec<OperatorToken> {
    tokens.all().iter().map(|token| OperatorToken::clone(token)).collect()
}

pub(super) fn encryption_key() -> Form<EncryptionKey> {
    masked(EncryptionKey::ALLOWED, EncryptionKey::parse).noting("; or several keys, separated by commas")
}

pub(super) fn log_filter() -> Form<LogFilter> {
    Form::new(LogFilter::ALLOWED, LogFilter::parse, |filter| filter.as_str().to_owned())
}

pub(super) fn log_format() -> Form<LogFormat> {
    word(&[("text", LogFormat::Text), ("json", LogFormat::Json)])
}

pub(super) fn certificates() -> Form<String> {
    Form::new("a chain of certificates in PEM", not_empty, |_| "a chain of certificates".to_owned())
}

pub(super) fn private_key() -> Form<Secret> {
    masked("a private key in PEM", |text| not_empty(text).map(Secret::new))
}

pub(super) fn ratio() -> Form<SamplingRatio> {
    let parse = |text: &str| parsed(text).and_then(SamplingRatio::new);
    Form::new("a number from 0 to 1", parse, |ratio| ratio.value().to_string())
}

pub(super) fn limit_or_off() -> Form<Option<RateLimit>> {
    Form::new(
        format!("{RATE_LIMIT}; or {OFF}"),
        |text| if text == OFF { Some(None) } else { parsed::<RateLimit>(text).map(Some) },
        |limit| limit.map_or_else(|| OFF.to_owned(), |limit| limit.to_string()),
    )
}

pub(super) fn metadata_name(text: &str) -> Option<String> {
    let pairs = [(text.to_owned(), String::new())].into();
    Metadata::new(pairs).is_ok().then(|| text.to_owned())
}

/// Values of the policy of keys. The allowed ones are in the error of the domain for a broken policy.
pub(super) fn key_limit<T: FromStr + ToString + 'static>(break_it: fn(&mut KeyPolicySettings)) -> Form<T> {
    let mut settings = KeyPolicySettings::default();
    break_it(&mut settings);
    let refused = KeyPolicy::new(settings).err().into_iter().flatten().next();
    form(refused.map(|one| one.allowed).unwrap_or_default(), parsed)
}

/// Values of the policy of webhooks, in the same way.
pub(super) fn webhook_limit<T: FromStr + ToString + 'static>(break_it: fn(&mut WebhookPolicySettings)) -> Form<T> {
    let mut settings = WebhookPolicySettings::default();
    break_it(&mut settings);
    let refused = WebhookPolicy::new(settings).err().into_iter().flatten().next();
    form(refused.map(|one| one.allowed).unwrap_or_default(), parsed)
}

/// A number of days.
pub(super) fn webhook_retention() -> Form<Duration> {
    let parse = |text: &str| parsed::<u64>(text)?.checked_mul(SECONDS_PER_DAY).map(Duration::from_secs);
    let show = |kept: &Duration| (kept.as_secs() / SECONDS_PER_DAY).to_string();
    Form::new(webhook_limit::<u64>(|webhooks| webhooks.retention = Duration::ZERO).allowed, parse, show)
}

pub(super) fn event_types() -> Form<UncataloguedTypes> {
    word(&[("open", UncataloguedTypes::Open), ("closed", UncataloguedTypes::Closed)])
}

pub(super) fn wait() -> Form<RetryWait> {
    form(format!("at most {} waits of 1s to 7d, such as 5s,5m,2h,1d", RetrySchedule::RETRIES_MAX), parsed)
}

pub(super) fn schedule(waits: Vec<RetryWait>) -> Option<RetrySchedule> {
    RetrySchedule::new(waits.into_iter().map(|RetryWait(wait)| wait).collect()).ok()
}

pub(super) fn waits(schedule: &RetrySchedule) -> Vec<RetryWait> {
    schedule.waits().iter().copied().map(RetryWait).collect()
}

/// Only scheme, host and port are shown: receivers put secrets into the rest.
pub(super) fn hook_url() -> Form<TargetUrl> {
    let is_http = |target: &TargetUrl| matches!(target.url().scheme(), "http" | "https");
    let parse = move |text: &str| TargetUrl::from_stored(text).filter(is_http);
    Form::new("an absolute URL", parse, |target| target.url().origin().ascii_serialization()).secret()
}

pub(super) fn webhook_secret() -> Form<Secret> {
    let allowed = format!("{SECRET_PREFIX} and base64, such as what `echo whsec_$(openssl rand -base64 32)` prints");
    masked(allowed, |text| {
        let is_valid = text.starts_with(SECRET_PREFIX) && SigningSecret::parse(text).is_ok();
        is_valid.then(|| Secret::new(text))
    })
}

pub(super) fn event_name() -> Form<String> {
    form(format!("event types or patterns that begin with {EVENTS_PREFIX}, separated by commas"), |text| {
        let is_valid = text.starts_with(EVENTS_PREFIX) && EventPattern::parse(text).is_ok();
        is_valid.then(|| text.to_owned())
    })
}

pub(super) fn names(events: &SubscribedEvents) -> Vec<String> {
    events.patterns().iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_logos_are_what_they_say() {
        assert_eq!((portal_name().parse)("Acme Müller & Co."), Some("Acme Müller & Co.".into()));
        for wrong in ["", " Acme", "Ac\nme", &"a".repeat(41)] {
            assert_eq!((portal_name().parse)(wrong), None, "{wrong:?}");
        }
        assert!((svg().parse)("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n").is_some());
        for wrong in ["", "logo.svg", "<html></html>", "\u{89}PNG"] {
            assert_eq!((svg().parse)(wrong), None, "{wrong:?}");
        }
    }
}

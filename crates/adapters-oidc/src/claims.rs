use std::slice;

use domain::{OwnerId, OwnerProfile, OwnerText, Timestamp};
use serde_json::{Map, Number, Value};

use crate::token_kind::TokenKind;

/// Why a token is refused. The reason is for the log, so it contains no part of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) &'static str);

/// How far the clocks of the provider and of this machine may differ, in milliseconds.
const LEEWAY_MILLIS: i64 = 60_000;

/// For whom a token must be issued.
pub(crate) struct Recipients {
    /// `aud` must contain one of these.
    pub(crate) audiences: Vec<String>,
    /// `azp` of an ID token must be one of these, or, in a token without `azp`, the only `aud`. So must `client_id` of an
    /// access token. Empty allows every client.
    pub(crate) client_ids: Vec<String>,
}

/// The user of the token, if its claims are acceptable. This function checks neither times nor the signature.
///
/// `iss` must be the issuer byte by byte, and `aud` must contain a configured audience. With several audiences `azp`
/// must be a configured audience or client too (`OpenID` Connect Core 1.0 section 3.1.3.7). With one audience `azp`
/// counts only if client ids are configured: the token of a mobile app names the app in `azp` and its server in `aud`.
///
/// An access token (RFC 9068) names its client in `client_id`. `aud` must contain a configured audience: a token for another
/// API, which that API could use here, is refused.
pub(crate) fn read_user(
    kind: TokenKind,
    claims: &Map<String, Value>,
    issuer: &str,
    recipients: &Recipients,
) -> Result<OwnerId, Refusal> {
    if claims.get("iss").and_then(Value::as_str) != Some(issuer) {
        return Err(Refusal("iss is not the configured issuer"));
    }
    let audiences = our_audiences(claims, &recipients.audiences)?;
    match kind {
        TokenKind::Id => check_client(claims, audiences, recipients)?,
        TokenKind::Access => check_access(claims, &recipients.client_ids)?,
    }
    let subject = claims.get("sub").and_then(Value::as_str).ok_or(Refusal("sub is missing or not a string"))?;
    OwnerId::new(issuer, subject).map_err(|_| Refusal("sub is not a valid user id"))
}

/// The name and the e-mail address of the user (`OpenID` Connect Core 1.0, section 5.1), with an address only if the
/// provider says that it has verified it: others can type the address of somebody else.
pub(crate) fn read_profile(claims: &Map<String, Value>) -> OwnerProfile {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    // Some providers send the truth as text.
    let is_verified = claims.get("email_verified").is_some_and(|it| *it == Value::Bool(true) || it == "true");
    OwnerProfile {
        name: text("name").and_then(|name| OwnerText::parse(name).ok()),
        email: text("email").filter(|_| is_verified).and_then(|email| OwnerText::parse(email).ok()),
    }
}

/// The audiences of the token, of which one must be ours.
fn our_audiences<'a>(claims: &'a Map<String, Value>, ours: &[String]) -> Result<&'a [Value], Refusal> {
    let audiences = match claims.get("aud") {
        Some(Value::Array(several)) if several.iter().all(Value::is_string) => several.as_slice(),
        Some(single @ Value::String(_)) => slice::from_ref(single),
        _ => return Err(Refusal("aud is missing, or neither a string nor a list of strings")),
    };
    let has_ours = audiences.iter().any(|audience| is_one_of(ours, audience));
    if has_ours { Ok(audiences) } else { Err(Refusal("aud contains none of the configured audiences")) }
}

fn check_access(claims: &Map<String, Value>, client_ids: &[String]) -> Result<(), Refusal> {
    let client = claims.get("client_id").and_then(Value::as_str);
    let client = client.ok_or(Refusal("client_id is missing or not a string"))?;
    if !client_ids.is_empty() && client_ids.iter().all(|known| known != client) {
        return Err(Refusal("the token was issued to a client that is not configured"));
    }
    // RFC 7800: another must prove that it has the key, which no call here does.
    if claims.contains_key("cnf") {
        return Err(Refusal("the token is bound to a key"));
    }
    // RFC 9068 section 2.2: the subject of a program that acts for itself is the program, at Auth0 with this suffix.
    let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    let is_program = subject.strip_suffix("@clients").unwrap_or(subject) == client;
    if is_program { Err(Refusal("the client acts for itself, not for a user")) } else { Ok(()) }
}

fn check_client(
    claims: &Map<String, Value>,
    audiences: &[Value],
    Recipients { audiences: ours, client_ids }: &Recipients,
) -> Result<(), Refusal> {
    let is_configured = |azp: &Value| is_one_of(ours, azp) || is_one_of(client_ids, azp);
    let azp = claims.get("azp");
    let is_authorized = audiences.len() == 1 || azp.is_some_and(is_configured);
    if !is_authorized {
        return Err(Refusal("several audiences, and azp is not configured"));
    }
    // Without `azp` there is only one audience.
    let client = azp.or(audiences.first());
    let is_allowed = client_ids.is_empty() || client.is_some_and(|client| is_one_of(client_ids, client));
    is_allowed.then_some(()).ok_or(Refusal("the token was issued to a client that is not configured"))
}

fn is_one_of(names: &[String], value: &Value) -> bool {
    value.as_str().is_some_and(|name| names.iter().any(|known| known == name))
}

/// When a token is good, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validity {
    expires_at: i64,
    not_before: Option<i64>,
    issued_at: Option<i64>,
}

impl Validity {
    /// Reads `exp`, which is required, `nbf` and `iat`.
    pub(crate) fn read(claims: &Map<String, Value>) -> Result<Self, Refusal> {
        let expires_at = claims.get("exp").ok_or(Refusal("exp is missing"))?;
        Ok(Self {
            expires_at: numeric_date(expires_at)?,
            not_before: claims.get("nbf").map(numeric_date).transpose()?,
            issued_at: claims.get("iat").map(numeric_date).transpose()?,
        })
    }

    /// Whether the token is valid at `at`, with 60 s of leeway at both ends. The instant `exp` is too late; the
    /// instants `nbf` and `iat` are not too early (RFC 7519 section 4.1).
    pub(crate) fn check(self, at: Timestamp) -> Result<(), Refusal> {
        let earliest_now = at.unix_millis() - LEEWAY_MILLIS;
        let latest_now = at.unix_millis() + LEEWAY_MILLIS;
        if self.expires_at <= earliest_now {
            return Err(Refusal("expired"));
        }
        if self.not_before.is_some_and(|not_before| not_before > latest_now) {
            return Err(Refusal("not yet valid"));
        }
        if self.issued_at.is_some_and(|issued_at| issued_at > latest_now) {
            return Err(Refusal("issued in the future"));
        }
        Ok(())
    }
}

/// Seconds since the Unix epoch, which may have a fraction (RFC 7519 section 2), as milliseconds.
fn numeric_date(value: &Value) -> Result<i64, Refusal> {
    value.as_number().and_then(to_millis).ok_or(Refusal("exp, nbf or iat is not a number of seconds"))
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and such a date is out of reach")]
fn to_millis(seconds: &Number) -> Option<i64> {
    match seconds.as_i64() {
        Some(whole) => Some(whole.saturating_mul(1_000)),
        None => seconds.as_f64().map(|fractional| (fractional * 1_000.0).floor() as i64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://id.example";

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn with(name: &str, value: Value) -> Map<String, Value> {
        let mut claims = object(&json!({"iss": ISSUER, "aud": "us", "sub": "alice"}));
        claims.insert(name.into(), value);
        claims
    }

    fn user(claims: &Map<String, Value>) -> Result<OwnerId, Refusal> {
        user_of_clients(claims, &[])
    }

    fn user_of_clients(claims: &Map<String, Value>, client_ids: &[&str]) -> Result<OwnerId, Refusal> {
        let client_ids = client_ids.iter().map(ToString::to_string).collect();
        read_user(
            TokenKind::Id,
            claims,
            ISSUER,
            &Recipients { audiences: vec!["us".into(), "us-too".into()], client_ids },
        )
    }

    #[test]
    fn configured_clients_are_azp_or_the_only_audience() {
        let token = |aud: Value, azp: Value| {
            let mut claims = with("aud", aud);
            if !azp.is_null() {
                claims.insert("azp".into(), azp);
            }
            user_of_clients(&claims, &["us", "app"]).is_ok()
        };
        for (aud, azp, is_good) in [
            (json!("us"), json!(null), true),
            (json!(["us"]), json!(null), true),
            (json!("us"), json!("us"), true),
            (json!("us"), json!("app"), true),
            (json!(["us", "them"]), json!("app"), true),
            (json!("us-too"), json!("app"), true),
            (json!("us-too"), json!(null), false),
            (json!("us"), json!("them"), false),
            (json!(["us"]), json!("them"), false),
            (json!("us"), json!(["us"]), false),
            (json!(["us", "them"]), json!("them"), false),
            (json!("app"), json!("app"), false), // not an audience
        ] {
            assert_eq!(token(aud.clone(), azp.clone()), is_good, "aud {aud}, azp {azp}");
        }
    }

    #[test]
    fn good_claims_name_the_user() {
        let alice = Ok(OwnerId::new(ISSUER, "alice").unwrap());
        assert_eq!(user(&with("aud", json!("us"))), alice);
        assert_eq!(user(&with("aud", json!("us-too"))), alice);
        assert_eq!(user(&with("aud", json!(["us"]))), alice);
        assert_eq!(user(&with("azp", json!("a-mobile-app"))), alice);
        assert_eq!(user(&with("sub", json!("a".repeat(255)))).unwrap().subject().len(), 255);
    }

    #[test]
    fn a_profile_has_what_is_verified_and_fits() {
        let read = |claims: Value| {
            let OwnerProfile { name, email } = read_profile(&object(&claims));
            (name.map(|name| name.as_str().to_owned()), email.map(|email| email.as_str().to_owned()))
        };
        let both = (Some("Zoë".to_owned()), Some("zoe@acme.example".to_owned()));
        assert_eq!(read(json!({"name": "Zoë", "email": "zoe@acme.example", "email_verified": "true"})), both);
        assert_eq!(read(json!({"name": "Zoë", "email": "zoe@acme.example"})), (both.0.clone(), None));
        assert_eq!(read(json!({"name": "Zoë", "email": "zoe@acme.example", "email_verified": true})), both);
        for unverified in [json!(false), json!("false"), json!(null)] {
            assert_eq!(read(json!({"email": "zoe@acme.example", "email_verified": unverified})), (None, None));
        }
        for wrong in [json!(""), json!("a\n"), json!(1), json!("a".repeat(300))] {
            let claims = json!({"name": wrong, "email": wrong, "email_verified": true});
            assert_eq!(read(claims), (None, None), "{wrong}");
        }
    }

    #[test]
    fn claims_that_are_not_for_us() {
        let wrong = json!({
            "iss": [
                "https://id.example/", "https://id.exampl", "https://id.example.evil", "HTTPS://ID.EXAMPLE",
                "https://id.example\0", [ISSUER], {"0": ISSUER}, null,
            ],
            "aud": [
                "US", "us ", "u", "us,us-too", "", null, 1, true, [], [["us"]], ["us", 1], {"us": true}, ["them"],
                ["us", "them"], // and no azp
            ],
            "sub": ["", 1, null, ["alice"], "a".repeat(256), "alice\0", "alice\n"],
        });
        for (name, values) in object(&wrong) {
            for value in values.as_array().unwrap() {
                assert!(user(&with(&name, value.clone())).is_err(), "{name}: {value}");
            }
        }
        for name in ["iss", "aud", "sub"] {
            let mut claims = with(name, json!(null));
            claims.remove(name);
            assert!(user(&claims).is_err(), "without {name}");
        }
    }

    #[test]
    fn several_audiences_need_azp() {
        let several = |azp: Value| {
            let mut claims = with("aud", json!(["them", "us"]));
            claims.insert("azp".into(), azp);
            user(&claims).is_ok()
        };
        assert!(several(json!("us")));
        assert!(several(json!("us-too")));
        for wrong in [json!("them"), json!(""), json!(["us"]), json!(null), json!("US")] {
            assert!(!several(wrong.clone()), "{wrong}");
        }
    }

    #[test]
    fn access_tokens_are_for_a_configured_audience_and_a_user() {
        let read = |changes: &Value, client_ids: &[&str]| {
            let mut claims = with("client_id", json!("app"));
            claims.extend(object(changes));
            claims.retain(|_, value| !value.is_null());
            let client_ids = client_ids.iter().map(ToString::to_string).collect();
            let recipients = Recipients { audiences: vec!["us".into(), "us-too".into()], client_ids };
            read_user(TokenKind::Access, &claims, ISSUER, &recipients).is_ok()
        };
        for (changes, client_ids, is_good) in [
            (json!({}), [].as_slice(), true),
            (json!({}), &["web", "app"], true),
            (json!({"aud": ["them", "us-too"]}), &[], true),
            (json!({"azp": "them"}), &["app"], true),
            (json!({}), &["us"], false),
            (json!({"aud": "them"}), &[], false),
            (json!({"aud": "them", "client_id": "us"}), &[], false),
            (json!({"aud": "them"}), &["app"], false),
            (json!({"aud": null, "client_id": "us"}), &[], false),
            (json!({"aud": []}), &[], false),
            (json!({"aud": [["us"]]}), &[], false),
            (json!({"aud": ["us", 1]}), &[], false),
            (json!({"aud": {"us": true}}), &[], false),
            (json!({"client_id": null}), &[], false),
            (json!({"client_id": ["app"]}), &[], false),
            (json!({"cnf": {"jkt": "x"}}), &[], false),
            (json!({"sub": "app"}), &[], false),
            (json!({"sub": "app@clients"}), &[], false),
            (json!({"sub": "app@clients.example"}), &[], true),
        ] {
            assert_eq!(read(&changes, client_ids), is_good, "{changes}, {client_ids:?}");
        }
    }

    #[test]
    fn times_have_a_leeway_of_60_seconds_to_the_millisecond() {
        // (claim, value, seen at, good)
        let table = [
            ("exp", json!(1_000), 1_059_999, true),
            ("exp", json!(1_000), 1_060_000, false),
            ("exp", json!(1_000.5), 1_060_499, true),
            ("exp", json!(1_000.5), 1_060_500, false),
            ("exp", json!(1e3), 1_059_999, true),
            ("exp", json!(1e300), 1_060_000, true),
            ("exp", json!(u64::MAX), 1_060_000, true),
            ("exp", json!(-1e300), 0, false),
            ("exp", json!(i64::MIN), 0, false),
            ("exp", json!(0), 59_999, true),
            ("nbf", json!(1_000), 940_000, true),
            ("nbf", json!(1_000), 939_999, false),
            ("nbf", json!(1_000.5), 940_499, false),
            ("nbf", json!(1_000.5), 940_500, true),
            ("iat", json!(1_000), 940_000, true),
            ("iat", json!(1_000), 939_999, false),
        ];
        for (name, value, at, good) in table {
            let mut claims = object(&json!({"exp": 5_000}));
            claims.insert(name.into(), value.clone());
            let validity = Validity::read(&claims).unwrap();
            let at = Timestamp::from_unix_millis(at).unwrap();
            assert_eq!(validity.check(at).is_ok(), good, "{name} {value} at {at}");
        }
    }

    #[test]
    fn times_are_numbers() {
        for name in ["exp", "nbf", "iat"] {
            for wrong in [json!("5000"), json!(null), json!([5_000]), json!({}), json!(true)] {
                let mut claims = object(&json!({"exp": 5_000}));
                claims.insert(name.into(), wrong.clone());
                assert!(Validity::read(&claims).is_err(), "{name}: {wrong}");
            }
        }
        assert!(Validity::read(&Map::new()).is_err());
    }
}

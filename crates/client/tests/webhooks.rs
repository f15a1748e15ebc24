//! Webhooks as a receiver verifies them: the check value of Standard Webhooks, forgeries, and the reference library.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_client::webhooks::{Headers, InvalidSigningSecret, Refused, SigningSecret, TOLERANCE};
use proptest::prelude::*;
use standardwebhooks::Webhook;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY: &[u8] = br#"{"test": 2432232314}"#;
const SENT_AT: u64 = 1_614_265_330;
const GENUINE: Headers<'static> = Headers {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: "1614265330",
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

fn at(unix_seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(unix_seconds)
}

fn secret() -> SigningSecret {
    SigningSecret::parse(SECRET).unwrap()
}

#[test]
fn the_check_value_is_genuine() {
    assert_eq!(secret().verify(&GENUINE, BODY, at(SENT_AT)), Ok(()));
}

#[test]
fn one_signature_of_several_is_enough() {
    let genuine = GENUINE.signature;
    let other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    for signature in [
        format!("{other} {genuine}"),
        format!("{genuine} {other}"),
        format!("v1a,c2lnbmF0dXJl {genuine}"),
        format!("v1,not-base64 {genuine}"),
        format!("  {genuine}  "),
    ] {
        let headers = Headers { signature: &signature, ..GENUINE };
        assert_eq!(secret().verify(&headers, BODY, at(SENT_AT)), Ok(()), "{signature}");
    }
}

#[test]
fn whatever_was_changed_is_noticed() {
    let genuine = GENUINE.signature;
    let (cut, lower) = (&genuine[..genuine.len() - 5], genuine.to_lowercase());
    let many = format!("{}{genuine}", "v1,AAAA ".repeat(32));
    for (what, headers, body) in [
        ("body", GENUINE, &b"{\"test\": 2432232315}"[..]),
        ("body's space", GENUINE, b"{\"test\":2432232314}"),
        ("no body", GENUINE, b""),
        ("id", Headers { id: "msg_other", ..GENUINE }, BODY),
        ("id and body", Headers { id: "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330", ..GENUINE }, BODY),
        ("timestamp", Headers { timestamp: "1614265331", ..GENUINE }, BODY),
        ("timestamp's zero", Headers { timestamp: "01614265330", ..GENUINE }, BODY),
        ("no signature", Headers { signature: "", ..GENUINE }, BODY),
        ("no version", Headers { signature: &genuine[3..], ..GENUINE }, BODY),
        ("other version", Headers { signature: &genuine.replace("v1,", "v2,"), ..GENUINE }, BODY),
        ("short", Headers { signature: cut, ..GENUINE }, BODY),
        ("its first 24 bytes", Headers { signature: &genuine[.."v1,".len() + 32], ..GENUINE }, BODY),
        ("lower case", Headers { signature: &lower, ..GENUINE }, BODY),
        ("too many", Headers { signature: &many, ..GENUINE }, BODY),
    ] {
        assert_eq!(secret().verify(&headers, body, at(SENT_AT)), Err(Refused::WrongSignature), "{what}");
    }
    let other = SigningSecret::parse("swordfish").unwrap();
    assert_eq!(other.verify(&GENUINE, BODY, at(SENT_AT)), Err(Refused::WrongSignature));
}

#[test]
fn a_webhook_is_believed_for_five_minutes_either_way() {
    let tolerance = TOLERANCE.as_secs();
    assert_eq!(tolerance, 300);
    for (now, expected) in [
        (SENT_AT + tolerance, Ok(())),
        (SENT_AT + tolerance + 1, Err(Refused::TooOld)),
        (SENT_AT - tolerance, Ok(())),
        (SENT_AT - tolerance - 1, Err(Refused::TooNew)),
    ] {
        assert_eq!(secret().verify(&GENUINE, BODY, at(now)), expected, "{now}");
    }
    for unreadable in ["", "now", "-1614265330", "+1614265330", " 1614265330", "1614265330.0", "99999999999999999999"] {
        let headers = Headers { timestamp: unreadable, ..GENUINE };
        let verdict = secret().verify(&headers, BODY, at(SENT_AT));
        assert_eq!(verdict, Err(Refused::UnreadableTimestamp), "{unreadable:?}");
    }
    let headers = Headers { timestamp: "18446744073709551615", ..GENUINE };
    assert_eq!(secret().verify(&headers, BODY, at(SENT_AT)), Err(Refused::TooNew));
}

#[test]
fn a_header_that_is_missing_is_named() {
    for missing in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let headers = Headers::read(|name| (name != missing).then_some("1"));
        assert_eq!(headers.unwrap_err(), Refused::MissingHeader(missing));
    }
}

#[test]
fn a_secret_is_taken_as_gatepost_takes_it_and_does_not_print() {
    let base64_of = |bytes: usize| format!("whsec_{}", "AAAA".repeat(bytes / 3));
    for good in [SECRET.to_owned(), "s".to_owned(), "é".repeat(256), base64_of(24), base64_of(63)] {
        assert!(SigningSecret::parse(&good).is_ok(), "{good}");
    }
    for (wrong, why) in [
        (String::new(), InvalidSigningSecret::Length),
        ("s".repeat(257), InvalidSigningSecret::Length),
        ("whsec_".to_owned(), InvalidSigningSecret::Key),
        ("whsec_ !".to_owned(), InvalidSigningSecret::Key),
        (base64_of(21), InvalidSigningSecret::Key),
        (base64_of(66), InvalidSigningSecret::Key),
    ] {
        assert_eq!(SigningSecret::parse(&wrong).unwrap_err(), why, "{wrong}");
    }
    assert_eq!(format!("{:?}", secret()), "SigningSecret");
}

proptest! {
    /// A signature of the reference library verifies, and does not after any change.
    #[test]
    fn agrees_with_the_reference_library(
        key in prop::collection::vec(any::<u8>(), 24..=64),
        is_text in any::<bool>(),
        id in "[!-~]{1,40}",
        body in ".{0,200}",
        seconds in 0..=4_000_000_000_u64,
    ) {
        let encoded = format!("whsec_{}", STANDARD.encode(&key));
        let text = format!("text-{}", STANDARD.encode(&key));
        let (theirs, ours) =
            if is_text { (Webhook::from_bytes(text.clone().into_bytes()), text) } else { (Webhook::new(&encoded), encoded) };
        let ours = SigningSecret::parse(&ours)?;
        let signature = theirs.unwrap().sign(&id, i64::try_from(seconds)?, body.as_bytes()).unwrap();
        let timestamp = seconds.to_string();
        let headers = Headers { id: &id, timestamp: &timestamp, signature: &signature };
        prop_assert_eq!(ours.verify(&headers, body.as_bytes(), at(seconds)), Ok(()));
        let (changed_body, changed_id) = (format!("{body} "), format!("{id} "));
        let wrong = Err(Refused::WrongSignature);
        prop_assert_eq!(ours.verify(&headers, changed_body.as_bytes(), at(seconds)), wrong);
        prop_assert_eq!(ours.verify(&Headers { id: &changed_id, ..headers }, body.as_bytes(), at(seconds)), wrong);
    }
}

//! Known attacks with tokens, against a verifier that fetches its keys from a real server.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::sync::Arc;

use domain::IdToken;
use domain::ports::{IdentityVerdict, IdentityVerifier};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::test_keys::{NOW_SECONDS, TestKey, encode, key_set, now, with};
use crate::{OidcSettings, OidcVerifier, TokenKind};

const NOT_ACCEPTED: &str = "the header's alg is not accepted";
const NO_SUCH_KEY: &str = "the provider has no such key";
const BAD_SIGNATURE: &str = "the signature is not the key's";
const BAD_HEADER: &str = "the header is not base64url of one JSON object";
const BAD_PAYLOAD: &str = "the payload is not base64url of one JSON object";
const NOT_THE_KEYS: &str = "alg is not the key's";

const NOT_OURS: &str = "aud contains none of the configured audiences";
const NO_ACCESS_TOKEN: &str = "an access token, and only ID tokens are accepted here";
const NO_ID_TOKEN: &str = "an ID token, and only access tokens are accepted here";
const BAD_TYPE: &str = "the header's typ is neither JWT nor at+jwt";

/// A provider with one key of each kind, and many keys that must be ignored.
struct Target {
    provider: MockServer,
    verifier: Arc<OidcVerifier>,
    rsa: TestKey,
    p256: TestKey,
    ed25519: TestKey,
    stranger: TestKey,
    claims: Value,
    stop: CancellationToken,
}

impl Target {
    async fn start() -> Self {
        Self::accepting(vec![TokenKind::Id]).await
    }

    async fn accepting(kinds: Vec<TokenKind>) -> Self {
        let provider = MockServer::start().await;
        let (rsa, p256, ed25519) = (TestKey::rsa(), TestKey::p256(), TestKey::ed25519(1));
        let keys = key_set(&[
            json!("junk"),
            json!(null),
            json!({"kty": "RSA"}),
            json!({"kid": "shared", "kty": "oct", "alg": "HS256", "k": "c2VjcmV0"}),
            with(&p256.jwk("for-encryption"), "use", json!("enc")),
            json!({"kid": "weak", "kty": "RSA", "n": encode([0xff; 128]), "e": "AQAB"}),
            json!({"kid": "low", "kty": "OKP", "crv": "Ed25519", "x": encode([0; 32])}),
            rsa.jwk("rsa"),
            with(&rsa.jwk("rs256-only"), "alg", json!("RS256")),
            p256.jwk("p256"),
            ed25519.jwk("ed25519"),
        ]);
        let issuer = provider.uri();
        let discovery = json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")}).to_string();
        serve(&provider, "/.well-known/openid-configuration", discovery).await;
        serve(&provider, "/keys", keys).await;
        let settings = OidcSettings { kinds, ..OidcSettings::new(issuer.clone(), vec!["us".into()]) };
        let verifier = OidcVerifier::new(settings).unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(&verifier).run(stop.clone()));
        let claims = json!({"iss": issuer, "aud": "us", "sub": "alice", "exp": NOW_SECONDS + 600});
        Self { provider, verifier, rsa, p256, ed25519, stranger: TestKey::p256(), claims, stop }
    }

    /// The verdict. A token with an unknown key counts as refused, also within 30 s of a fetch, when the verifier
    /// cannot know.
    async fn verdict(&self, token: &str) -> IdentityVerdict {
        let verdict = self.verifier.verify(&IdToken::new(token), now()).await;
        verdict.unwrap_or(IdentityVerdict::Refused(NO_SUCH_KEY))
    }

    async fn assert_good(&self, token: &str) {
        let verdict = self.verdict(token).await;
        assert!(matches!(verdict, IdentityVerdict::Valid(identity) if identity.user.subject() == "alice"));
    }

    async fn assert_refused(&self, table: Vec<(String, &'static str)>) {
        for (token, reason) in table {
            assert_eq!(self.verdict(&token).await, IdentityVerdict::Refused(reason), "{token}");
        }
    }

    /// A good token by the P-256 key, except for one change in its header.
    fn with_header(&self, name: &str, value: Value) -> String {
        self.p256.token(&with(&json!({"alg": "ES256", "kid": "p256"}), name, value), &self.claims)
    }

    async fn fetches(&self) -> usize {
        self.provider.received_requests().await.unwrap().iter().filter(|request| request.url.path() == "/keys").count()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn serve(provider: &MockServer, at: &str, body: String) {
    let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
    Mock::given(method("GET")).and(path(at)).respond_with(answer).mount(provider).await;
}

#[tokio::test]
async fn honest_tokens_are_good() {
    let target = Target::start().await;
    for algorithm in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
        target.assert_good(&target.rsa.token(&json!({"alg": algorithm, "kid": "rsa"}), &target.claims)).await;
    }
    target.assert_good(&target.with_header("typ", json!("JWT"))).await;
    target.assert_good(&target.ed25519.token(&json!({"alg": "EdDSA", "kid": "ed25519"}), &target.claims)).await;
    target.assert_good(&target.ed25519.token(&json!({"alg": "EdDSA"}), &target.claims)).await;
    assert_eq!(target.fetches().await, 1);
}

/// `client_id` is not an audience, in no kind of token.
#[tokio::test]
async fn each_kind_of_token_is_good_where_it_is_accepted() {
    for kinds in [vec![TokenKind::Id], vec![TokenKind::Access], TokenKind::ALL.to_vec()] {
        let target = Target::accepting(kinds.clone()).await;
        let token = |kind: Option<&str>, claims: Value| {
            let header = json!({"alg": "ES256", "kid": "p256"});
            target.p256.token(&kind.map_or(header.clone(), |kind| with(&header, "typ", json!(kind))), &claims)
        };
        let of_client = |client| with(&target.claims, "client_id", json!(client));
        let (ids, accesses) = ([None, Some("JWT"), Some("jwt")], [Some("at+jwt"), Some("application/AT+JWT")]);
        for kind in ids {
            let good = token(kind, target.claims.clone());
            if kinds.contains(&TokenKind::Id) {
                target.assert_good(&good).await;
                let of_others = with(&of_client("us"), "aud", json!("them"));
                target.assert_refused(vec![(token(kind, of_others), NOT_OURS)]).await;
            } else {
                target.assert_refused(vec![(good, NO_ID_TOKEN)]).await;
            }
        }
        for kind in accesses {
            let good = token(kind, of_client("app"));
            if kinds.contains(&TokenKind::Access) {
                target.assert_good(&good).await;
                let of_another_api = token(kind, with(&of_client("us"), "aud", json!("them")));
                target.assert_refused(vec![(of_another_api, NOT_OURS)]).await;
                let without_client = token(kind, target.claims.clone());
                target.assert_refused(vec![(without_client, "client_id is missing or not a string")]).await;
            } else {
                target.assert_refused(vec![(good, NO_ACCESS_TOKEN)]).await;
            }
        }
    }
}

#[tokio::test]
async fn the_algorithm_is_the_keys() {
    let target = Target::start().await;
    let payload = encode(target.claims.to_string());
    let mut table = Vec::new();
    for none in ["none", "None", "NONE", "nOnE", "nonE", ""] {
        let header = encode(json!({"alg": none, "kid": "rsa"}).to_string());
        table.push((format!("{header}.{payload}."), "not three parts"));
        table.push((format!("{header}.{payload}.AAAA"), NOT_ACCEPTED));
        table.push((target.rsa.token(&json!({"alg": none, "kid": "rsa"}), &target.claims), NOT_ACCEPTED));
    }
    let der = target.rsa.public_der();
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", in_lines(&der));
    let jwk = target.rsa.jwk("rsa").to_string();
    for secret in [&der[..], pem.as_bytes(), pem.trim().as_bytes(), jwk.as_bytes(), b"secret", b""] {
        let header = json!({"alg": "HS256", "kid": "rsa"});
        table.push((hs256(&header, &target.claims, secret), NOT_ACCEPTED));
    }
    for (header, reason) in [
        (json!({"alg": "ES256", "kid": "rsa"}), NOT_THE_KEYS),
        (json!({"alg": "EdDSA", "kid": "rsa"}), NOT_THE_KEYS),
        (json!({"alg": "RS384", "kid": "rs256-only"}), NOT_THE_KEYS),
        (json!({"alg": "PS256", "kid": "rs256-only"}), NOT_THE_KEYS),
        (json!({"alg": "RS256", "kid": "p256"}), NOT_THE_KEYS),
        (json!({"alg": "RS256", "kid": "shared"}), NO_SUCH_KEY),
        (json!({"alg": "RS256", "kid": "weak"}), NO_SUCH_KEY),
        (json!({"alg": "RS256"}), "several keys fit"),
        (json!({"alg": "ES384"}), NO_SUCH_KEY),
    ] {
        table.push((target.rsa.token(&header, &target.claims), reason));
    }
    target.assert_refused(table).await;
}

#[tokio::test]
async fn a_token_brings_no_key_along_and_no_address() {
    let target = Target::start().await;
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let lure = format!("http://{}/keys", canary.local_addr().unwrap());
    // The owner of the key may write anything there, because the verifier ignores it.
    for name in ["jku", "x5u"] {
        target.assert_good(&target.with_header(name, json!(lure))).await;
    }
    target.assert_good(&target.with_header("jwk", target.stranger.jwk("p256"))).await;

    let own = json!({"alg": "ES256", "kid": "mine"});
    let mut table = Vec::new();
    for kid in ["p256", "mine"] {
        let header = with(&own, "kid", json!(kid));
        let reason = if kid == "p256" { BAD_SIGNATURE } else { NO_SUCH_KEY };
        for (name, value) in [
            ("jwk", target.stranger.jwk(kid)),
            ("jku", json!(lure)),
            ("x5u", json!(lure)),
            ("x5c", json!(["AAAA"])),
            ("iss", json!(lure)),
        ] {
            table.push((target.stranger.token(&with(&header, name, value), &target.claims), reason));
        }
    }
    let elsewhere = with(&target.claims, "iss", json!(lure));
    table.push((target.stranger.token(&own, &elsewhere), "iss is not the configured issuer"));
    target.assert_refused(table).await;

    assert_eq!(canary.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "somebody followed the lure");
    assert_eq!(target.fetches().await, 2, "the first, and one for all unknown keys");
}

#[tokio::test]
async fn a_key_id_is_only_compared() {
    let target = Target::start().await;
    let long = "k".repeat(8_000);
    let ids = [
        "../../../../dev/null",
        "/etc/passwd",
        "' OR '1'='1",
        "p256'--",
        "p256\0",
        "\0",
        "p256 ",
        "P256",
        "",
        "*",
        ".*",
        "http://127.0.0.1:1/",
        "%70256",
        "$(id)",
        "<script>",
        "{{7*7}}",
        "\u{202e}652p",
        "__proto__",
        long.as_str(),
    ];
    let table = ids.into_iter().map(|id| (target.with_header("kid", json!(id)), NO_SUCH_KEY)).collect();
    target.assert_refused(table).await;
    let not_text = "the header's kid is not text";
    let wrong = [json!(null), json!(1), json!(["p256"]), json!({"p256": 1}), json!(true)];
    target.assert_refused(wrong.into_iter().map(|id| (target.with_header("kid", id), not_text)).collect()).await;
    assert_eq!(target.fetches().await, 2, "the first, and one for all unknown keys");
}

#[tokio::test]
async fn signatures_have_one_form() {
    let target = Target::start().await;
    let good = target.with_header("typ", json!("JWT"));
    target.assert_good(&good).await;
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let raw = target.p256.sign("ES256", signed.as_bytes());
    let with_signature = |bytes: &[u8]| format!("{signed}.{}", encode(bytes));
    let mut flipped = raw.clone();
    flipped[10] ^= 1;
    let last = signature.chars().last().unwrap();
    // 64 bytes leave four bits over in the last character, which must be zero.
    let noncanonical = char::from_u32(u32::from(last) + 1).unwrap();
    let table = vec![
        (with_signature(&flipped), BAD_SIGNATURE),
        (with_signature(&[0; 64]), BAD_SIGNATURE),
        (with_signature(&raw[..63]), BAD_SIGNATURE),
        (with_signature(&[&raw[..], &[0]].concat()), BAD_SIGNATURE),
        (with_signature(&[&[0], &raw[..]].concat()), BAD_SIGNATURE),
        (with_signature(&in_der(&raw)), BAD_SIGNATURE),
        (format!("{}{noncanonical}", &good[..good.len() - 1]), BAD_SIGNATURE),
        (format!("{good}="), BAD_SIGNATURE),
        (format!("{good}=="), BAD_SIGNATURE),
        (format!("{good}\n"), BAD_SIGNATURE),
        (format!("{signed}. {signature}"), BAD_SIGNATURE),
        (format!("{good}."), "not three parts"),
        (format!(".{good}"), "not three parts"),
        (format!("{good}.AAAA.AAAA"), "not three parts"),
        (format!(" {good}"), BAD_HEADER),
        (good.replacen('.', "=.", 1), BAD_HEADER),
        (format!("{signed}=.{signature}"), BAD_PAYLOAD),
        (signed.to_owned(), "not three parts"),
        (target.stranger.token(&json!({"alg": "ES256", "kid": "p256"}), &target.claims), BAD_SIGNATURE),
        (target.p256.token(&json!({"alg": "ES256", "kid": "for-encryption"}), &target.claims), NO_SUCH_KEY),
        (forged_by_small_order(&target.claims), NO_SUCH_KEY),
    ];
    target.assert_refused(table).await;
}

#[tokio::test]
async fn what_is_signed_must_be_plain() {
    let target = Target::start().await;
    let header = json!({"alg": "ES256", "kid": "p256"});
    target.assert_good(&target.p256.token(&header, &target.claims)).await;
    let text = target.claims.to_string();
    let twice = |member: &str| text.replacen('{', &format!("{{{member},"), 1);
    let table = vec![
        (target.p256.token_of_text(&header.to_string(), &twice(r#""sub":"bob""#)), BAD_PAYLOAD),
        (target.p256.token_of_text(&header.to_string(), &twice(r#""\u0073ub":"bob""#)), BAD_PAYLOAD),
        (target.p256.token_of_text(&header.to_string(), &twice(r#""x":{"a":1,"a":2}"#)), BAD_PAYLOAD),
        (target.p256.token_of_text(r#"{"alg":"none","alg":"ES256","kid":"p256"}"#, &text), BAD_HEADER),
        (target.p256.token_of_text(r#"{"alg":"ES256","kid":"a","kid":"p256"}"#, &text), BAD_HEADER),
        (target.p256.token_of_text(&header.to_string(), &format!("[{text}]")), BAD_PAYLOAD),
        (target.p256.token_of_text(&header.to_string(), &encode(&text)), BAD_PAYLOAD),
        (target.p256.token_of_text(&header.to_string(), &format!("{text}{text}")), BAD_PAYLOAD),
        (target.p256.token_of_text(&header.to_string(), "not JSON"), BAD_PAYLOAD),
        (target.with_header("crit", json!(["exp"])), "the header has crit"),
        (target.with_header("typ", json!("at+jwt")), NO_ACCESS_TOKEN),
        (target.with_header("typ", json!("logout+jwt")), BAD_TYPE),
        (target.with_header("typ", json!(["JWT"])), BAD_TYPE),
        (target.with_header("padding", json!("x".repeat(16 * 1024))), "longer than 16 KiB"),
        (target.p256.token(&header, &with(&target.claims, "exp", json!(NOW_SECONDS - 60))), "expired"),
        (target.p256.token(&header, &with(&target.claims, "nbf", json!(NOW_SECONDS + 61))), "not yet valid"),
        (target.p256.token(&header, &with(&target.claims, "iat", json!(NOW_SECONDS + 61))), "issued in the future"),
        (target.p256.token(&header, &with(&target.claims, "aud", json!("them"))), NOT_OURS),
    ];
    target.assert_refused(table).await;
    assert_eq!(target.fetches().await, 1);
}

fn hs256(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret);
    format!("{signed}.{}", encode(aws_lc_rs::hmac::sign(&key, signed.as_bytes())))
}

/// With `low` for a key, R = s = 0 would be a signature of an eighth of all messages.
fn forged_by_small_order(claims: &Value) -> String {
    let header = json!({"alg": "EdDSA", "kid": "low"});
    format!("{}.{}.{}", encode(header.to_string()), encode(claims.to_string()), encode([0; 64]))
}

fn in_lines(der: &[u8]) -> String {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>().join("\n")
}

/// The signature as ASN.1 writes it, which JWS does not take.
fn in_der(raw: &[u8]) -> Vec<u8> {
    let integer = |half: &[u8]| {
        let mut bytes: Vec<u8> = half.iter().copied().skip_while(|byte| *byte == 0).collect();
        if bytes[0] >= 0x80 {
            bytes.insert(0, 0);
        }
        [&[2, u8::try_from(bytes.len()).unwrap()][..], &bytes].concat()
    };
    let both = [integer(&raw[..32]), integer(&raw[32..])].concat();
    [&[0x30, u8::try_from(both.len()).unwrap()][..], &both].concat()
}

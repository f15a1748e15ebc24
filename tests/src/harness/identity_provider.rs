use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const KEY_ID: &str = "suite";
pub(crate) const AUDIENCE: &str = "gatepost-suite";

/// An identity provider for tests: discovery, one Ed25519 key, and tokens for any subject.
pub(crate) struct IdentityProvider {
    issuer: String,
    signing_key: EncodingKey,
}

impl IdentityProvider {
    pub(crate) async fn start() -> Arc<Self> {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("randomness");
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).expect("generated");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let public_key = BASE64_URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        tokio::spawn(serve(listener, documents(address, &public_key)));
        let signing_key = EncodingKey::from_ed_der(pkcs8.as_ref());
        Arc::new(Self { issuer: format!("http://{address}"), signing_key })
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// A valid ID token for an hour.
    pub(crate) fn token(&self, subject: &str) -> String {
        self.token_with(subject, &json!({}))
    }

    /// A token with some claims changed; `null` removes a claim.
    pub(crate) fn token_with(&self, subject: &str, changes: &Value) -> String {
        let now = seconds_since_1970();
        let mut claims = json!({
            "iss": self.issuer, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 3600,
        });
        for (name, value) in changes.as_object().expect("an object of claims") {
            claims[name] = value.clone();
        }
        claims.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        self.sign(Header::new(Algorithm::EdDSA), &claims)
    }

    /// An access token (RFC 9068) for an hour, with more claims.
    pub(crate) fn access_token(&self, subject: &str, client: &str, claims: &Value) -> String {
        let now = seconds_since_1970();
        let mut all = json!({
            "iss": self.issuer, "aud": AUDIENCE, "sub": subject, "client_id": client, "iat": now, "exp": now + 3600, "jti": "1",
        });
        all.as_object_mut().expect("an object").extend(claims.as_object().expect("an object of claims").clone());
        self.sign(Header { typ: Some("at+jwt".into()), ..Header::new(Algorithm::EdDSA) }, &all)
    }

    fn sign(&self, header: Header, claims: &Value) -> String {
        encode(&Header { kid: Some(KEY_ID.into()), ..header }, claims, &self.signing_key).expect("signs")
    }
}

#[expect(clippy::disallowed_methods, reason = "the real binary checks tokens by the real time")]
pub(crate) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// Each document with its path.
type Documents = Arc<[(&'static str, String); 2]>;

fn documents(address: SocketAddr, public_key: &str) -> Documents {
    let issuer = format!("http://{address}");
    let discovery = json!({
        "issuer": issuer,
        "jwks_uri": format!("{issuer}/jwks"),
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA"],
    });
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": KEY_ID, "x": public_key });
    Arc::new([
        ("/.well-known/openid-configuration", discovery.to_string()),
        ("/jwks", json!({ "keys": [key] }).to_string()),
    ])
}

async fn serve(listener: TcpListener, documents: Documents) {
    while let Ok((stream, _)) = listener.accept().await {
        let documents = Arc::clone(&documents);
        tokio::spawn(async move { answer(stream, &documents).await });
    }
}

/// Answers one request and closes the connection.
async fn answer(mut stream: TcpStream, documents: &Documents) -> Option<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        (stream.read_buf(&mut head).await.ok()? > 0).then_some(())?;
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1)?;
    let (status, body) = match documents.iter().find(|(known, _)| *known == path) {
        Some((_, document)) => ("200 OK", document.as_str()),
        None => ("404 Not Found", "{}"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await.ok()
}

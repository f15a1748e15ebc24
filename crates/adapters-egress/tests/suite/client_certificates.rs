use std::sync::{Arc, Mutex};

use adapters_egress::{GuardedSender, TlsCertificates};
use bytes::Bytes;
use domain::ports::{Attempt, CertificateReader as _, WebhookSender as _};
use domain::webhooks::{
    AttemptOutcome, CertificateFacts, ClientCertificate, FailureReason, InvalidClientCertificate, RequestHeaders,
    Verdict,
};
use http::Response;
use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::certificates::{Authority, pem};
use crate::exchange::{SECRET, Sending, attempt, failed};
use crate::receiver::{Receiver, read_request};

const HOST: &str = "receiver.example";
const PROTOCOLS: [&[u8]; 2] = [b"http/1.1", b"h2"];

/// The certificates that each request came with.
type Seen = Arc<Mutex<Vec<Vec<u8>>>>;

/// A receiver that requires a certificate.
struct Strict {
    receiver: Receiver,
    sender: GuardedSender,
    seen: Seen,
}

impl Strict {
    async fn new(authority: &Authority, protocol: &'static [u8], version: &'static SupportedProtocolVersion) -> Self {
        let acceptor = authority.requiring_acceptor(HOST, protocol, version);
        let seen = Seen::default();
        let log = Arc::clone(&seen);
        let receiver = Receiver::acting(move |stream| serve(acceptor.clone(), stream, Arc::clone(&log))).await;
        Self::of(authority, receiver, seen)
    }

    /// Over HTTP/2 and TLS 1.3, a receiver that holds back the last bytes of a handshake until the gate opens.
    async fn hesitating(authority: &Authority, gate: &Arc<Gate>) -> Self {
        let acceptor = authority.requiring_acceptor(HOST, b"h2", &TLS13);
        let (seen, gate) = (Seen::default(), Arc::clone(gate));
        let log = Arc::clone(&seen);
        let receiver = Receiver::acting(move |stream| {
            let (near, far) = tokio::io::duplex(64 * 1024);
            tokio::spawn(serve(acceptor.clone(), far, Arc::clone(&log)));
            let gate = Arc::clone(&gate);
            async move { gate.pass(stream, near).await }
        });
        Self::of(authority, receiver.await, seen)
    }

    fn of(authority: &Authority, receiver: Receiver, seen: Seen) -> Self {
        let sender = Sending { roots: authority.roots(), ..Sending::default() }.sender();
        Self { receiver, sender, seen }
    }

    async fn send(&self, certificate: Option<&ClientCertificate>) -> AttemptOutcome {
        let url = format!("https://{HOST}:{}/hook", self.receiver.port());
        let none = RequestHeaders::default();
        let headers = match certificate {
            Some(certificate) => none.with_certificate(certificate.clone()),
            None => none,
        };
        self.sender.send(Attempt { headers, ..attempt(&url, &[SECRET]) }).await
    }
}

/// Lets the first message of a client pass, and the rest once it is open.
#[derive(Default)]
struct Gate {
    reached: Notify,
    opened: Notify,
}

impl Gate {
    async fn pass(&self, client: TcpStream, server: impl AsyncRead + AsyncWrite) {
        let (mut requests, mut to_client) = client.into_split();
        let (mut answers, mut to_server) = tokio::io::split(server);
        let forward = async {
            let mut bytes = vec![0; 16 * 1024];
            let length = requests.read(&mut bytes).await.unwrap();
            to_server.write_all(&bytes[..length]).await.unwrap();
            let length = requests.read(&mut bytes).await.unwrap();
            self.reached.notify_one();
            self.opened.notified().await;
            to_server.write_all(&bytes[..length]).await.unwrap();
            _ = tokio::io::copy(&mut requests, &mut to_server).await;
        };
        tokio::join!(forward, async { _ = tokio::io::copy(&mut answers, &mut to_client).await });
    }
}

async fn serve(acceptor: TlsAcceptor, stream: impl AsyncRead + AsyncWrite + Unpin, seen: Seen) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let certificate = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
    let see = move || seen.lock().unwrap().push(certificate.clone());
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        serve_http2(stream, see).await;
    } else {
        serve_http1(stream, see).await;
    }
}

async fn serve_http1(mut stream: TlsStream<impl AsyncRead + AsyncWrite + Unpin>, see: impl Fn()) {
    while read_request(&mut stream).await.is_some() {
        see();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    }
}

async fn serve_http2(stream: TlsStream<impl AsyncRead + AsyncWrite + Unpin>, see: impl Fn()) {
    let mut connection = h2::server::Builder::new().handshake::<_, Bytes>(stream).await.unwrap();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        see();
        respond.send_response(Response::new(()), true).unwrap();
    }
}

fn certificate_of((chain, key): &(String, String)) -> ClientCertificate {
    ClientCertificate::new(read(chain, key).unwrap(), chain, key)
}

fn read(chain: &str, key: &str) -> Result<CertificateFacts, InvalidClientCertificate> {
    TlsCertificates.read(chain, key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_requires_a_certificate_accepts_that_of_its_authority_alone() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (good, wrong) = (certificate_of(&authority.client("good")), certificate_of(&other.client("good")));
    for protocol in PROTOCOLS {
        for version in [&TLS12, &TLS13] {
            let strict = Strict::new(&authority, protocol, version).await;
            // The alert may come before the client writes, or after.
            for _ in 0..20 {
                assert_eq!(strict.send(None).await, failed(FailureReason::Tls), "{version:?}");
                assert_eq!(strict.send(Some(&wrong)).await, failed(FailureReason::Tls), "{version:?}");
            }
            assert_eq!(strict.send(Some(&good)).await.verdict(), Verdict::Delivered, "{version:?}");
            assert_eq!(strict.seen.lock().unwrap().len(), 1);
        }
    }
}

/// The receiver judges the certificate after the sender has begun to use the connection.
#[tokio::test]
async fn attempts_that_share_a_refused_connection_fail_for_the_same_reason() {
    let (authority, gate) = (Authority::new(), Arc::new(Gate::default()));
    let strict = Strict::hesitating(&authority, &gate).await;
    let second = async {
        gate.reached.notified().await;
        let mut second = Box::pin(strict.send(None));
        assert!(futures_util::poll!(&mut second).is_pending());
        gate.opened.notify_one();
        second.await
    };
    let outcomes = tokio::join!(strict.send(None), second);
    assert_eq!(outcomes, (failed(FailureReason::Tls), failed(FailureReason::Tls)));
    assert_eq!(strict.receiver.connections(), 1);
}

#[tokio::test]
async fn connections_are_shared_by_equal_certificates_alone() {
    let authority = Authority::new();
    let clients = ["one", "two"].map(|name| authority.client(name));
    let [one, two] = clients.each_ref().map(certificate_of);
    for protocol in PROTOCOLS {
        let strict = Strict::new(&authority, protocol, &TLS13).await;
        for certificate in [&one, &two, &two, &one.clone(), &two] {
            assert_eq!(strict.send(Some(certificate)).await.verdict(), Verdict::Delivered);
        }
        let seen: Vec<[u8; 32]> = strict.seen.lock().unwrap().iter().map(|der| sha256(der)).collect();
        let [one, two] = [&one, &two].map(|certificate| certificate.facts.fingerprint);
        assert_eq!(seen, [one, two, two, one, two]);
        assert_eq!(strict.receiver.connections(), 2);
        assert_eq!(strict.send(None).await, failed(FailureReason::Tls), "a kept connection has a certificate");
    }
}

fn sha256(der: &[u8]) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(der).into()
}

/// `-----BEGIN CERTIFICATE-----` and the key after it.
fn pair(text: &str) -> (&str, &str) {
    text.split_at(text.find("-----END CERTIFICATE-----\n").unwrap() + 26)
}

fn of_kind(kind: &'static rcgen::SignatureAlgorithm) -> (String, String) {
    let key = KeyPair::generate_for(kind).unwrap();
    let certificate = CertificateParams::new(vec!["client.example".to_owned()]).unwrap().self_signed(&key).unwrap();
    (pem("CERTIFICATE", certificate.der()), pem("PRIVATE KEY", &key.serialize_der()))
}

#[test]
fn each_form_of_key_is_read_and_the_first_certificate_is_shown() {
    let (rsa, key) = pair(include_str!("pairs/rsa.pem"));
    let facts = read(rsa, key).unwrap();
    assert_eq!(facts.subject, "CN=client 1,O=Gatepost\\, Ltd.,C=NL");
    assert_eq!(facts.expires_at.to_string(), "2126-11-03T22:49:23.000Z");
    assert_eq!(facts.fingerprint_hex(), "aec1637bbea52d4e4d79582482946ddbb1315c271da6dfe560bd9e3ee0ba97cf");
    let (ecdsa, sec1) = pair(include_str!("pairs/ecdsa.pem"));
    assert_eq!(read(&format!("of the client:\n{ecdsa}the issuer:\n{rsa}"), sec1).unwrap().subject, "CN=elliptic");
    for kind in [&PKCS_ECDSA_P384_SHA384, &PKCS_ED25519] {
        let (chain, key) = of_kind(kind);
        assert!(read(&chain, &key).is_ok(), "{kind:?}");
    }
}

#[test]
fn what_no_handshake_can_use_is_refused_by_its_part() {
    let (chain, key) = pair(include_str!("pairs/ecdsa.pem"));
    let (rsa, rsa_key) = pair(include_str!("pairs/rsa.pem"));
    let (weak, weak_key) = pair(include_str!("pairs/rsa-1024.pem"));
    for (chain, key, refusal) in [
        ("", key, InvalidClientCertificate::Chain),
        ("MIIB", key, InvalidClientCertificate::Chain),
        (&chain[..200], key, InvalidClientCertificate::Chain),
        (&chain.replace("MII", "MIM"), key, InvalidClientCertificate::Chain),
        (&format!("{chain}{}", pem("CERTIFICATE", b"0")), key, InvalidClientCertificate::Chain),
        (&format!("{chain}{key}"), key, InvalidClientCertificate::Chain),
        (&chain.repeat(11), key, InvalidClientCertificate::Chain),
        (&pem("PUBLIC KEY", b"0"), key, InvalidClientCertificate::Chain),
        (chain, "", InvalidClientCertificate::Key),
        (chain, chain, InvalidClientCertificate::Key),
        (chain, &format!("{key}{key}"), InvalidClientCertificate::Key),
        (chain, &format!("{key}{chain}"), InvalidClientCertificate::Key),
        (chain, &key.replace("END EC PRIVATE", "END PRIVATE"), InvalidClientCertificate::Key),
        (chain, &key.replace("EC PRIVATE", "ENCRYPTED PRIVATE"), InvalidClientCertificate::Encrypted),
        (
            rsa,
            &rsa_key.replace("KEY-----\nM", "KEY-----\nProc-Type: 4,ENCRYPTED\n\nM"),
            InvalidClientCertificate::Encrypted,
        ),
        (chain, &pem("PRIVATE KEY", b"0"), InvalidClientCertificate::KeyKind),
        (weak, weak_key, InvalidClientCertificate::KeyKind),
        (chain, rsa_key, InvalidClientCertificate::OtherKey),
        (&format!("{rsa}{chain}"), key, InvalidClientCertificate::OtherKey),
    ] {
        assert_eq!(read(chain, key), Err(refusal), "{chain}\n{key}");
    }
}

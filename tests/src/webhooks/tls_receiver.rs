use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use domain::Timestamp;
use h2::Reason;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::reload::pem;

/// A receiver over TLS and HTTP/2 with its own certificate authority.
pub(crate) struct TlsReceiver {
    address: SocketAddr,
    authority: Authority,
    state: Arc<State>,
    _server: JoinSet<()>,
}

#[derive(Default)]
struct State {
    connections: AtomicUsize,
    sessions: AtomicUsize,
    served: AtomicUsize,
    /// The certificates of the clients whose webhooks got a 200.
    clients: Mutex<Vec<Vec<u8>>>,
    /// Answer the next request with GOAWAY only.
    goes_away: AtomicBool,
}

impl TlsReceiver {
    pub(crate) async fn start() -> Self {
        Self::with(false).await
    }

    /// A receiver that requires the certificate of a client of its authority.
    pub(crate) async fn requiring_certificates() -> Self {
        Self::with(true).await
    }

    async fn with(requires_certificates: bool) -> Self {
        let authority = Authority::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = authority.acceptor(requires_certificates);
        let state = Arc::new(State::default());
        let mut server = JoinSet::new();
        server.spawn(accept(listener, acceptor, Arc::clone(&state)));
        Self { address, authority, state, _server: server }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}/hook", self.address.port())
    }

    /// Writes the authority's certificate into a file in `folder`.
    pub(crate) fn authority_file(&self, folder: &Path) -> PathBuf {
        let path = folder.join("authority.pem");
        std::fs::write(&path, pem("CERTIFICATE", &self.authority.certificate)).unwrap();
        path
    }

    /// Makes the receiver answer the next request with GOAWAY only.
    pub(crate) fn go_away(&self) {
        self.state.goes_away.store(true, Ordering::SeqCst);
    }

    /// The number of webhooks that got a 200.
    pub(crate) fn served(&self) -> usize {
        self.state.served.load(Ordering::SeqCst)
    }

    /// A certificate of a client that expires then, and its key.
    pub(crate) fn client(&self, expires_at: Timestamp) -> Client {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        let since = UNIX_EPOCH + Duration::from_millis(expires_at.unix_millis().try_into().unwrap());
        params.not_after = since.into();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.authority.issuer).unwrap().der().to_vec();
        Client { certificate, key: key.serialize_der() }
    }

    /// The certificates of the clients whose webhooks got a 200, in DER.
    pub(crate) fn clients(&self) -> Vec<Vec<u8>> {
        self.state.clients.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Whether no client has continued after it saw the certificate.
    pub(crate) fn nothing_was_read(&self) -> bool {
        self.state.sessions.load(Ordering::SeqCst) == 0
    }
}

/// A certificate authority.
struct Authority {
    certificate: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

/// The certificate of a client.
pub(crate) struct Client {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl Client {
    /// The member `clientCertificate` of a request.
    pub(crate) fn wish(&self) -> Value {
        json!({ "chain": pem("CERTIFICATE", &self.certificate), "key": pem("PRIVATE KEY", &self.key) })
    }
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().der().to_vec();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    /// A server for 127.0.0.1.
    fn acceptor(&self, requires_certificates: bool) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let clients = if requires_certificates {
            let mut roots = RootCertStore::empty();
            roots.add(self.certificate.clone().into()).unwrap();
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap()
        } else {
            WebPkiClientVerifier::no_client_auth()
        };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        state.connections.fetch_add(1, Ordering::SeqCst);
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        connections.spawn(async move {
            // An error means that the other side has closed.
            let _ = serve(stream, acceptor, &state).await;
        });
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, state: &State) -> Result<(), h2::Error> {
    let Ok(stream) = acceptor.accept(stream).await else { return Ok(()) };
    let client = stream.get_ref().1.peer_certificates().map(|chain| chain[0].to_vec());
    let mut connection = h2::server::handshake(stream).await?;
    while let Some(request) = connection.accept().await {
        let (request, mut respond) = request?;
        state.sessions.fetch_add(1, Ordering::SeqCst);
        if state.goes_away.swap(false, Ordering::SeqCst) {
            connection.abrupt_shutdown(Reason::NO_ERROR);
            continue;
        }
        assert_eq!(request.uri().path(), "/hook");
        state.served.fetch_add(1, Ordering::SeqCst);
        state.clients.lock().unwrap().extend(client.clone());
        respond.send_response(http::Response::new(()), true)?;
    }
    Ok(())
}

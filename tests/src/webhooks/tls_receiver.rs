use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use h2::Reason;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A receiver over TLS and HTTP/2 with its own certificate authority.
pub(crate) struct TlsReceiver {
    address: SocketAddr,
    authority_pem: String,
    state: Arc<State>,
    _server: JoinSet<()>,
}

#[derive(Default)]
struct State {
    connections: AtomicUsize,
    sessions: AtomicUsize,
    served: AtomicUsize,
    /// Answer the next request with GOAWAY only.
    goes_away: AtomicBool,
}

impl TlsReceiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (acceptor, authority_pem) = certified();
        let state = Arc::new(State::default());
        let mut server = JoinSet::new();
        server.spawn(accept(listener, acceptor, Arc::clone(&state)));
        Self { address, authority_pem, state, _server: server }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}/hook", self.address.port())
    }

    /// Writes the authority's certificate into a file in `folder`.
    pub(crate) fn authority_file(&self, folder: &Path) -> PathBuf {
        let path = folder.join("authority.pem");
        std::fs::write(&path, &self.authority_pem).unwrap();
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

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Whether no client has continued after it saw the certificate.
    pub(crate) fn nothing_was_read(&self) -> bool {
        self.state.sessions.load(Ordering::SeqCst) == 0
    }
}

/// A server certificate for 127.0.0.1, and its authority.
fn certified() -> (TlsAcceptor, String) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let encoded = BASE64_STANDARD.encode(authority.self_signed(&authority_key).unwrap().der());
    let authority_pem = format!("-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n");
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &Issuer::new(authority, authority_key)).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    (TlsAcceptor::from(Arc::new(config)), authority_pem)
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
        respond.send_response(http::Response::new(()), true)?;
    }
    Ok(())
}

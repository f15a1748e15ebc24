use std::future::ready;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, Server};
use actix_web::web::ServiceConfig;
use actix_web::{App, web};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::boundary::middleware::Boundary;
use crate::connections::certificate::ServerCertificate;
use crate::connections::client_stream::ClientStream;
use crate::connections::connection::Connection;
use crate::connections::last_arrivals::{ARRIVAL_MAX, ARRIVAL_STEPS, ignore_new};
use crate::connections::open_connections::OpenConnections;
use crate::documents::known_names::KnownNames;
use crate::openapi::{document, openapi_file};
use crate::state::State;
use crate::{Api, HttpSettings, endpoints};

/// How much of an answer the kernel buffers for a client that does not read; Linux doubles it. Without a limit the
/// kernel takes megabytes for each connection, and a worker spends its time copying them.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// The time for requests in flight after the grace of a drain.
const DRAIN_SECONDS_MAX: u64 = 6;

/// Serves the API on `listener` until `stop` is cancelled and the requests in flight are answered.
///
/// `more_routes` adds the routes of another adapter. They get request ids, log lines, deadlines and problem documents
/// too, but the error bodies that they write stay as they are. On shutdown `/readyz` fails at once, the server still
/// accepts requests for `drain_grace`, awaits the last connections, and then drains and closes its connections.
///
/// # Errors
///
/// Fails when the server cannot use the listener, or ends before `stop` is cancelled.
pub async fn serve(
    listener: TcpListener,
    settings: HttpSettings,
    api: Api,
    more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
    stop: CancellationToken,
) -> io::Result<()> {
    let drain_grace = settings.limits.drain_grace;
    let arrivals = listener.try_clone()?;
    let mut server = start(listener, &settings, api, more_routes, stop.clone())?;
    let drained = async {
        stop.cancelled().await;
        sleep(drain_grace).await;
        await_last(arrivals, ARRIVAL_MAX.min(drain_grace)).await;
    };
    let handle = server.handle();
    tokio::select! {
        ended = &mut server => return ended,
        () = drained => {}
    }
    let ((), ended) = tokio::join!(handle.stop(true), server);
    ended
}

/// Lets connections that are being opened arrive, and no others. Returns before the listener closes, which resets later
/// ones.
async fn await_last(arrivals: TcpListener, time: Duration) {
    if let Err(error) = ignore_new(&arrivals) {
        tracing::debug!(%error, "connections that arrive as the listener closes may be reset");
    }
    // Small steps, which take longer on a busy machine, where the workers serve new connections later too.
    for _ in 0..ARRIVAL_STEPS {
        sleep(time / ARRIVAL_STEPS).await;
    }
}

/// Like `actix_web::HttpServer`, but over guarded connections.
fn start(
    listener: TcpListener,
    settings: &HttpSettings,
    api: Api,
    more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
    stop: CancellationToken,
) -> io::Result<Server> {
    let limits = settings.limits;
    let known_names = || KnownNames::of(&document());
    let state = web::Data::new(State::new(api, settings, openapi_file, known_names, stop));
    let boundary = Boundary::new(state.clone());
    let server = Server::build()
        .disable_signals()
        // Above the limit that `OpenConnections` keeps, because a connection that gives way takes a moment to close.
        .max_concurrent_connections(limits.connections_max.saturating_mul(2))
        .shutdown_timeout(DRAIN_SECONDS_MAX);
    let server = match settings.workers {
        Some(workers) => server.workers(workers),
        None => server,
    };
    // Accepted sockets inherit the size.
    SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER_BYTES)?;
    let drain = server.graceful_shutdown_signal();
    let connections = OpenConnections::new(settings);
    let tls = settings.certificate.as_ref().map(ServerCertificate::acceptor).transpose().map_err(io::Error::other)?;
    let worker = move || {
        let app = App::new()
            .app_data(state.clone())
            .configure(|config| endpoints::register(config, &state))
            .configure(more_routes.clone())
            .wrap(boundary.clone());
        let drain = drain.clone();
        let http = HttpService::build()
            .keep_alive(limits.keep_alive)
            .client_request_timeout(limits.head_deadline)
            .client_disconnect_timeout(limits.head_deadline)
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(connection.turn());
            })
            .graceful_shutdown_signal(move || {
                let drain = drain.clone();
                async move { drain.notified().await }
            })
            .finish(map_config(app, |()| AppConfig::default()).map_err(|error| error.error_response()));
        let (connections, tls) = (Arc::clone(&connections), tls.clone());
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let seat = connections.enter(peer.map(|peer| peer.ip()));
            let connection = seat.map(|seat| {
                let stream = ClientStream::new(stream, tls.as_ref());
                Connection::new(stream, limits.connection_patience(), seat)
            });
            let refused = || DispatchError::Io(io::ErrorKind::ConnectionRefused.into());
            ready(connection.map(|connection| (connection, Protocol::Http1, peer)).ok_or_else(refused))
        })
        .and_then(http)
    };
    Ok(server.listen("http", listener, worker)?.run())
}

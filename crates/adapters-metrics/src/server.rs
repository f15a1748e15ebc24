use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use tokio_util::sync::CancellationToken;

use crate::format::Format;
use crate::metrics::Metrics;

/// The most connections: metrics are for a few scrapers. Further ones wait.
const CONNECTIONS_MAX: usize = 64;
/// How long the head of a request may take to arrive.
const HEAD_DEADLINE: Duration = Duration::from_secs(5);
/// How long a connection may be idle. Prometheus keeps its connection from one scrape to the next.
const KEEP_ALIVE: Duration = Duration::from_mins(2);

/// Shows the metrics at `/metrics` of `listener` until `stop` is cancelled. The listener is not that of the API,
/// because callers of the API must not learn how much the service does.
///
/// # Errors
///
/// Fails when the server cannot use the listener, or ends before `stop` is cancelled.
pub async fn serve(listener: TcpListener, metrics: Arc<Metrics>, stop: CancellationToken) -> io::Result<()> {
    let metrics = web::Data::from(metrics);
    let app = move || App::new().app_data(metrics.clone()).route("/metrics", web::get().to(show));
    let mut server = HttpServer::new(app)
        .workers(1)
        .max_connections(CONNECTIONS_MAX)
        .client_request_timeout(HEAD_DEADLINE)
        .keep_alive(KEEP_ALIVE)
        .disable_signals()
        .listen(listener)?
        .run();
    let handle = server.handle();
    tokio::select! {
        ended = &mut server => return ended,
        () = stop.cancelled() => {}
    }
    let ((), ended) = tokio::join!(handle.stop(false), server);
    ended
}

async fn show(request: HttpRequest, metrics: web::Data<Metrics>) -> HttpResponse {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let format = Format::accepted(accepted.unwrap_or_default());
    let content_type = HeaderValue::from_static(format.content_type());
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, content_type)).body(metrics.write(format))
}

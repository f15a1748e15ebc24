//! The floor: the cost of the HTTP framework alone, with handlers that answer fixed bytes.

use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::time::Duration;

use actix_web::http::header::ContentType;
use actix_web::web::{self, Bytes, Data, Json};
use actix_web::{App, HttpResponse, HttpServer};
use anyhow::ensure;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;
use crate::process::{Running, Usage};
use crate::relay;

/// The bare server in a separate process, so that its processor time can be measured.
pub(crate) struct Floor {
    pub(crate) address: SocketAddr,
    process: Running,
}

impl Floor {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", &address.to_string()]).env_clear().stdin(Stdio::null());
        let floor = Self { address, process: Running(command.spawn()?) };
        let start = Instant::now();
        while Connection::open(address).await.is_err() {
            ensure!(start.elapsed() < Duration::from_secs(10), "the floor did not start");
            sleep(Duration::from_millis(5)).await;
        }
        Ok(floor)
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage(self.process.0.id())
    }
}

/// Serves until it is killed: `/{length}` answers JSON of this many bytes. `GET` answers at once, `POST` after it has
/// parsed a JSON object with a `token`. `/relay/{receiver}` is the bare relay.
pub(crate) async fn serve(address: SocketAddr) -> anyhow::Result<()> {
    // Built once: a handler copies a pointer.
    let bodies: Data<Vec<Bytes>> = Data::new((0..4096).map(text_of).collect());
    let server = HttpServer::new(move || {
        App::new()
            .app_data(bodies.clone())
            // A collector of traces, which ignores the spans.
            .route("/v1/traces", web::post().to(HttpResponse::Ok))
            .route("/relay/{receiver}", web::post().to(relay::accept))
            .service(web::resource("/{length}").route(web::get().to(get)).route(web::post().to(post)))
    });
    server.bind(address)?.run().await?;
    Ok(())
}

/// JSON of this length: a string, if the length allows one.
fn text_of(length: usize) -> Bytes {
    Bytes::from(format!("\"{}\"", "x".repeat(length.saturating_sub(2))))
}

async fn get(length: web::Path<usize>, bodies: Data<Vec<Bytes>>) -> HttpResponse {
    answer(*length, &bodies)
}

async fn post(length: web::Path<usize>, bodies: Data<Vec<Bytes>>, body: Json<Value>) -> HttpResponse {
    if body.get("token").is_some_and(Value::is_string) {
        answer(*length, &bodies)
    } else {
        HttpResponse::BadRequest().finish()
    }
}

fn answer(length: usize, bodies: &[Bytes]) -> HttpResponse {
    match bodies.get(length) {
        Some(body) => HttpResponse::Ok().content_type(ContentType::json()).body(body.clone()),
        None => HttpResponse::NotFound().finish(),
    }
}

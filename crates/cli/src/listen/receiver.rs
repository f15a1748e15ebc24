use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use actix_web::dev::Server;
use actix_web::http::header::HeaderMap;
use actix_web::web::{self, Bytes, Data, PayloadConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use adapters_system::SystemClock;
use anyhow::{Context, Result};
use domain::Timestamp;
use domain::ports::Clock;
use gatepost_client::webhooks::{Headers, PublicKey, SigningSecret};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc::Sender;

use super::arrival::{Arrival, Forwarded};
use super::forward::Forward;
use crate::output::remark;

/// Larger than the largest payload that can be configured, in bytes.
const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How long webhooks in flight may take on shutdown.
const STOP_SECONDS_MAX: u64 = 2;

/// What verifies webhooks. One of them is there at least.
pub(super) struct Keys {
    pub(super) secret: Option<SigningSecret>,
    pub(super) public_key: Option<PublicKey>,
}

/// A receiver that verifies, shows and forwards webhooks.
pub(super) struct Receiver {
    keys: Keys,
    forward: Option<Arc<Forward>>,
    arrivals: Sender<Arrival>,
}

impl Receiver {
    /// A receiver that accepts webhooks with a right signature for each of `keys`, and sends them to `arrivals`.
    pub(super) fn new(keys: Keys, forward: Option<Arc<Forward>>, arrivals: Sender<Arrival>) -> Self {
        Self { keys, forward, arrivals }
    }

    /// The server, which runs while it is polled. After it ends, no more webhooks arrive.
    ///
    /// # Errors
    ///
    /// When the listener cannot be served.
    pub(super) fn serve(self, listener: TcpListener) -> Result<Server> {
        let receiver = Data::new(self);
        let app = move || {
            let limit = PayloadConfig::new(BODY_BYTES_MAX);
            App::new().app_data(receiver.clone()).app_data(limit).default_service(web::post().to(receive))
        };
        let server = HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(STOP_SECONDS_MAX);
        Ok(server.listen(listener).context("cannot start the receiver")?.run())
    }

    /// The webhook, if it comes from Gatepost.
    fn verify(&self, headers: &HeaderMap, body: &Bytes) -> Result<Arrival> {
        let signed = Headers::read(|name| headers.get(name)?.to_str().ok())?;
        let now = SystemClock.now();
        if let Some(secret) = &self.keys.secret {
            secret.verify(&signed, body, in_system_time(now))?;
        }
        if let Some(key) = &self.keys.public_key {
            key.verify(&signed, body, in_system_time(now))?;
        }
        let payload: Box<RawValue> = serde_json::from_slice(body).context("the body is not JSON")?;
        let Envelope { event_type } = serde_json::from_slice(body).context("the body is not an event")?;
        Ok(Arrival { received_at: now.to_string(), event_type, id: signed.id.to_owned(), payload, forwarded: None })
    }
}

/// The part of a payload that is shown.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    event_type: String,
}

async fn receive(receiver: Data<Receiver>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let mut arrival = match receiver.verify(request.headers(), &body) {
        Ok(arrival) => arrival,
        Err(reason) => {
            remark(&format!("refused a request that is not a webhook of Gatepost: {reason:#}"));
            return HttpResponse::Unauthorized().finish();
        }
    };
    let (response, forwarded) = match &receiver.forward {
        None => (HttpResponse::NoContent().finish(), None),
        Some(forward) => match forward.pass_on(request.headers(), body).await {
            Ok(response) => {
                let status = response.status().as_u16();
                (response, Some(Forwarded::Status(status)))
            }
            Err(error) => (no_answer(&error), Some(Forwarded::Error(format!("{:#}", anyhow::Error::new(error))))),
        },
    };
    arrival.forwarded = forwarded;
    // Fails only on shutdown because standard output was closed.
    let _ = receiver.arrivals.send(arrival).await;
    response
}

/// The answer of a gateway to a failed service. Gatepost then retries.
fn no_answer(error: &reqwest::Error) -> HttpResponse {
    if error.is_timeout() { HttpResponse::GatewayTimeout().finish() } else { HttpResponse::BadGateway().finish() }
}

fn in_system_time(now: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(now.unix_millis()).unwrap_or(0))
}

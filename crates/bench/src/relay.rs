//! A bare relay: the cost of an event without a queue. It flushes the event to the disk, answers, and posts it to the
//! receiver once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::FileExt as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use actix_web::HttpResponse;
use actix_web::web::{self, Json};
use anyhow::{Context, ensure};
use serde_json::Value;

use crate::connection::Connection;

const PAGE: usize = 4096;
/// Pages are written again and again, so that no flush changes the size of the file.
const PAGES: u64 = 4096;

thread_local! {
    /// Connections to each receiver that carry no event.
    static IDLE: RefCell<HashMap<SocketAddr, Vec<Connection>>> = RefCell::default();
}

/// Written at the first event: other measurements start the same process, and need no file.
static LOG: LazyLock<anyhow::Result<Log>> = LazyLock::new(Log::create);

/// A file with pages that are on the disk before they are overwritten.
struct Log {
    file: File,
    next: AtomicU64,
}

impl Log {
    fn create() -> anyhow::Result<Self> {
        let file = tempfile::tempfile()?;
        (0..PAGES).try_for_each(|page| file.write_all_at(&[1; PAGE], page * PAGE as u64))?;
        file.sync_all()?;
        Ok(Self { file, next: AtomicU64::new(0) })
    }

    fn store(&self, event: &[u8]) -> std::io::Result<()> {
        let mut page = [0; PAGE];
        let length = event.len().min(PAGE);
        page[..length].copy_from_slice(&event[..length]);
        let number = self.next.fetch_add(1, Ordering::Relaxed) % PAGES;
        self.file.write_all_at(&page, number * PAGE as u64)?;
        self.file.sync_data()
    }
}

/// Accepts an event for the receiver of the path.
pub(crate) async fn accept(receiver: web::Path<SocketAddr>, event: Json<Value>) -> HttpResponse {
    let payload = format!(r#"{{"type":{},"data":{}}}"#, event["type"], event["data"]);
    let event = payload.clone();
    let stored = web::block(move || LOG.as_ref().is_ok_and(|log| log.store(event.as_bytes()).is_ok())).await;
    if !stored.unwrap_or(false) {
        return HttpResponse::InternalServerError().finish();
    }
    // An event with a failed post is missed at the receiver, which ends the measurement.
    actix_web::rt::spawn(async move { post(*receiver, &payload).await });
    HttpResponse::Accepted().finish()
}

async fn post(receiver: SocketAddr, payload: &str) -> anyhow::Result<()> {
    let idle = IDLE.with_borrow_mut(|idle| idle.entry(receiver).or_default().pop());
    let mut connection = match idle {
        Some(connection) => connection,
        None => Connection::open(receiver).await.context("the receiver")?,
    };
    let head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length:";
    let request = format!("{head} {}\r\n\r\n{payload}", payload.len());
    let (status, _) = connection.exchange(request.as_bytes()).await?;
    ensure!(status == 200, "{status}");
    IDLE.with_borrow_mut(|idle| idle.entry(receiver).or_default().push(connection));
    Ok(())
}

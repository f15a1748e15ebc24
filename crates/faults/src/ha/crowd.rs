//! Callers that create keys of one user beyond the maximum, through every instance at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatepost_client::Client;
use tokio::time::{Instant, sleep, timeout};

use super::maximum::{Call, Kind};
use crate::load::{CALL_MAX, User};

/// The maximum number of active keys, for every user.
pub(super) const ACTIVE_MAX: usize = 60;
pub(super) const CALLERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(150);

/// The calls with their outcomes.
#[derive(Default)]
pub(super) struct Crowd(Mutex<Vec<Call>>);

impl Crowd {
    pub(super) fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A call that begins now. It is recorded when it ends, or is cut off; until its answer is known it is of this
    /// kind.
    fn begin(&self, kind: Kind) -> Pending<'_> {
        Pending { crowd: self, began: Instant::now(), kind }
    }
}

struct Pending<'a> {
    crowd: &'a Crowd,
    began: Instant,
    kind: Kind,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let call = Call { began: self.began, ended: Instant::now(), kind: self.kind.clone() };
        self.crowd.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
}

/// Creates keys without a pause up to the maximum, and then revokes one after each refusal.
pub(super) async fn create_beyond(crowd: Arc<Crowd>, user: Arc<User>, caller: usize) {
    let mut own = Vec::new();
    for round in caller.. {
        let client = &user.clients[round % user.clients.len()];
        match create(&crowd, client).await {
            Kind::Created(id) => own.push(id),
            Kind::LimitReached => {
                revoke_one(&crowd, client, &mut own).await;
                sleep(PAUSE).await;
            }
            _ => sleep(PAUSE).await,
        }
    }
}

async fn create(crowd: &Crowd, client: &Client) -> Kind {
    let mut call = crowd.begin(Kind::MaybeCreated);
    call.kind = match timeout(CALL_MAX, client.create_api_key("crowd")).await {
        Ok(Ok(created)) => Kind::Created(created.key_id),
        Ok(Err(error)) if error.code() == Some("api_key_limit_reached") => Kind::LimitReached,
        Ok(Err(_)) | Err(_) => Kind::MaybeCreated,
    };
    call.kind.clone()
}

/// Revokes a key of this caller, or else the first key in the list: its creation may have had no answer.
async fn revoke_one(crowd: &Crowd, client: &Client, own: &mut Vec<String>) {
    let id = match own.pop() {
        None => first_active(client).await,
        id => id,
    };
    let Some(id) = id else { return };
    let mut call = crowd.begin(Kind::MaybeRevoked(id.clone()));
    if matches!(timeout(CALL_MAX, client.revoke_api_key(&id)).await, Ok(Ok(_))) {
        call.kind = Kind::Revoked(id);
    }
}

async fn first_active(client: &Client) -> Option<String> {
    let listed = client.list_api_keys().await.ok()?;
    listed.into_iter().find(|key| key.revoked_at.is_none()).map(|key| key.id)
}

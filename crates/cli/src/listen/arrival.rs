use anyhow::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::output::{answer, answer_json};

/// A webhook that was received, and what became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Arrival {
    /// When.
    pub(super) received_at: String,
    /// The event's type.
    #[serde(rename = "type")]
    pub(super) event_type: String,
    /// The event's id.
    pub(super) id: String,
    /// The body.
    pub(super) payload: Box<RawValue>,
    /// What came of forwarding it; `None` when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) forwarded: Option<Forwarded>,
}

/// What came of forwarding a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Forwarded {
    /// It was answered with this status.
    Status(u16),
    /// It was not answered.
    Error(String),
}

impl Arrival {
    /// Writes a line to standard output.
    ///
    /// # Errors
    ///
    /// When nobody reads it.
    pub(super) fn show(&self, json: bool) -> Result<()> {
        if json {
            return Ok(answer_json(self)?);
        }
        let Self { received_at, event_type, id, forwarded, .. } = self;
        let line = match forwarded {
            None => format!("{received_at}  {event_type}  {id}"),
            Some(Forwarded::Status(status)) => format!("{received_at}  {event_type}  {id}  {status}"),
            Some(Forwarded::Error(error)) => format!("{received_at}  {event_type}  {id}  not forwarded: {error}"),
        };
        Ok(answer(&line)?)
    }
}

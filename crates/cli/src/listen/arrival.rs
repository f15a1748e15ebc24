use anyhow::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::output::Reply;

/// A received webhook, and the result of forwarding it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Arrival {
    /// When it arrived.
    pub(super) received_at: String,
    /// The type of the event.
    #[serde(rename = "type")]
    pub(super) event_type: String,
    /// The id of the event.
    pub(super) id: String,
    /// The body.
    pub(super) payload: Box<RawValue>,
    /// The result of forwarding it; `None` if it was not forwarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) forwarded: Option<Forwarded>,
}

/// The result of forwarding a webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Forwarded {
    /// The status of the answer.
    Status(u16),
    /// Why there was no answer.
    Error(String),
}

impl Arrival {
    /// Writes a line to standard output.
    ///
    /// # Errors
    ///
    /// When standard output is closed.
    pub(super) fn show(&self, json: bool) -> Result<()> {
        let Self { received_at, event_type, id, forwarded, .. } = self;
        let line = match forwarded {
            None => format!("{received_at}  {event_type}  {id}"),
            Some(Forwarded::Status(status)) => format!("{received_at}  {event_type}  {id}  {status}"),
            Some(Forwarded::Error(error)) => format!("{received_at}  {event_type}  {id}  not forwarded: {error}"),
        };
        Reply::new(self, line)?.print(json)
    }
}

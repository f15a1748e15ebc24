use domain::ports::PulledEvent;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// An event in the log of a subscription that is pulled.
#[derive(Serialize, ToSchema)]
#[schema(as = PulledEvent)]
pub(crate) struct PulledRecord {
    /// Identifies the event.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(example = "invoice.paid")]
    event_type: String,
    /// When the event was published.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    timestamp: String,
    /// The data of the publication, byte for byte.
    #[schema(value_type = Value)]
    data: Box<RawValue>,
    /// Its number in the log: 1, 2, 3 and so on, without a gap.
    #[schema(example = 42)]
    sequence: u64,
}

/// The part of a payload that no column has.
#[derive(Deserialize)]
struct WithData {
    data: Box<RawValue>,
}

/// The records of these events.
///
/// # Errors
///
/// When a stored payload is not JSON with `data`.
pub(crate) fn records_of(events: &[PulledEvent]) -> Result<Vec<PulledRecord>, serde_json::Error> {
    let record = |PulledEvent { sequence, event }: &PulledEvent| {
        let WithData { data } = serde_json::from_slice(event.payload.bytes())?;
        Ok(PulledRecord {
            id: event.id.to_string(),
            event_type: event.event_type.to_string(),
            timestamp: event.created_at.to_string(),
            data,
            sequence: *sequence,
        })
    };
    events.iter().map(record).collect()
}

use domain::ports::LoggedAttempt;
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::attempt_record::AttemptRecord;

/// An attempt in a stream: the `data` of a server-sent event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamedAttempt {
    /// The delivery of the attempt.
    #[schema(example = "dlv_01h455vb4pex5vsknk084sn02q")]
    delivery_id: String,
    /// The event that is delivered.
    #[schema(example = "evt_01h455vb4pex5vsknk084sn02q")]
    event_id: String,
    /// The subscription that receives the event.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// The attempt.
    attempt: AttemptRecord,
}

impl StreamedAttempt {
    pub(crate) fn of(logged: &LoggedAttempt) -> Self {
        Self {
            delivery_id: logged.delivery.to_string(),
            event_id: logged.event.to_string(),
            subscription_id: logged.subscription.to_string(),
            attempt: AttemptRecord::of(&logged.attempt),
        }
    }
}

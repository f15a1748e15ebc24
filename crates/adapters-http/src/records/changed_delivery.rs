use domain::webhooks::Delivery;
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::delivery_record::DeliveryRecord;

/// The delivery after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedDelivery {
    /// The delivery.
    delivery: DeliveryRecord,
}

impl ChangedDelivery {
    pub(crate) fn of(delivery: &Delivery) -> Self {
        Self { delivery: DeliveryRecord::of(delivery) }
    }
}

use domain::webhooks::{SigningSecret, Subscription};
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::subscription_record::SubscriptionRecord;

/// A subscription and, if the service made one, its secret, which is shown only this once.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubscriptionWithSecret {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// The secret that signs the webhooks. There is no way to retrieve it later. Absent when the caller chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    secret: Option<String>,
}

impl SubscriptionWithSecret {
    pub(crate) fn of(subscription: &Subscription, secret: Option<&SigningSecret>) -> Self {
        let secret = secret.map(|secret| secret.expose().to_owned());
        Self { subscription: SubscriptionRecord::of(subscription), secret }
    }
}

use diesel::prelude::{Insertable, Queryable, QueryableByName, Selectable};
use domain::ports::StoreError;
use domain::webhooks::{
    Description, DisableReason, PayloadFilter, SealedSecret, SealedSecrets, SubscribedEvents, Subscription,
    SubscriptionStatus, TargetUrl,
};
use domain::{KeyId, OwnerId};

use super::options_json::stored_options;
use super::secrets_row::SecretsRow;
use crate::StoredInstant;
use crate::place::{Place, subscription_id};
use crate::schema::webhook_subscriptions;

const TABLE: &str = "webhook_subscriptions";

/// A row of `webhook_subscriptions` as it is stored. Its values are not checked yet.
#[derive(Debug, Insertable, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_subscriptions, treat_none_as_default_value = false)]
pub struct SubscriptionRow {
    id: Vec<u8>,
    owner_issuer: String,
    owner_subject: String,
    url: String,
    events: String,
    description: String,
    status: String,
    url_set_by: Option<Vec<u8>>,
    created_at: StoredInstant,
    updated_at: StoredInstant,
    created_by: Option<String>,
    filter: Option<String>,
    /// For the options, and for what the subscription shows of its signers.
    #[diesel(embed)]
    secrets: SecretsRow,
}

impl TryFrom<SubscriptionRow> for Subscription {
    type Error = StoreError;

    fn try_from(row: SubscriptionRow) -> Result<Self, StoreError> {
        let id = subscription_id(TABLE, "id", &row.id)?;
        let place = Place { table: TABLE, row: &id };
        let owner = place.value("owner_subject", OwnerId::new(row.owner_issuer, row.owner_subject).ok())?;
        let filter = row.filter.as_deref().map(PayloadFilter::parse).transpose();
        let created_by = row.created_by.map(|subject| owner.fellow(&subject)).transpose();
        let secrets = row.secrets.secrets(id)?;
        Ok(Self {
            id,
            created_by: place.value("created_by", created_by.ok())?,
            owner,
            url: place.value("url", TargetUrl::from_stored(&row.url))?,
            url_set_by: place
                .value("url_set_by", row.url_set_by.map(key_of).map_or(Some(None), |key| key.map(Some)))?,
            events: place.value("events", SubscribedEvents::parse(row.events.split(' ')).ok())?,
            filter: place.value("filter", filter.ok())?,
            description: place.value("description", Description::parse(&row.description).ok())?,
            status: place.value("status", status_of(&row.status))?,
            created_at: place.instant("created_at", row.created_at)?,
            updated_at: place.instant("updated_at", row.updated_at)?,
            signing: secrets.signing(),
            options: secrets.options,
        })
    }
}

/// A whole row of `webhook_subscriptions`, to insert with its secret, or to copy.
#[derive(Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions, treat_none_as_default_value = false)]
pub struct NewSubscriptionRow {
    deleted_at: Option<StoredInstant>,
    #[diesel(embed)]
    subscription: SubscriptionRow,
}

impl NewSubscriptionRow {
    /// The row of `subscription` with one secret.
    pub fn new(subscription: &Subscription, secret: &SealedSecret) -> Self {
        let options = subscription.options.clone();
        let secrets = SealedSecrets { options, ..SealedSecrets::of(secret.clone()) };
        let row = SubscriptionRow {
            id: subscription.id.as_bytes().to_vec(),
            owner_issuer: subscription.owner.issuer().to_owned(),
            owner_subject: subscription.owner.subject().to_owned(),
            url: subscription.url.as_str().to_owned(),
            events: events_text(&subscription.events),
            description: subscription.description.as_str().to_owned(),
            status: status_code(subscription.status).to_owned(),
            url_set_by: subscription.url_set_by.map(|key| key.as_bytes().to_vec()),
            created_at: subscription.created_at.into(),
            updated_at: subscription.updated_at.into(),
            created_by: subscription.created_by.as_ref().map(|member| member.subject().to_owned()),
            filter: subscription.filter.as_ref().map(|filter| filter.as_str().to_owned()),
            secrets: SecretsRow::from(&secrets),
        };
        Self { deleted_at: None, subscription: row }
    }
}

/// The columns that a [`SubscriptionChange`](domain::webhooks::SubscriptionChange) may change.
#[derive(Debug, diesel::AsChangeset)]
#[diesel(table_name = webhook_subscriptions, treat_none_as_null = true)]
pub struct ChangedSubscriptionRow<'a> {
    url: &'a str,
    url_set_by: Option<Vec<u8>>,
    events: String,
    filter: Option<String>,
    description: &'a str,
    status: &'static str,
    updated_at: StoredInstant,
    options: Option<String>,
}

impl<'a> From<&'a Subscription> for ChangedSubscriptionRow<'a> {
    fn from(changed: &'a Subscription) -> Self {
        Self {
            url: changed.url.as_str(),
            url_set_by: changed.url_set_by.map(|key| key.as_bytes().to_vec()),
            events: events_text(&changed.events),
            filter: changed.filter.as_ref().map(|filter| filter.as_str().to_owned()),
            description: changed.description.as_str(),
            status: status_code(changed.status),
            updated_at: changed.updated_at.into(),
            options: stored_options(&changed.options),
        }
    }
}

/// The filter of a subscription, as a publication needs it. A damaged one lets every event pass: the receiver can do
/// without an event that it gets, but not with one that it does not get.
pub fn stored_filter(text: Option<&str>) -> Option<PayloadFilter> {
    PayloadFilter::parse(text?).ok()
}

/// The code that stores a status.
pub const fn status_code(status: SubscriptionStatus) -> &'static str {
    match status {
        SubscriptionStatus::Enabled => "enabled",
        SubscriptionStatus::DisabledByOwner => "disabled_by_owner",
        SubscriptionStatus::DisabledByService(reason) => reason.code(),
    }
}

/// The status that this code stores.
pub fn status_of(code: &str) -> Option<SubscriptionStatus> {
    [SubscriptionStatus::Enabled, SubscriptionStatus::DisabledByOwner]
        .into_iter()
        .find(|status| status_code(*status) == code)
        .or_else(|| DisableReason::from_code(code).map(SubscriptionStatus::DisabledByService))
}

fn key_of(bytes: Vec<u8>) -> Option<KeyId> {
    bytes.try_into().ok().map(KeyId::from_bytes)
}

/// The patterns, separated by spaces: no pattern contains one.
fn events_text(events: &SubscribedEvents) -> String {
    events.names().join(" ")
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    type Change = fn(&mut SubscriptionRow);

    fn row() -> SubscriptionRow {
        SubscriptionRow {
            id: vec![7; 16],
            owner_issuer: "https://id.example".into(),
            owner_subject: "alice".into(),
            url: "https://hooks.example/".into(),
            events: "order.* *".into(),
            description: "Orders".into(),
            status: "gone".into(),
            url_set_by: Some(vec![9; 16]),
            created_at: Timestamp::MIN.into(),
            updated_at: Timestamp::MAX.into(),
            created_by: Some("bob".into()),
            filter: Some(r#"{"path":"/data","op":"exists"}"#.into()),
            secrets: SecretsRow::from(&SealedSecrets::of(SealedSecret::from_bytes(vec![1]))),
        }
    }

    #[test]
    fn a_row_is_what_its_subscription_wrote() {
        let subscription = Subscription::try_from(row()).unwrap();
        let changed = ChangedSubscriptionRow::from(&subscription);
        assert_eq!((changed.events.as_str(), changed.status), ("order.* *", "gone"));
        assert_eq!(subscription.status, SubscriptionStatus::DisabledByService(DisableReason::Gone));
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let cases: [(&str, Change); 10] = [
            ("id", |row| row.id.truncate(15)),
            ("owner_subject", |row| row.owner_subject.clear()),
            ("url", |row| row.url = "hooks".into()),
            ("events", |row| row.events.push(' ')),
            ("description", |row| row.description = "\0".into()),
            ("url_set_by", |row| row.url_set_by = Some(vec![9; 15])),
            ("created_by", |row| row.created_by = Some("\0".into())),
            ("filter", |row| row.filter = Some("{}".into())),
            ("status", |row| row.status = "asleep".into()),
            ("secret", |row| row.secrets = SecretsRow::NONE),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = Subscription::try_from(row);
            let Err(StoreError::Corrupt { table: TABLE, column, row }) = corrupt else { panic!("{corrupt:?}") };
            assert_eq!(column, wrong);
            assert!(!row.is_empty());
        }
    }

    #[test]
    fn every_status_reads_back() {
        for status in [
            SubscriptionStatus::Enabled,
            SubscriptionStatus::DisabledByOwner,
            SubscriptionStatus::DisabledByService(DisableReason::Gone),
            SubscriptionStatus::DisabledByService(DisableReason::OnlyFailures),
            SubscriptionStatus::DisabledByService(DisableReason::KeyLeaked),
        ] {
            assert_eq!(status_of(status_code(status)), Some(status));
        }
    }
}

use std::time::Duration;

use crate::webhooks::{Payload, RetrySchedule};

const DAY: Duration = Duration::from_hours(24);

/// The settings of webhooks. [`WebhookPolicy::new`] checks them.
#[derive(Clone, Debug)]
pub struct WebhookPolicySettings {
    /// The maximum number of subscriptions for each user.
    pub max_subscriptions: u32,
    /// The largest body of a webhook.
    pub max_payload_bytes: usize,
    /// How long events and deliveries are kept, in whole days.
    pub retention: Duration,
    /// When failed deliveries are tried again.
    pub retry_schedule: RetrySchedule,
}

/// A field of [`WebhookPolicySettings`] that has limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookPolicyField {
    /// [`WebhookPolicySettings::max_subscriptions`]
    MaxSubscriptions,
    /// [`WebhookPolicySettings::max_payload_bytes`]
    MaxPayloadBytes,
    /// [`WebhookPolicySettings::retention`]. Its limits depend on the retry schedule.
    Retention,
}

impl Default for WebhookPolicySettings {
    fn default() -> Self {
        Self {
            max_subscriptions: 100,
            max_payload_bytes: Payload::SIZE_BYTES_MAX_DEFAULT,
            retention: 30 * DAY,
            retry_schedule: RetrySchedule::default(),
        }
    }
}

/// A field has a value that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidWebhookPolicy {
    /// The field.
    pub field: WebhookPolicyField,
    /// The allowed values, to follow "must be"; for the retention, in days.
    pub allowed: String,
}

/// The limits of webhooks, checked.
#[derive(Clone, Debug, Default)]
pub struct WebhookPolicy(WebhookPolicySettings);

impl WebhookPolicy {
    /// The largest maximum number of subscriptions.
    pub const MAX_SUBSCRIPTIONS_MAX: u32 = 10_000;
    /// The smallest limit of the size of payloads, in bytes. A smaller one would refuse events without data.
    pub const MAX_PAYLOAD_BYTES_MIN: usize = 1_024;
    /// The largest limit of the size of payloads, in bytes. A dispatcher has all payloads that it is sending in memory.
    pub const MAX_PAYLOAD_BYTES_MAX: usize = 1024 * 1024;
    /// The longest retention: ten years.
    pub const RETENTION_MAX: Duration = Duration::from_hours(24 * 3_650);

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// Every field with a value that is not allowed.
    pub fn new(settings: WebhookPolicySettings) -> Result<Self, Vec<InvalidWebhookPolicy>> {
        let mut refused = Vec::new();
        let mut refuse = |field, allowed: String| refused.push(InvalidWebhookPolicy { field, allowed });
        if !(1..=Self::MAX_SUBSCRIPTIONS_MAX).contains(&settings.max_subscriptions) {
            refuse(WebhookPolicyField::MaxSubscriptions, format!("1 to {}", Self::MAX_SUBSCRIPTIONS_MAX));
        }
        let (payload_min, payload_max) = (Self::MAX_PAYLOAD_BYTES_MIN, Self::MAX_PAYLOAD_BYTES_MAX);
        if !(payload_min..=payload_max).contains(&settings.max_payload_bytes) {
            refuse(WebhookPolicyField::MaxPayloadBytes, format!("{payload_min} to {payload_max}"));
        }
        let retention_min = Self::retention_min(&settings.retry_schedule);
        if !(retention_min..=Self::RETENTION_MAX).contains(&settings.retention) {
            let days = |duration: Duration| duration.as_secs().div_ceil(DAY.as_secs());
            let allowed = format!("{} to {}", days(retention_min), days(Self::RETENTION_MAX));
            refuse(WebhookPolicyField::Retention, allowed);
        }
        if refused.is_empty() { Ok(Self(settings)) } else { Err(refused) }
    }

    /// The shortest retention: one day longer than a delivery can last under this schedule. In that day it can be
    /// retried by hand.
    pub fn retention_min(schedule: &RetrySchedule) -> Duration {
        schedule.age_max() + DAY
    }

    /// The maximum number of subscriptions for each user.
    pub fn max_subscriptions(&self) -> u32 {
        self.0.max_subscriptions
    }

    /// The largest body of a webhook, in bytes.
    pub fn max_payload_bytes(&self) -> usize {
        self.0.max_payload_bytes
    }

    /// How long events and deliveries are kept.
    pub fn retention(&self) -> Duration {
        self.0.retention
    }

    /// The days of a period of the history, for stores that delete whole periods: a thirtieth of the retention.
    pub fn history_period_days(&self) -> u32 {
        let days = self.retention().as_secs().div_ceil(DAY.as_secs() * 30);
        u32::try_from(days).unwrap_or(u32::MAX)
    }

    /// When failed deliveries are tried again.
    pub fn retry_schedule(&self) -> &RetrySchedule {
        &self.0.retry_schedule
    }

    /// How old an event may be when its delivery is retried by hand. The new run of the schedule then ends while the
    /// event is still kept.
    pub fn redelivery_age_max(&self) -> Duration {
        self.retention().saturating_sub(self.0.retry_schedule.age_max())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut WebhookPolicySettings)) -> Option<WebhookPolicyField> {
        let mut settings = WebhookPolicySettings::default();
        change(&mut settings);
        let refused = WebhookPolicy::new(settings).err()?;
        assert_eq!(refused.len(), 1, "{refused:?}");
        Some(refused[0].field)
    }

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(refused(|_| ()), None);
    }

    #[test]
    fn names_every_field_at_once() {
        let settings = WebhookPolicySettings {
            max_subscriptions: 0,
            max_payload_bytes: 0,
            retention: Duration::ZERO,
            ..WebhookPolicySettings::default()
        };
        let refused: Vec<_> = WebhookPolicy::new(settings).unwrap_err().into_iter().map(|one| one.field).collect();
        let expected =
            [WebhookPolicyField::MaxSubscriptions, WebhookPolicyField::MaxPayloadBytes, WebhookPolicyField::Retention];
        assert_eq!(refused, expected);
    }

    #[test]
    fn the_history_has_about_thirty_periods() {
        let periods = [3, 4, 30, 31, 365, 3_650].map(|days| {
            let retry_schedule = RetrySchedule::new(vec![]).unwrap();
            let settings = WebhookPolicySettings { retention: days * DAY, retry_schedule, ..Default::default() };
            WebhookPolicy(settings).history_period_days()
        });
        assert_eq!(periods, [1, 1, 1, 2, 13, 122]);
    }

    #[test]
    fn names_the_field_that_is_not_allowed() {
        assert_eq!(refused(|s| s.max_subscriptions = 0), Some(WebhookPolicyField::MaxSubscriptions));
        assert_eq!(refused(|s| s.max_subscriptions = 10_001), Some(WebhookPolicyField::MaxSubscriptions));
        assert_eq!(refused(|s| s.max_payload_bytes = 1_023), Some(WebhookPolicyField::MaxPayloadBytes));
        assert_eq!(refused(|s| s.max_payload_bytes = 1024 * 1024), None);
        assert_eq!(refused(|s| s.max_payload_bytes = 1024 * 1024 + 1), Some(WebhookPolicyField::MaxPayloadBytes));
        assert_eq!(refused(|s| s.retention = 3_650 * DAY), None);
        assert_eq!(refused(|s| s.retention = 3_651 * DAY), Some(WebhookPolicyField::Retention));
    }

    #[test]
    fn what_is_retried_by_hand_is_kept_until_its_schedule_is_spent() {
        // Without retries, deliveries last for the slack of three days.
        let once = RetrySchedule::new(vec![]).unwrap();
        let with_retention = |retention| WebhookPolicySettings {
            retention,
            retry_schedule: once.clone(),
            ..WebhookPolicySettings::default()
        };
        assert!(WebhookPolicy::new(with_retention(3 * DAY)).is_err());
        let policy = WebhookPolicy::new(with_retention(4 * DAY)).unwrap();
        assert_eq!((policy.retention(), policy.redelivery_age_max()), (4 * DAY, DAY));
    }
}

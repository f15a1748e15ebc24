use std::slice;
use std::sync::Arc;

use super::audit_event::{AuditEvent, AuditTarget};
use super::audit_filter::AuditFilter;
use super::origin::{Cause, Origin};
use crate::ports::{AuditLog, AuditPage, Clock, Entropy, StoreError};
use crate::{AuditId, OwnerId};

/// How long events are kept by default: a year, and a month to look back at it.
pub const AUDIT_RETENTION_DAYS_DEFAULT: u32 = 400;

/// How long events are kept: from 1 to [`AuditRetention::DAYS_MAX`] days. See decision 73.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditRetention {
    days: u32,
}

/// The number of days is zero or more than [`AuditRetention::DAYS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be from 1 to {}", AuditRetention::DAYS_MAX)]
pub struct InvalidAuditRetention;

impl AuditRetention {
    /// The longest retention: ten years.
    pub const DAYS_MAX: u32 = 3_653;

    /// This many days.
    ///
    /// # Errors
    ///
    /// See [`InvalidAuditRetention`].
    pub fn of_days(days: u32) -> Result<Self, InvalidAuditRetention> {
        let is_valid = (1..=Self::DAYS_MAX).contains(&days);
        is_valid.then_some(Self { days }).ok_or(InvalidAuditRetention)
    }

    /// The number of days.
    pub const fn days(self) -> u32 {
        self.days
    }
}

impl Default for AuditRetention {
    fn default() -> Self {
        Self { days: AUDIT_RETENTION_DAYS_DEFAULT }
    }
}

/// The use cases of the audit log.
#[derive(Clone)]
pub struct Audit {
    log: Arc<dyn AuditLog>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Audit {
    /// The use cases on these ports.
    pub fn new(log: Arc<dyn AuditLog>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { log, clock, entropy }
    }

    /// At most `max` events with ids below `before` that pass the filter, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        self.log.list(filter, before, max).await
    }

    /// Records that an operator is about to see this target of the user. The caller shows it only after this succeeds.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn record_read(&self, owner: &OwnerId, read: AuditTarget, origin: &Origin) -> Result<(), StoreError> {
        let cause = Cause::new(origin, self.clock.now(), &*self.entropy);
        self.record(&cause.data_read(owner, read)).await
    }

    /// Records that an operator is about to choose other lines of the log. Does not record an unchanged filter.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub(crate) async fn record_log_filter(&self, before: &str, after: &str, origin: &Origin) -> Result<(), StoreError> {
        let cause = Cause::new(origin, self.clock.now(), &*self.entropy);
        match cause.log_filter_changed(before, after) {
            Some(event) => self.record(&event).await,
            None => Ok(()),
        }
    }

    async fn record(&self, event: &AuditEvent) -> Result<(), StoreError> {
        match self.log.record_new(slice::from_ref(event)).await? {
            0 => Err(StoreError::Duplicate { what: "id" }),
            _ => Ok(()),
        }
    }
}

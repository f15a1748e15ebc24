use std::fmt;

use domain::ports::StoreError;
use domain::{DeliveryId, EventId, SubscriptionId, Timestamp};

use crate::StoredInstant;

/// The table and the id of a stored row, for errors.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The table.
    pub table: &'static str,
    /// The row's id.
    pub row: &'a dyn fmt::Display,
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.table, self.row)
    }
}

impl Place<'_> {
    /// The value of a column.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when `value` is `None`.
    pub fn value<T>(self, column: &'static str, value: Option<T>) -> Result<T, StoreError> {
        value.ok_or_else(|| StoreError::Corrupt { table: self.table, column, row: self.row.to_string() })
    }

    /// The instant of a column.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the value is outside of the range of [`Timestamp`].
    pub fn instant(self, column: &'static str, stored: StoredInstant) -> Result<Timestamp, StoreError> {
        self.value(column, stored.timestamp())
    }

    pub(crate) fn optional_instant(
        self,
        column: &'static str,
        stored: Option<StoredInstant>,
    ) -> Result<Option<Timestamp>, StoreError> {
        self.optional(column, stored, StoredInstant::timestamp)
    }

    /// The value of a column that may be NULL, as `read` reads it.
    pub(crate) fn optional<Stored, T>(
        self,
        column: &'static str,
        stored: Option<Stored>,
        read: impl FnOnce(Stored) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        stored.map(|stored| self.value(column, read(stored))).transpose()
    }

    /// The number of a column, in the domain's type.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the number does not fit that type.
    pub fn number<N: TryFrom<i64>>(self, column: &'static str, stored: i64) -> Result<N, StoreError> {
        self.value(column, stored.try_into().ok())
    }
}

/// The id in a column.
///
/// # Errors
///
/// [`StoreError::Corrupt`] when there are not 16 bytes.
pub fn subscription_id(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<SubscriptionId, StoreError> {
    id_bytes(table, column, bytes).map(SubscriptionId::from_bytes)
}

/// See [`subscription_id`].
///
/// # Errors
///
/// [`StoreError::Corrupt`] when there are not 16 bytes.
pub fn delivery_id(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<DeliveryId, StoreError> {
    id_bytes(table, column, bytes).map(DeliveryId::from_bytes)
}

/// See [`subscription_id`].
///
/// # Errors
///
/// [`StoreError::Corrupt`] when there are not 16 bytes.
pub fn event_id(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<EventId, StoreError> {
    id_bytes(table, column, bytes).map(EventId::from_bytes)
}

/// The bytes of the id in a column.
pub(crate) fn id_bytes(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<[u8; 16], StoreError> {
    Place { table, row: &Hexadecimal(bytes) }.value(column, bytes.try_into().ok())
}

/// The bytes of an invalid id, for errors.
pub(crate) struct Hexadecimal<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The creation time in this `UUIDv7`, to the millisecond.
pub(crate) fn created_at(id: DeliveryId) -> Option<Timestamp> {
    let unix_millis = id.as_bytes()[..6].iter().fold(0, |millis, byte| millis << 8 | i64::from(*byte));
    Timestamp::from_unix_millis(unix_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_range_is_an_id_range() {
        let at = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let first = DeliveryId::first_at(at);
        assert_eq!(created_at(first), Some(at));
        let before = DeliveryId::first_at(at.minus(std::time::Duration::from_millis(1)));
        let last_before = [&before.as_bytes()[..6], &[0xFF; 10]].concat();
        assert!(DeliveryId::from_bytes(last_before.try_into().unwrap()) < first);
    }
}

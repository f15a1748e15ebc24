use std::sync::Arc;

use super::event_type::EventType;
use crate::Timestamp;

/// The payload is larger than the policy allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload must have at most {max} bytes")]
pub struct PayloadTooLarge {
    /// The largest size in bytes, as configured.
    pub max: usize,
}

/// The body of a webhook, `{"type", "timestamp", "data"}`. It is composed once for each event and stored. Every attempt
/// signs and sends the same bytes. See decision 16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload(Arc<[u8]>);

impl Payload {
    /// The default of the largest size, in bytes.
    pub const SIZE_BYTES_MAX_DEFAULT: usize = 256 * 1024;

    /// Composes the payload of an event of this type that happened at `at`. `data` is JSON that the caller has already
    /// checked to be one value. It is copied unchanged, so that numbers keep their digits and objects their order.
    ///
    /// # Errors
    ///
    /// If the payload has more than `size_bytes_max` bytes.
    pub fn compose(
        event_type: &EventType,
        at: Timestamp,
        data: &str,
        size_bytes_max: usize,
    ) -> Result<Self, PayloadTooLarge> {
        if data.len() > size_bytes_max {
            return Err(PayloadTooLarge { max: size_bytes_max });
        }
        let payload = format!(r#"{{"type":"{event_type}","timestamp":"{at}","data":{data}}}"#);
        if payload.len() > size_bytes_max {
            return Err(PayloadTooLarge { max: size_bytes_max });
        }
        Ok(Self(payload.into_bytes().into()))
    }

    /// The payload with these bytes, which is how stores keep it.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes. Clones of a payload share them.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose(data: &str, size_bytes_max: usize) -> Result<String, PayloadTooLarge> {
        let event_type = EventType::parse("v1/invoice.paid").unwrap();
        let at = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        Payload::compose(&event_type, at, data, size_bytes_max)
            .map(|payload| String::from_utf8(payload.bytes().to_vec()).unwrap())
    }

    #[test]
    fn data_goes_in_as_it_stands() {
        let start = r#"{"type":"v1/invoice.paid","timestamp":"2026-11-21T01:42:03.120Z","data":"#;
        for data in ["null", "1.0e2", r#"{"b": 1, "a" :[]}"#, r#""\u00e9 é""#, "12345678901234567890.10"] {
            assert_eq!(compose(data, 1_000), Ok(format!("{start}{data}}}")));
        }
    }

    #[test]
    fn the_limit_holds_for_the_whole() {
        let size = compose("null", 1_000).unwrap().len();
        assert!(compose("null", size).is_ok());
        assert_eq!(compose("null", size - 1), Err(PayloadTooLarge { max: size - 1 }));
        assert_eq!(compose(&"1".repeat(2_000), 1_000), Err(PayloadTooLarge { max: 1_000 }));
    }
}

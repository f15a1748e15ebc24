use crate::ports::ClaimRequest;

/// The room of one claim for payloads. The claim visits one delivery after the other, and ends at the first one that
/// does not fit. The very first one always fits.
#[derive(Clone, Copy, Debug)]
pub struct PayloadRoom {
    left: Option<u64>,
    is_first: bool,
}

impl PayloadRoom {
    /// The room of this request.
    pub const fn new(request: &ClaimRequest) -> Self {
        Self { left: Some(request.payload_bytes_max), is_first: true }
    }

    /// Whether the claim may take a delivery with this number of bytes.
    pub fn admit(&mut self, bytes: usize) -> bool {
        let left = self.left.and_then(|left| left.checked_sub(bytes as u64));
        let fits = self.is_first || left.is_some();
        (self.left, self.is_first) = (left, false);
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_ends_at_the_first_payload_that_does_not_fit() {
        for (max, payloads, fit) in [
            (10, &[4, 6, 1][..], &[true, true, false][..]),
            (10, &[4, 7, 1], &[true, false, false]),
            (10, &[11, 0], &[true, false]),
            (0, &[0, 0, 1], &[true, true, false]),
        ] {
            let mut room = PayloadRoom { left: Some(max), is_first: true };
            let admitted: Vec<bool> = payloads.iter().map(|bytes| room.admit(*bytes)).collect();
            assert_eq!(admitted, fit, "{payloads:?} in {max}");
        }
    }
}

//! When deliveries are attempted, and when attempts are repeated.

pub(super) mod allotment;
pub(super) mod breaker;
pub(super) mod claim_end;
pub(super) mod delivery_rate;
pub(super) mod direct_claims;
pub(super) mod fair_shares;
pub(super) mod owner_number;
pub(super) mod payload_room;
pub(super) mod queued_delivery;
pub(super) mod retry_schedule;
pub(super) mod retry_wait;

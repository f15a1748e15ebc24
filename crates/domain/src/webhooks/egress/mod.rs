//! The targets that webhooks may reach.

pub(super) mod address_ranges;
pub(super) mod egress_policy;
pub(super) mod host_name;
pub(super) mod target_url;

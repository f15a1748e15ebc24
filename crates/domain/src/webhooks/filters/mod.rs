//! Filters: which events a subscription receives, by their content.

pub(super) mod decimal;
pub(super) mod filter_path;
pub(super) mod json_document;
pub(super) mod parse_filter;
pub(super) mod payload_filter;

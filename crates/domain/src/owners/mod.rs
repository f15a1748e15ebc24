//! What a host has set for an owner: names for people, limits, and whether the owner may act. See decision 131.

pub(crate) mod absences;
pub(crate) mod erasures;
pub(crate) mod listed_owner;
pub(crate) mod owner_change;
pub(crate) mod owner_query;
pub(crate) mod owner_record;
pub(crate) mod owner_search;
pub(crate) mod owner_text;
pub(crate) mod use_cases;

use std::time::Duration;

/// The longest time for which a secret and its successor are both valid: a week. The limit holds for rotated API keys
/// and for rotated signing secrets.
pub const OVERLAP_MAX: Duration = Duration::from_hours(7 * 24);

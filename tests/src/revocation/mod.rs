//! How soon a revoked key is refused, and a session that has ended: the bounds of `docs/operations/databases.md`, on
//! several instances with one Postgres. The tests assert the bounds and print the measurements.

mod cut_off;
mod delays;
mod fleet;
pub(crate) mod propagation;
mod sign_outs;
pub(crate) mod stalled;

use std::time::Duration;

/// The bound for 999 of 1,000 revocations on the other instances, without faults.
const REFUSED_WITHIN: Duration = Duration::from_secs(1);
/// The bound on an instance that cannot read the change feed.
const REFUSED_CUT_OFF_WITHIN: Duration = Duration::from_secs(5);

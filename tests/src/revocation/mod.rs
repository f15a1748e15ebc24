//! How fast a revoked key is refused: the bounds of `docs/operations.md`, from the outside, on several instances over
//! one Postgres. What is measured is printed; only the promises are asserted.

mod cut_off;
mod delays;
mod fleet;
mod propagation;

use std::time::Duration;

/// On the other instances, all being well: for 999 of 1,000.
const REFUSED_WITHIN: Duration = Duration::from_secs(1);
/// On an instance that cannot read the change feed.
const REFUSED_CUT_OFF_WITHIN: Duration = Duration::from_secs(5);

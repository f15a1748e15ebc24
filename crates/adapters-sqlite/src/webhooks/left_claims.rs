use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_due, webhook_lanes};
use domain::Timestamp;

use crate::undo::Undo;

/// Ends all claims at `at`. A process does this before its first claim: no other process has the file, so the processes
/// that made these claims are gone. See decision 74.
pub(super) fn end_left_claims(connection: &mut SqliteConnection, at: Timestamp) -> Result<(), Undo> {
    let at = StoredInstant::from(at);
    let claimed = webhook_due::table.filter(webhook_due::claim.is_not_null()).filter(webhook_due::due_at.gt(at));
    let lanes = claimed.select(webhook_due::subscription_id);
    let asleep = webhook_lanes::table.filter(webhook_lanes::subscription_id.eq_any(lanes));
    let asleep = asleep.filter(webhook_lanes::ready_at.gt(Some(at)));
    diesel::update(asleep).set(webhook_lanes::ready_at.eq(Some(at))).execute(connection)?;
    diesel::update(claimed).set(webhook_due::due_at.eq(at)).execute(connection)?;
    Ok(())
}

use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::ports::ClaimId;

/// Takes the claim and its attempt away.
const PUT_BACK: &str = "UPDATE webhook_due AS due
    SET claim = NULL, claimed_until = NULL, attempts = due.attempts - 1
    FROM unnest($1, $2) AS one (subscription_id, delivery_id)
    WHERE due.subscription_id = one.subscription_id AND due.delivery_id = one.delivery_id AND due.claim = $3";

/// The ids of a claimed row whose payload does not fit into the room of the claim.
pub(super) struct Unfit {
    pub(super) subscription: Vec<u8>,
    pub(super) delivery: Vec<u8>,
}

/// Puts back what this transaction has claimed and has no room for.
pub(super) fn put_back<'a>(
    connection: &'a AsyncPgConnection,
    claim: ClaimId,
    rows: &[Unfit],
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let statement = diesel::sql_query(PUT_BACK)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(rows.iter().map(|row| row.subscription.clone()).collect())
        .bind::<Array<Binary>, Vec<Vec<u8>>>(rows.iter().map(|row| row.delivery.clone()).collect())
        .bind::<BigInt, i64>(claim.number());
    (!rows.is_empty()).then(|| Kept(statement).execute(&mut &*connection))
}

use diesel::pg::Pg;
use diesel::prelude::{ExpressionMethods, IntoSql};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_types::Bool;
use diesel::upsert::excluded;
use diesel_mapping::Kept;
use diesel_mapping::schema::key_owners;
use domain::UserId;

/// Locks the owner's row until the end of the transaction, and creates the row if it does not exist. An update that
/// changes nothing still locks, and leaves no dead row. See decision 18.
pub(crate) fn lock_owner(owner: &UserId) -> impl QueryFragment<Pg> + QueryId + Send {
    let row = (key_owners::owner_issuer.eq(owner.issuer()), key_owners::owner_subject.eq(owner.subject()));
    let upsert = diesel::insert_into(key_owners::table)
        .values(row)
        .on_conflict((key_owners::owner_issuer, key_owners::owner_subject))
        .do_update()
        .set(key_owners::owner_issuer.eq(excluded(key_owners::owner_issuer)))
        .filter(false.into_sql::<Bool>());
    Kept(upsert)
}

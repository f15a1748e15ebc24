//! Queries that both databases run.
#![expect(missing_docs, reason = "`auto_type` names the type of each query like its function, without a comment")]

use diesel::dsl::{auto_type, delete};
use diesel::prelude::*;
use domain::OwnerId;

use super::owner_row::{LimitsRow, OwnerRow};
use crate::schema::{api_keys, owners, sessions};
use crate::{Columns, columns_of};

#[auto_type]
fn row_of<'a>(owner: &'a OwnerId) -> _ {
    let issuer: &'a str = owner.issuer();
    let subject: &'a str = owner.subject();
    owners::table.filter(owners::owner_issuer.eq(issuer).and(owners::owner_subject.eq(subject)))
}

/// The record of the owner, if the owner has a row.
#[auto_type]
pub fn record_of<'a>(owner: &'a OwnerId) -> _ {
    let columns: Columns<OwnerRow> = columns_of::<OwnerRow>();
    let row: row_of<'a> = row_of(owner);
    row.select(columns)
}

/// The limits of the owner, if the owner has a row.
#[auto_type]
pub fn limits_of<'a>(owner: &'a OwnerId) -> _ {
    let columns: Columns<LimitsRow> = columns_of::<LimitsRow>();
    let row: row_of<'a> = row_of(owner);
    row.select(columns)
}

/// Deletes the row of the owner.
#[auto_type]
pub fn delete_owner<'a>(owner: &'a OwnerId) -> _ {
    let row: row_of<'a> = row_of(owner);
    delete(row)
}

/// The columns of [`StandingRow`](super::StandingRow). They are `NULL` without a row of the owner.
#[auto_type]
pub fn standing() -> _ {
    (owners::suspended_at.nullable(), owners::key_rate_limit.nullable(), owners::request_rate_limit.nullable())
}

/// The row is of the owner of the key.
#[auto_type]
pub fn is_of_key() -> _ {
    owners::owner_issuer.eq(api_keys::owner_issuer).and(owners::owner_subject.eq(api_keys::owner_subject))
}

/// The row is of the owner of the session.
#[auto_type]
pub fn is_of_session() -> _ {
    owners::owner_issuer.eq(sessions::owner_issuer).and(owners::owner_subject.eq(sessions::owner_subject))
}

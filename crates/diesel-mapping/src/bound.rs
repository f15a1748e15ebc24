use diesel::backend::Backend;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Binary, HasSqlType, Text};
use domain::ports::Retained;
use domain::{AuditId, Hour, Timestamp};

use crate::sql_types::Instant;
use crate::{KEY_USAGE, SUBSCRIPTION_OUTCOMES, StoredInstant, audit, keys, sessions, statement};

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bind {
    /// The bytes of an id.
    Bytes(Vec<u8>),
    /// A string.
    Text(String),
    /// A number.
    Number(i64),
    /// An instant.
    Instant(StoredInstant),
}

/// The statement with the values of its placeholders.
pub fn bound<DB>((sql, binds): (String, Vec<Bind>)) -> BoxedSqlQuery<'static, DB, SqlQuery>
where
    DB: Backend + HasSqlType<Instant>,
    Vec<u8>: ToSql<Binary, DB>,
    String: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
    StoredInstant: ToSql<Instant, DB>,
{
    binds.into_iter().fold(statement(sql), |query, bind| match bind {
        Bind::Bytes(bytes) => query.bind::<Binary, _>(bytes),
        Bind::Text(text) => query.bind::<Text, _>(text),
        Bind::Number(number) => query.bind::<BigInt, _>(number),
        Bind::Instant(instant) => query.bind::<Instant, _>(instant),
    })
}

/// Deletes at most `max` rows of this kind from before the instant; `None` for webhooks, which take many statements.
pub fn purge(what: Retained, before: Timestamp, max: u32) -> Option<(String, Vec<Bind>)> {
    let (at, hour) = (Bind::Instant(before.into()), Bind::Number(Hour::of(before).number()));
    let max = Bind::Number(max.into());
    Some(match what {
        Retained::Keys => (keys::DELETE_ENDED.to_owned(), vec![at, max]),
        Retained::KeyUsage => (KEY_USAGE.purge(), vec![hour, max]),
        Retained::Sessions => {
            let seen = Bind::Instant(sessions::seen_since(before));
            (sessions::DELETE_ENDED.to_owned(), vec![at, seen, max])
        }
        Retained::AuditEvents => {
            let first = Bind::Bytes(AuditId::first_at(before).as_bytes().to_vec());
            (audit::DELETE_BEFORE.to_owned(), vec![first, max])
        }
        Retained::Webhooks => return None,
        Retained::Outcomes => (SUBSCRIPTION_OUTCOMES.purge(), vec![hour, max]),
    })
}

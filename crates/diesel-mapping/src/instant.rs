use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, SqlType};
use diesel::sqlite::Sqlite;
use domain::Timestamp;

/// An instant: `timestamptz` on Postgres, Unix milliseconds in an integer on SQLite.
///
/// The object ids are those of `timestamptz` and its array type in `pg_type.dat` of Postgres, which never change.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185))]
#[diesel(sqlite_type(name = "Long"))]
pub struct Instant;

/// 2000-01-01T00:00:00Z in Unix milliseconds: Postgres counts microseconds from there.
const POSTGRES_EPOCH_UNIX_MILLIS: i64 = 946_684_800_000;

/// The value of a column of type [`Instant`], in Unix milliseconds. It may be outside of the range of [`Timestamp`].
#[derive(AsExpression, Clone, Copy, Debug, FromSqlRow, PartialEq, Eq)]
#[diesel(sql_type = Instant)]
pub struct StoredInstant {
    unix_millis: i64,
}

impl StoredInstant {
    /// The stored value, in Unix milliseconds.
    pub fn unix_millis(self) -> i64 {
        self.unix_millis
    }

    /// The timestamp; `None` when the value is out of range, as Postgres' `infinity` is.
    pub fn timestamp(self) -> Option<Timestamp> {
        Timestamp::from_unix_millis(self.unix_millis)
    }
}

impl From<Timestamp> for StoredInstant {
    fn from(at: Timestamp) -> Self {
        Self { unix_millis: at.unix_millis() }
    }
}

impl ToSql<Instant, Pg> for StoredInstant {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let micros = (self.unix_millis - POSTGRES_EPOCH_UNIX_MILLIS) * 1000;
        ToSql::<BigInt, Pg>::to_sql(&micros, &mut out.reborrow())
    }
}

impl FromSql<Instant, Pg> for StoredInstant {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Pg>>::from_sql(value)?;
        // Gatepost writes whole milliseconds. Anything finer comes from elsewhere and is cut off.
        Ok(Self { unix_millis: micros.div_euclid(1000).saturating_add(POSTGRES_EPOCH_UNIX_MILLIS) })
    }
}

impl ToSql<Instant, Sqlite> for StoredInstant {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.unix_millis);
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Instant, Sqlite> for StoredInstant {
    fn from_sql(value: <Sqlite as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self { unix_millis: <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)? })
    }
}

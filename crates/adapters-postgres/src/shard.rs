//! One of several shards: a schema of a database, and the stamp that identifies it. See decision 98.

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Bool, Integer};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_mapping::statement;

use crate::attempt::{Failure, Work};

/// The place of a store among several shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    pub number: u16,
    /// How many shards there are.
    pub shards: u16,
    /// The number of its server, from 0.
    pub server: u16,
}

/// The database has other shards than the configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WrongShards {
    /// There is another number of shards.
    #[error(
        "the database has {stored}, and DATABASE_SHARDS says {configured}: set DATABASE_SHARDS to the number of the first \
         start, which says where each user's data is and never changes",
        stored = counted(*stored),
        configured = counted(*configured)
    )]
    Number {
        /// The number in the database.
        stored: u16,
        /// The number in the configuration.
        configured: u16,
    },
    /// A copy to the database has not ended.
    #[error(
        "a copy to the database has not ended, and it has a part of the data: run `gatepost copy` again, which begins again"
    )]
    Unfinished,
    /// The shards of this server belong to another place in the list of servers.
    #[error(
        "the server at place {configured} of DATABASE_URL has the shards of place {stored}: list the servers of the first \
         start, in the order of the first start"
    )]
    Place {
        /// The place of the server's shards, from 1.
        stored: u16,
        /// The place of the server in the configuration, from 1.
        configured: u16,
    },
}

fn counted(shards: u16) -> String {
    if shards == 1 { "one shard".to_owned() } else { format!("{shards} shards") }
}

/// Whether the server gives shards to other nodes.
const IS_CITUS: &str = "SELECT current_setting('citus.version', true) IS NOT NULL AS is_true";
/// The stamp of a database with several shards, which identifies them. A database with one shard has no such schema.
const IS_DIVIDED: &str = "SELECT to_regclass('gatepost_shards.stamp') IS NOT NULL AS is_true";
/// Whether the database was set up with one shard.
const IS_SINGLE: &str = "SELECT to_regclass('public.__diesel_schema_migrations') IS NOT NULL AS is_true";
const READ_STAMP: &str = "SELECT shards, server FROM gatepost_shards.stamp";
/// One statement at a time, as in [`crate::migrations`].
const SET_UP: [&str; 3] = [
    "CREATE SCHEMA IF NOT EXISTS gatepost_shards",
    "CREATE TABLE IF NOT EXISTS gatepost_shards.stamp (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), shards integer NOT NULL, server integer NOT NULL
    )",
    "CREATE TABLE IF NOT EXISTS gatepost_shards.unfinished (shard integer PRIMARY KEY)",
];
/// On Citus, a schema that is made with this setting is distributed. Elsewhere the setting has no effect.
const DISTRIBUTE: &str = "SET LOCAL citus.enable_schema_based_sharding TO on";
const STAMP: &str = "INSERT INTO gatepost_shards.stamp (shards, server) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// The shards with an unfinished copy. See decision 84.
const IS_UNFINISHED: &str = "SELECT EXISTS (SELECT FROM gatepost_shards.unfinished WHERE shard = $1) AS is_true";
const MARK: &str = "INSERT INTO gatepost_shards.unfinished VALUES ($1) ON CONFLICT DO NOTHING";
const UNMARK: &str = "DELETE FROM gatepost_shards.unfinished WHERE shard = $1";

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    is_true: bool,
}

#[derive(QueryableByName)]
struct Stamp {
    #[diesel(sql_type = Integer)]
    shards: i32,
    #[diesel(sql_type = Integer)]
    server: i32,
}

impl Shard {
    /// The schema of the shard.
    pub fn schema(self) -> String {
        format!("gatepost_shard_{}", self.number)
    }
}

/// Fails if the database was set up for other shards. Only reads.
pub(crate) struct CheckShard(pub(crate) Option<Shard>);

impl Work for CheckShard {
    type Answer = Option<WrongShards>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        Ok(check(connection, self.0).await?)
    }
}

/// The mismatch of the shards of the database, if there is one.
pub(crate) async fn check(connection: &AsyncPgConnection, shard: Option<Shard>) -> QueryResult<Option<WrongShards>> {
    let wrong = check_place(connection, shard).await?;
    match shard {
        Some(shard) if wrong.is_none() && is_unfinished(connection, shard).await? => Ok(Some(WrongShards::Unfinished)),
        _ => Ok(wrong),
    }
}

/// Whether the number of the shards or the place of the server is wrong. An unfinished copy is not an error here.
pub(crate) async fn check_place(
    connection: &AsyncPgConnection,
    shard: Option<Shard>,
) -> QueryResult<Option<WrongShards>> {
    let configured = shard.map_or(1, |shard| shard.shards);
    if !is_true(connection, IS_DIVIDED).await? {
        let is_wrong = shard.is_some() && is_true(connection, IS_SINGLE).await?;
        return Ok(is_wrong.then_some(WrongShards::Number { stored: 1, configured }));
    }
    let Stamp { shards, server } = statement(READ_STAMP).get_result(&mut &*connection).await?;
    let [stored, place] = [shards, server].map(|number| u16::try_from(number).unwrap_or(0));
    Ok(match shard {
        Some(shard) if stored == shard.shards && place == shard.server => None,
        Some(shard) if stored == shard.shards => {
            Some(WrongShards::Place { stored: place + 1, configured: shard.server + 1 })
        }
        _ => Some(WrongShards::Number { stored, configured }),
    })
}

/// Whether the server gives shards to other nodes, where locks of a session have no effect.
pub(crate) async fn is_distributed(connection: &AsyncPgConnection) -> QueryResult<bool> {
    is_true(connection, IS_CITUS).await
}

/// The answer to a question whose only column is `is_true`.
pub(crate) async fn is_true(connection: &AsyncPgConnection, question: &str) -> QueryResult<bool> {
    Ok(statement(question).get_result::<Answer>(&mut &*connection).await?.is_true)
}

/// Makes the schema of the shard, and records for good which shards the database has. The caller holds the lock of
/// migrations.
pub(crate) async fn set_up(mut connection: &AsyncPgConnection, shard: Shard) -> QueryResult<()> {
    for statement in SET_UP {
        connection.batch_execute(statement).await?;
    }
    let stamp = statement(STAMP).bind::<Integer, _>(i32::from(shard.shards));
    stamp.bind::<Integer, _>(i32::from(shard.server)).execute(&mut connection).await?;
    let create = format!("{DISTRIBUTE}; CREATE SCHEMA IF NOT EXISTS {}", shard.schema());
    connection.batch_execute(&create).await
}

/// Whether the copy to the shard is unfinished.
pub(crate) async fn is_unfinished(mut connection: &AsyncPgConnection, shard: Shard) -> QueryResult<bool> {
    if !is_true(connection, IS_DIVIDED).await? {
        return Ok(false);
    }
    let is_unfinished = statement(IS_UNFINISHED).bind::<Integer, _>(i32::from(shard.number));
    Ok(is_unfinished.get_result::<Answer>(&mut connection).await?.is_true)
}

/// Marks the copy to the shard as unfinished, until [`unmark`].
pub(crate) async fn mark_unfinished(mut connection: &AsyncPgConnection, shard: Shard) -> QueryResult<()> {
    statement(MARK).bind::<Integer, _>(i32::from(shard.number)).execute(&mut connection).await.map(drop)
}

pub(crate) async fn unmark(mut connection: &AsyncPgConnection, shard: Shard) -> QueryResult<()> {
    statement(UNMARK).bind::<Integer, _>(i32::from(shard.number)).execute(&mut connection).await.map(drop)
}

/// Drops the schema of the shard.
pub(crate) async fn remove_all(mut connection: &AsyncPgConnection, shard: Shard) -> QueryResult<()> {
    connection.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", shard.schema())).await
}

use std::sync::Arc;

use adapters_postgres::{Copied, CopyError, Division, PostgresStore};
use adapters_sqlite::SqliteStore;
use adapters_system::SystemClock;
use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use cli::output::{Reply, member, remark};
use domain::Timestamp;
use domain::ports::{Clock, Close};
use futures_util::future::join_all;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::configuration::{Configuration, DatabaseUrl, Loaded, SHARDS_MAX};
use crate::database::{open_postgres, open_shards, open_sqlite};

/// Copy everything from one database to another, which is empty. Stop Gatepost first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The database to copy; the configured one without it
    #[arg(long, value_name = "URL", value_parser = database_url, required_unless_present = "to")]
    from: Option<DatabaseUrl>,
    /// The empty database; the configured one without it
    #[arg(long, value_name = "URL", value_parser = database_url)]
    to: Option<DatabaseUrl>,
    /// How many shards the database of --from has
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = shards(), requires = "from")]
    from_shards: u16,
    /// Into how many shards the database of --to is divided
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = shards(), requires = "to")]
    to_shards: u16,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost copy --from sqlite://old.db --to sqlite://new.db
  gatepost copy --from sqlite://old.db --to postgres://gatepost@db/gatepost
  gatepost copy --from postgres://gatepost@db/gatepost --to sqlite://new.db
  gatepost copy --from sqlite://old.db \\
      --to postgres://gatepost@db/gatepost --to-shards 16";

/// The rows between two remarks about a table.
const REMARK_EVERY: usize = 100_000;

/// How many rows of a table were copied.
#[derive(Serialize)]
struct TableAnswer {
    table: &'static str,
    rows: i64,
}

/// Copies a database. See decision 84.
///
/// # Errors
///
/// When a database is in use or fails, or the target has data. The target is then as it was.
pub(crate) async fn run(arguments: Arguments, loaded: Loaded) -> Result<()> {
    let Arguments { from, to, from_shards, to_shards, json } = arguments;
    let configuration = loaded.configuration;
    let place = |url: Option<DatabaseUrl>, shards| match url {
        Some(url) => (url, shards),
        None => (configuration.database_url.clone(), configuration.database_shards),
    };
    let [(from, from_shards), (to, to_shards)] = [place(from, from_shards), place(to, to_shards)];
    if let Some(file) = from.file().filter(|file| !file.exists()) {
        bail!("there is no database at {}", file.display());
    }
    let (reading, writing) = (format!("cannot copy from {from}"), format!("cannot copy to {to}"));
    let source = Database::open(&configuration, &from, from_shards).await.context(reading.clone())?;
    let target = Database::open(&configuration, &to, to_shards).await.context(writing.clone())?;
    let outcome = copy(&source, &target, reading, writing).await;
    source.close().await;
    target.close().await;
    let tables = outcome?;
    remark("the target needs the ENCRYPTION_KEY of the source; start Gatepost on one of the two only");
    let lines: Vec<_> = tables.iter().map(|copied| format!("{:>12}  {}", copied.rows, copied.table)).collect();
    Reply::new(&member("tables", &tables), lines.join("\n"))?.print(json)
}

fn shards() -> RangedU64ValueParser<u16> {
    RangedU64ValueParser::new().range(1..=u64::from(SHARDS_MAX))
}

fn database_url(url: &str) -> Result<DatabaseUrl, String> {
    DatabaseUrl::parse(url).ok_or_else(|| format!("expected {}", DatabaseUrl::ALLOWED))
}

/// Copies everything. An error begins with the text of the side that failed.
async fn copy(source: &Database, target: &Database, reading: String, writing: String) -> Result<Vec<TableAnswer>> {
    let (exporting, exported) = channel(1);
    let (importing, imported) = channel(1);
    let at = SystemClock.now();
    let division = Division::into_shards(target.shards());
    let (sent, stored, tables) =
        tokio::join!(source.export(at, division, exporting), target.import(imported), watch(exported, importing));
    match (sent, stored) {
        (Ok(()), Ok(())) => Ok(tables),
        // A side that stopped because of the other one has no separate cause.
        (Err(CopyError::CutOff) | Ok(()), Err(error)) => Err(error).context(writing),
        (Err(error), _) => Err(error).context(reading),
    }
}

/// Passes everything on, and reports the progress of the copy.
async fn watch(mut from: Receiver<Copied>, to: Sender<Copied>) -> Vec<TableAnswer> {
    let (mut tables, mut rows_of_table) = (Vec::<TableAnswer>::new(), 0);
    while let Some(copied) = from.recv().await {
        match &copied {
            Copied::Rows { rows, .. } => {
                let before = rows_of_table / REMARK_EVERY;
                rows_of_table += rows.count();
                if rows_of_table / REMARK_EVERY > before {
                    remark(&format!("{}: {rows_of_table} rows so far", rows.table()));
                }
            }
            Copied::End { table, count } => {
                // A source with several shards has each table several times.
                match tables.iter_mut().find(|known| known.table == *table) {
                    Some(known) => known.rows += count,
                    None => tables.push(TableAnswer { table, rows: *count }),
                }
                rows_of_table = 0;
            }
            Copied::Complete => {}
        }
        if to.send(copied).await.is_err() {
            break;
        }
    }
    tables
}

/// A database that is copied, or copied to.
enum Database {
    Sqlite(SqliteStore),
    /// The shards of a database, or the only store of one.
    Postgres(Vec<Arc<PostgresStore>>),
}

impl Database {
    async fn open(configuration: &Configuration, url: &DatabaseUrl, shards: u16) -> Result<Self> {
        if let Some(rule) = url.misfit(shards) {
            bail!("{shards} shards: {rule}");
        }
        Ok(match url {
            DatabaseUrl::Sqlite(path) => Self::Sqlite(open_sqlite(configuration, path).await?),
            DatabaseUrl::Postgres(url) if shards == 1 => {
                Self::Postgres(vec![Arc::new(open_postgres(configuration, url).await?)])
            }
            DatabaseUrl::Postgres(_) => Self::Postgres(open_shards(configuration, url, shards).await?),
        })
    }

    fn shards(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres(stores) => stores.len(),
        }
    }

    async fn export(&self, at: Timestamp, division: Division, to: Sender<Copied>) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(store) => store.export(at, division, &to).await?,
            Self::Postgres(stores) => {
                for store in stores {
                    store.export(at, division, &to).await?;
                }
            }
        }
        to.send(Copied::Complete).await.map_err(|_| CopyError::CutOff)
    }

    async fn import(&self, from: Receiver<Copied>) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(store) => store.import(from).await,
            Self::Postgres(stores) => match stores.as_slice() {
                [store] => store.import(from).await,
                shards => PostgresStore::import_shards(shards, from).await,
            },
        }
    }

    async fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(stores) => join_all(stores.iter().map(|store| store.close())).await.into_iter().collect(),
        }
    }
}

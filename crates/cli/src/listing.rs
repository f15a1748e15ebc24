use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::output::Reply;
use crate::table::table;
use crate::times::past;

// The part of a list to show. Not a doc comment: clap would show it as the help of each command.
#[derive(Debug, Args)]
pub(crate) struct Part {
    /// Only items of this time or later: 2026-11-21T00:00:00Z, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    pub(crate) since: Option<String>,
    /// Only items before this time: 2026-11-21T00:00:00Z, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    pub(crate) until: Option<String>,
    /// The maximum number of items to list, up to 200
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) limit: u32,
    /// The cursor that the previous page showed; use the same filters
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
}

/// How a command shows a list: as the JSON of the API, or as a table.
pub(crate) struct Listing<const COLUMNS: usize> {
    /// The name of the items, in the plural.
    pub(crate) items: &'static str,
    /// The heads of the columns.
    pub(crate) heads: [&'static str; COLUMNS],
}

impl<const COLUMNS: usize> Listing<COLUMNS> {
    /// The whole list: `whole` as JSON, or the rows.
    ///
    /// # Errors
    ///
    /// As [`Reply::new`].
    pub(crate) fn of(&self, whole: &impl Serialize, rows: impl Iterator<Item = [String; COLUMNS]>) -> Result<Reply> {
        let mut rows = rows.peekable();
        let is_empty = rows.peek().is_none();
        Reply::new(whole, if is_empty { format!("no {}", self.items) } else { table(self.heads, rows) })
    }

    /// A page of a list, and how to get the next one.
    ///
    /// # Errors
    ///
    /// As [`Reply::new`].
    pub(crate) fn page(
        &self,
        page: &impl Serialize,
        rows: impl Iterator<Item = [String; COLUMNS]>,
        next: Option<&str>,
    ) -> Result<Reply> {
        let next = next.map(|cursor| format!("there may be more {}: --cursor {cursor}", self.items));
        Ok(next.into_iter().fold(self.of(page, rows)?, Reply::remarking))
    }
}

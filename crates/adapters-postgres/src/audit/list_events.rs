use diesel::OptionalExtension;
use diesel::pg::Pg;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_types::{Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::audit::{AuditQuery, AuditRow, Bind, audit_page};
use diesel_mapping::{IdRow, statement};
use domain::AuditId;
use domain::ports::AuditPage;

use crate::attempt::{Failure, Work};

/// A page of the audit log. One statement, and a second one for a search.
pub(super) struct ListEvents {
    pub(super) query: AuditQuery,
    pub(super) max: u32,
}

impl Work for ListEvents {
    type Answer = AuditPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<AuditPage, Failure> {
        let mut floor = None;
        if self.query.is_search() {
            let row = bound(self.query.floor()).get_result::<IdRow>(&mut &*connection).await.optional()?;
            floor = row.map(AuditId::try_from).transpose()?;
        }
        let rows = bound(self.query.page(floor, self.max)).load::<AuditRow>(&mut &*connection).await?;
        Ok(audit_page(rows, floor, self.max)?)
    }
}

/// The statement with the values of its placeholders.
pub(crate) fn bound((sql, binds): (String, Vec<Bind>)) -> BoxedSqlQuery<'static, Pg, SqlQuery> {
    binds.into_iter().fold(statement(sql), |query, bind| match bind {
        Bind::Bytes(bytes) => query.bind::<Binary, _>(bytes),
        Bind::Text(text) => query.bind::<Text, _>(text),
    })
}

use domain::AuditId;
use domain::audit::{AuditAction, AuditFilter};
use domain::ports::AUDIT_SEARCHED_MAX;

use super::audit_row::actor_columns;
use crate::Bind;

/// Deletes at most `$2` events with ids below `$1`, oldest first. Both databases number placeholders like this.
pub const DELETE_BEFORE: &str =
    "DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE id < $1 ORDER BY id LIMIT $2)";

/// The columns of [`AuditRow`](super::AuditRow).
const COLUMNS: &str =
    "id, owner_issuer, owner_subject, actor, actor_issuer, actor_name, means, action, target, changes,
    request_id, address";

/// Finds at most `$1` events that are to be announced. Only the index of such events has this order, so the planner
/// cannot choose another one, which has all events. Actions of later versions are left to their instances, so that they
/// do not fill the list.
pub fn list_unannounced() -> String {
    let announced = AuditAction::ALL.iter().filter(|action| action.is_announced());
    let names: Vec<String> = announced.map(|action| format!("'{}'", action.as_str())).collect();
    let names = names.join(", ");
    format!("SELECT {COLUMNS} FROM audit_events WHERE to_announce AND action IN ({names}) ORDER BY action, id LIMIT $1")
}

/// A list of the audit log, as SQL text and the values of its placeholders. It is text, because its conditions differ
/// from call to call, and diesel types such a query differently for each database.
#[derive(Clone, Debug)]
pub struct AuditQuery {
    filter: AuditFilter,
    below: AuditId,
    from: AuditId,
}

/// A statement and the values of its placeholders.
type Statement = (String, Vec<Bind>);

impl AuditQuery {
    /// The events with ids below `before` that pass the filter.
    pub fn new(filter: &AuditFilter, before: Option<AuditId>) -> Self {
        let until = filter.until.map(AuditId::first_at);
        let below = before.into_iter().chain(until).min().unwrap_or(AuditId::MAX);
        let from = filter.since.map_or(AuditId::from_bytes([0; 16]), AuditId::first_at);
        Self { filter: filter.clone(), below, from }
    }

    /// Whether rows that the index finds may not pass the filter, so that a search needs a floor.
    pub fn is_search(&self) -> bool {
        !self.other_conditions(&mut Vec::new()).is_empty()
    }

    /// Finds the id of the last event that the search looks at. No row means that it looks at all of them.
    pub fn floor(&self) -> Statement {
        let (columns, mut binds) = self.index();
        let sql = format!(
            "SELECT id FROM audit_events WHERE {} ORDER BY {} LIMIT 1 OFFSET {}",
            self.range(&columns, &mut binds),
            newest_first(&columns),
            AUDIT_SEARCHED_MAX - 1
        );
        (sql, binds)
    }

    /// Finds the newest `max + 1` events, the additional one to know whether there are more. Looks no further than to
    /// `floor`.
    pub fn page(&self, floor: Option<AuditId>, max: u32) -> Statement {
        let within = Self { from: floor.map_or(self.from, |floor| floor.max(self.from)), ..self.clone() };
        let (columns, mut binds) = within.index();
        let range = within.range(&columns, &mut binds);
        let others = within.other_conditions(&mut binds);
        let sql = format!(
            "SELECT {COLUMNS} FROM audit_events WHERE {range}{others} ORDER BY {} LIMIT {}",
            newest_first(&columns),
            u64::from(max) + 1
        );
        (sql, binds)
    }

    /// The columns of the index that the list goes by, and the values of all but the last, which is the id.
    fn index(&self) -> (Vec<&'static str>, Vec<Bind>) {
        match (&self.filter.target, &self.filter.owner) {
            (Some(target), _) => (vec!["target", "id"], vec![Bind::Text(target.to_string())]),
            (None, Some(owner)) => {
                let binds = [owner.issuer(), owner.subject()].map(|text| Bind::Text(text.to_owned()));
                (vec!["owner_issuer", "owner_subject", "id"], binds.into())
            }
            (None, None) => (vec!["id"], Vec::new()),
        }
    }

    /// The range of the index, as a comparison of all its columns: then no other index has the order of the list,
    /// and the database cannot choose one.
    fn range(&self, columns: &[&str], binds: &mut Vec<Bind>) -> String {
        let equal = binds.len();
        binds.extend([self.below, self.from].map(|id| Bind::Bytes(id.as_bytes().to_vec())));
        let values = |id: usize| {
            let numbers: Vec<String> = (1..=equal).chain([id]).map(|number| format!("${number}")).collect();
            numbers.join(", ")
        };
        let columns = columns.join(", ");
        format!("({columns}) < ({}) AND ({columns}) >= ({})", values(equal + 1), values(equal + 2))
    }

    /// The conditions that are checked row by row.
    fn other_conditions(&self, binds: &mut Vec<Bind>) -> String {
        let mut equal: Vec<(&str, &str)> = Vec::new();
        if let (Some(_), Some(owner)) = (&self.filter.target, &self.filter.owner) {
            equal.extend([("owner_issuer", owner.issuer()), ("owner_subject", owner.subject())]);
        }
        if let Some(actor) = &self.filter.actor {
            let (kind, issuer, name) = actor_columns(actor);
            equal.push(("actor", kind));
            equal.extend(issuer.map(|issuer| ("actor_issuer", issuer)));
            equal.extend(name.map(|name| ("actor_name", name)));
        }
        equal.extend(self.filter.action.iter().map(|action| ("action", action.as_str())));
        let condition = |(column, value): (&str, &str)| {
            binds.push(Bind::Text(value.to_owned()));
            format!(" AND {column} = ${}", binds.len())
        };
        equal.into_iter().map(condition).collect()
    }
}

fn newest_first(columns: &[&str]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| format!("{column} DESC")).collect();
    columns.join(", ")
}

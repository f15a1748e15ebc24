use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_mapping::StoredInstant;
use diesel_mapping::owners::{CountsRow, PlaceRow, PlaceWords, count_statement, owners_read};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::statement;
use domain::ports::ListOwnersRequest;
use domain::{FoundBy, OWNER_COUNT_MAX, OwnerCounts, OwnerId, OwnerPage, OwnerRead, OwnerSearch, OwnersRead};

use crate::undo::Undo;

/// The least subject of an owner of anything, under a condition.
macro_rules! least {
    ($condition:literal) => {
        concat!(
            "(SELECT min(subject) FROM (",
            "SELECT * FROM (SELECT owner_subject AS subject FROM owners WHERE ",
            $condition,
            " ORDER BY owner_subject LIMIT 1) UNION ALL ",
            "SELECT * FROM (SELECT owner_subject FROM api_keys WHERE ",
            $condition,
            " ORDER BY owner_subject LIMIT 1) UNION ALL ",
            "SELECT * FROM (SELECT owner_subject FROM webhook_subscriptions WHERE ",
            $condition,
            " ORDER BY owner_subject LIMIT 1)))",
        )
    };
}

/// No table has all owners. So each step looks up the next subject in the tables of what owners have: three look-ups for
/// each owner, however much the owner has. `?5` and `?6` are the issuers of users and of organizations; `ORDER BY` takes
/// the steps of both in the order of the list. Behind the last subject of an issuer comes NULL, once.
const PLACES: PlaceWords = PlaceWords {
    parameter: '?',
    bytewise: "",
    name: "folded_name",
    email: "folded_email",
    known: concat!(
        "WITH RECURSIVE known (text, subject, issuer) AS (SELECT asked.text, ",
        least!(
            "owner_issuer = asked.issuer AND owner_subject >= asked.subject
                AND (owner_subject, owner_issuer) > (asked.subject, asked.behind)"
        ),
        ", asked.issuer FROM (SELECT ?1 AS text, ?2 AS subject, ?3 AS behind, ?5 AS issuer
                UNION ALL SELECT ?1, ?2, ?3, ?6) AS asked
            UNION ALL SELECT known.text, ",
        least!("owner_issuer = known.issuer AND owner_subject > known.subject"),
        ", known.issuer FROM known WHERE known.subject IS NOT NULL ORDER BY 2, 3 LIMIT ?4 + 2
        ) SELECT text, subject AS owner_subject, issuer AS owner_issuer FROM known WHERE subject IS NOT NULL"
    ),
    join: "LEFT JOIN owners AS owner
        ON owner.owner_issuer = place.owner_issuer AND owner.owner_subject = place.owner_subject",
    is_known: "TRUE",
};

/// See [`OwnerStore::list`](domain::ports::OwnerStore::list).
pub(super) fn list_owners(connection: &mut SqliteConnection, request: &ListOwnersRequest) -> Result<OwnerPage, Undo> {
    let mut search = OwnerSearch::new(request);
    while let Some(read) = search.next_read() {
        let answer = read_places(connection, request, &read)?;
        search.take(&read, answer);
    }
    let counts: Result<Vec<OwnerCounts>, Undo> =
        search.owners().map(|owner| count(connection, request, owner)).collect();
    Ok(search.into_page(counts?))
}

fn read_places(
    connection: &mut SqliteConnection,
    request: &ListOwnersRequest,
    read: &OwnerRead,
) -> Result<OwnersRead, Undo> {
    let after = &read.after;
    let mut query = statement(PLACES.statement(read.by))
        .bind::<Text, _>(&after.text)
        .bind::<Text, _>(&after.subject)
        .bind::<Text, _>(&after.issuer)
        .bind::<BigInt, i64>(read.max.into());
    if read.by == FoundBy::Id {
        let [users, organizations] = request.issuers();
        query = query.bind::<Text, _>(users).bind::<Text, _>(organizations);
    }
    let rows: Vec<PlaceRow> = query.load(connection)?;
    Ok(owners_read(read, rows)?)
}

fn count(connection: &mut SqliteConnection, request: &ListOwnersRequest, owner: &OwnerId) -> Result<OwnerCounts, Undo> {
    let asked = "(SELECT $3 AS owner_issuer, $4 AS owner_subject) AS asked";
    let query = statement(count_statement(asked))
        .bind::<Instant, StoredInstant>(request.at.into())
        .bind::<BigInt, i64>(OWNER_COUNT_MAX.into())
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject());
    let row: CountsRow = query.get_result(connection)?;
    Ok(row.into())
}

#[cfg(test)]
mod tests {
    use domain::ports::Schema as _;
    use domain::{KeyPolicy, OwnerQuery, Timestamp};

    use super::*;
    use crate::statements_tests::{Statements, plan};
    use crate::{SqliteSettings, SqliteStore};

    /// However many owners there are: `known` has one row for each owner of a page, and `asked` has one or two.
    #[tokio::test]
    async fn every_owner_is_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = SqliteStore::open(SqliteSettings { path, readers: 1 }).await.unwrap();
        store.migrate().await.unwrap();
        let (mut connection, mut plain) = (store.file.connect().unwrap(), store.file.connect().unwrap());
        let statements = Statements::of(&mut connection);
        for (text, is_suspended) in [(Some("a"), None), (Some("a"), Some(true)), (None, None)] {
            let query = text.map(|text| OwnerQuery::parse(text, &KeyPolicy::default()).unwrap());
            let issuer = "https://id.example".to_owned();
            let request = ListOwnersRequest { issuer, query, is_suspended, after: None, max: 50, at: Timestamp::MIN };
            assert_eq!(list_owners(&mut connection, &request).unwrap().next, None, "the list is empty");
            let owner = OwnerId::new("https://id.example", "alice").unwrap();
            count(&mut connection, &request, &owner).unwrap();
        }
        let performed = statements.performed();
        assert_eq!(performed.len(), 6, "five orders and the counts: {performed:#?}");
        let few = ["known", "asked", "few", "place", "active", "enabled", "failing", "subquery", "CONSTANT"];
        for statement in performed {
            for step in plan(&mut plain, &statement) {
                let scans_all = step.starts_with("SCAN") && !few.iter().any(|few| step.contains(few));
                assert!(!scans_all, "{step}: {statement}");
            }
        }
    }
}

use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{CountsRow, PlaceRow, PlaceWords, count_statement, owners_read};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::ports::ListOwnersRequest;
use domain::{OWNER_COUNT_MAX, OwnerCounts, OwnerPage, OwnerRead, OwnerSearch, OwnersRead};

use crate::attempt::{Failure, Work};

/// `key_owners` has every owner, and for some time also former owners, who have nothing any more (decision 135). Without
/// `LIMIT 1`, a kept plan could join whole tables instead of looking up single rows.
const PLACES: PlaceWords = PlaceWords {
    parameter: '$',
    bytewise: " COLLATE \"C\"",
    name: "lower(name COLLATE \"C\")",
    email: "lower(email COLLATE \"C\")",
    known: "SELECT $1 AS text, owner_subject, owner_issuer FROM key_owners
        WHERE (owner_subject COLLATE \"C\", owner_issuer COLLATE \"C\") > ($2, $3)
        ORDER BY owner_subject COLLATE \"C\", owner_issuer COLLATE \"C\"",
    join: "LEFT JOIN LATERAL (SELECT * FROM owners AS record WHERE record.owner_issuer = place.owner_issuer
        AND record.owner_subject = place.owner_subject LIMIT 1) AS owner ON TRUE",
    is_known: "COALESCE(owner.owner_issuer IS NOT NULL OR NULL,
        (SELECT TRUE FROM api_keys AS key WHERE key.owner_issuer = place.owner_issuer
            AND key.owner_subject = place.owner_subject AND key.ends_at IS NOT NULL LIMIT 1),
        (SELECT TRUE FROM webhook_subscriptions AS subscription
            WHERE subscription.owner_issuer = place.owner_issuer
            AND subscription.owner_subject = place.owner_subject LIMIT 1), FALSE)",
};

/// Finds a page of owners. One statement for each read, and one that counts what the owners have. They see different
/// moments.
impl Work for ListOwnersRequest {
    type Answer = OwnerPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<OwnerPage, Failure> {
        let mut search = OwnerSearch::new(self);
        while let Some(read) = search.next_read() {
            let answer = read_places(connection, &read).await?;
            search.take(&read, answer);
        }
        let counts = count(connection, self, &search).await?;
        Ok(search.into_page(counts))
    }
}

async fn read_places(connection: &AsyncPgConnection, read: &OwnerRead) -> Result<OwnersRead, Failure> {
    let after = &read.after;
    let query = statement(PLACES.statement(read.by))
        .bind::<Text, _>(&after.text)
        .bind::<Text, _>(&after.subject)
        .bind::<Text, _>(&after.issuer)
        .bind::<BigInt, i64>(read.max.into());
    let rows: Vec<PlaceRow> = Kept(query).load(&mut &*connection).await?;
    Ok(owners_read(read, rows)?)
}

async fn count(
    connection: &AsyncPgConnection,
    request: &ListOwnersRequest,
    search: &OwnerSearch<'_>,
) -> Result<Vec<OwnerCounts>, Failure> {
    let (issuers, subjects): (Vec<&str>, Vec<&str>) =
        search.owners().map(|owner| (owner.issuer(), owner.subject())).unzip();
    if issuers.is_empty() {
        return Ok(Vec::new());
    }
    let asked = "unnest($3, $4) WITH ORDINALITY AS asked (owner_issuer, owner_subject, place) ORDER BY asked.place";
    let query = statement(count_statement(asked))
        .bind::<Instant, StoredInstant>(request.at.into())
        .bind::<BigInt, i64>(OWNER_COUNT_MAX.into())
        .bind::<Array<Text>, _>(issuers)
        .bind::<Array<Text>, _>(subjects);
    let rows: Vec<CountsRow> = Kept(query).load(&mut &*connection).await?;
    Ok(rows.into_iter().map(OwnerCounts::from).collect())
}

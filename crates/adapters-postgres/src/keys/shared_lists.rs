use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::dsl::{SqlTypeOf, sql};
use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{ListedRow, keys_of_owner};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Columns, Kept, StoredInstant};
use domain::{ApiKey, ListView, OwnerId};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::attempt::{Failure, Work, attempts_on, within_deadline};
use crate::pool::Connections;

/// How many lists are read at the same time. Further calls share the next read.
const READS_MAX: usize = 2;
/// The most lists in one statement.
const LISTS_MAX: usize = 64;

/// Lets lists of keys share statements while others are being read. Most of the work for one short list is the protocol
/// and the start of the statement, for this process and for the server.
///
/// A read begins after all calls that it answers were made. See decision 60.
#[derive(Clone)]
pub(crate) struct SharedLists {
    connections: Connections,
    queue: Arc<Mutex<Queue>>,
    runtime: Handle,
}

#[derive(Default)]
struct Queue {
    calls: Vec<Call>,
    /// How many reads are in progress, at most [`READS_MAX`].
    reads: usize,
}

/// A list that a caller waits for. If it is dropped, the caller reads alone.
struct Call {
    owner: OwnerId,
    view: ListView,
    answer: oneshot::Sender<Vec<ApiKey>>,
}

/// How a call gets its list.
pub(super) enum Turn {
    /// It reads alone, while it has this place.
    Alone(Place),
    /// Another task reads for it: a superset of the list, or no answer if that fails.
    Shared(oneshot::Receiver<Vec<ApiKey>>),
}

impl SharedLists {
    pub(crate) fn new(connections: Connections, runtime: Handle) -> Self {
        Self { connections, queue: Arc::default(), runtime }
    }

    pub(super) fn turn(&self, owner: &OwnerId, view: ListView) -> Turn {
        let mut queue = self.queue();
        if queue.reads < READS_MAX {
            queue.reads += 1;
            return Turn::Alone(Place(self.clone()));
        }
        let (answer, answered) = oneshot::channel();
        queue.calls.push(Call { owner: owner.clone(), view, answer });
        Turn::Shared(answered)
    }

    /// The calls that have waited longest. `None` if no call waits: then the place is free.
    fn next(&self) -> Option<Vec<Call>> {
        let mut queue = self.queue();
        queue.calls.retain(|call| !call.answer.is_closed());
        if queue.calls.is_empty() {
            queue.reads -= 1;
            return None;
        }
        let count = queue.calls.len().min(LISTS_MAX);
        Some(queue.calls.drain(..count).collect())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the reads in progress. When it ends, the calls that wait by then are read together in its place.
pub(super) struct Place(SharedLists);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(calls) = self.0.next() {
            let lists = self.0.clone();
            // If the runtime has ended, this drops the calls and all later ones: each reads alone.
            lists.runtime.clone().spawn(read(Place(lists), calls));
        }
    }
}

async fn read(place: Place, calls: Vec<Call>) {
    let lists = async { Ok(attempts_on(&place.0.connections, &ListMany(&calls)).await?) };
    let Ok(lists) = within_deadline(lists).await else { return };
    for (call, rows) in calls.into_iter().zip(lists) {
        if let Ok(keys) = keys_of_owner(&call.owner, rows) {
            // Sending fails if the caller was dropped.
            let _ = call.answer.send(keys);
        }
    }
}

/// `keys::list_keys` for several owners: the rows for each call, in the order of the calls. At most as many ended keys as
/// the call that shows most of them. One statement.
///
/// The arrays are subqueries, so that the planner does not see how long they are, and plans once for all lengths.
struct ListMany<'a>(&'a [Call]);

impl Work for ListMany<'_> {
    type Answer = Vec<Vec<ListedRow>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let calls = self.0;
        let issuers: Vec<&str> = calls.iter().map(|call| call.owner.issuer()).collect();
        let subjects: Vec<&str> = calls.iter().map(|call| call.owner.subject()).collect();
        let instants: Vec<StoredInstant> = calls.iter().map(|call| call.view.at.into()).collect();
        let ended_max = calls.iter().map(|call| call.view.ended_max).max().unwrap_or(0);
        let query = sql::<(BigInt, ListedColumns)>("SELECT asked.number, listed.* FROM unnest((SELECT ")
            .bind::<Array<Text>, _>(issuers)
            .sql("), (SELECT ")
            .bind::<Array<Text>, _>(subjects)
            .sql("), (SELECT ")
            .bind::<Array<Instant>, _>(instants)
            .sql(LISTED)
            .bind::<BigInt, _>(i64::from(ended_max))
            .sql(")) AS listed");
        let mut lists: Vec<Vec<ListedRow>> = calls.iter().map(|_| Vec::new()).collect();
        let rows: Vec<(i64, ListedRow)> = Kept(query).load(&mut &*connection).await?;
        for (number, row) in rows {
            let index = usize::try_from(number - 1).ok();
            if let Some(list) = index.and_then(|index| lists.get_mut(index)) {
                list.push(row);
            }
        }
        Ok(lists)
    }
}

/// The types of the columns of a key in [`ListMany`].
type ListedColumns = SqlTypeOf<Columns<ListedRow>>;

/// The middle of the statement of [`ListMany`].
const LISTED: &str = ")) WITH ORDINALITY AS asked (issuer, subject, at, number) CROSS JOIN LATERAL ((
    SELECT id, label, prefix, created_at, last_used_at, expires_at, revoked_at, scopes, replaced_by, settings, created_by
    FROM api_keys
    WHERE owner_issuer = asked.issuer AND owner_subject = asked.subject AND revoked_at IS NULL AND ends_at > asked.at
) UNION ALL (
    SELECT id, label, prefix, created_at, last_used_at, expires_at, revoked_at, scopes, replaced_by, settings, created_by
    FROM api_keys
    WHERE owner_issuer = asked.issuer AND owner_subject = asked.subject
        AND NOT (revoked_at IS NULL AND ends_at > asked.at) AND ends_at IS NOT NULL
    ORDER BY ends_at DESC, id DESC LIMIT ";

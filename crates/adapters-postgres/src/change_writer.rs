//! The writers of changes of credentials, and the order of the changes. See decision 114.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use diesel::pg::Pg;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_mapping::{Kept, statement};
use domain::CredentialDigest;

use crate::audit::note_writer;
use crate::transaction::on_its_node;

/// A change for each of the digests `$3`, all with the number `$2` of the writer `$1`.
const ANNOUNCE: &str = on_its_node!(
    "INSERT INTO credential_changes (writer, number, digest) SELECT $1, $2, digest FROM unnest($3) AS digest"
);

/// The writers of this process that no transaction uses.
static IDLE: Mutex<Vec<ChangeWriter>> = Mutex::new(Vec::new());

/// Numbers the changes of one transaction after another: a later one begins after the commit of an earlier one was
/// answered. So readers see the numbers of a writer in their order, without a lock and on any server.
pub(crate) struct ChangeWriter {
    /// Random, so that no other process has it, and no process after a restart.
    id: i64,
    number: i64,
}

impl ChangeWriter {
    /// The writer for one transaction. If the transaction certainly ends, [`Self::ended`] follows. Otherwise the writer is
    /// dropped, because its number may still be committed.
    pub(crate) fn begin() -> Self {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let ChangeWriter { id, number } = idle.unwrap_or_else(|| Self { id: random(), number: 0 });
        Self { id, number: number + 1 }
    }

    /// Writes these digests to the feed.
    pub(crate) fn announce(&self, digests: &[CredentialDigest]) -> impl QueryFragment<Pg> + QueryId + Send + use<> {
        let digests: Vec<Vec<u8>> = digests.iter().map(|digest| digest.as_bytes().to_vec()).collect();
        let insertion = statement(ANNOUNCE).bind::<BigInt, _>(self.id).bind::<BigInt, _>(self.number);
        Kept(insertion.bind::<Array<Binary>, _>(digests))
    }

    /// The server has answered that the transaction is committed or rolled back.
    pub(crate) fn ended(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}

/// A writer with a running transaction. If the call is dropped, the task that ends the transaction gets the writer.
/// Otherwise each client that hangs up would leave a writer, which every reader has to look up.
pub(crate) struct InTransaction(Option<ChangeWriter>);

impl InTransaction {
    /// Holds the writer until the commit is answered.
    pub(crate) fn with(writer: ChangeWriter) -> Self {
        Self(Some(writer))
    }

    /// The answer of the commit has come. If it is an error, the number may still be committed, and the writer ends.
    pub(crate) fn answered(mut self, is_certain: bool) {
        if let Some(writer) = self.0.take().filter(|_| is_certain) {
            writer.ended();
        }
    }
}

impl Drop for InTransaction {
    fn drop(&mut self) {
        if let Some(writer) = self.0.take() {
            note_writer(writer);
        }
    }
}

fn random() -> i64 {
    RandomState::new().hash_one(()).cast_signed()
}

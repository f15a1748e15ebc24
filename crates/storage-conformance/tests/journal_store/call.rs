use domain::audit::Cause;
use domain::memory::MemoryKeyStore;
use domain::ports::{ActiveLimit, CredentialStore as _, KeyStore as _, KeyUpkeep as _, KeyUsageStore as _};
use domain::{ApiKey, CredentialDigest, Hour, KeyId, KeyRotation, KeyUsage, KeyUse, ListView, Timestamp, UserId};

use crate::codec::Field;

/// Declares [`Call`]: the number of each call in the journal, its arguments, and the method that it stands for.
macro_rules! calls {
    ($($number:literal $name:ident { $($field:ident: $type:ty),* } => $method:ident($($argument:expr),*);)*) => {
        /// A call of a method that writes, with its arguments.
        pub(crate) enum Call {
            $($name { $($field: $type),* }),*
        }

        impl Call {
            /// Calls the method again. It does what it did before: nothing that the outcome depends on is missing here.
            pub(crate) async fn replay(self, memory: &MemoryKeyStore) {
                match self {
                    // A call that was refused before is refused again.
                    $(Self::$name { $($field),* } => drop(memory.$method($($argument),*).await)),*
                }
            }
        }

        impl Field for Call {
            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$name { $($field),* } => {
                        u8::write(&$number, bytes);
                        $($field.write(bytes);)*
                    })*
                }
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                match u8::read(bytes)? {
                    $($number => Some(Self::$name { $($field: Field::read(bytes)?),* }),)*
                    _ => None,
                }
            }
        }
    };
}

calls! {
    0 Insert { key: ApiKey, digest: CredentialDigest, limit: ActiveLimit, view: ListView, cause: Cause }
        => insert_within(&key, &digest, limit, view, &cause);
    1 Revoke { owner: UserId, id: KeyId, at: Timestamp, view: ListView, cause: Cause } => revoke(&owner, id, at, view, &cause);
    2 Rotate { owner: UserId, id: KeyId, rotation: KeyRotation, digest: CredentialDigest, view: ListView, cause: Cause }
        => rotate(&owner, id, &rotation, &digest, view, &cause);
    3 RevokeByDigests { digests: Vec<CredentialDigest>, at: Timestamp, cause: Cause } => revoke_by_digests(&digests, at, &cause);
    4 RevokeUserKeys { owner: UserId, created_before: Timestamp, at: Timestamp, max: u32, cause: Cause }
        => revoke_user_keys(&owner, created_before, at, max, &cause);
    5 RecordUses { uses: Vec<KeyUse> } => record_uses(&uses);
    6 PurgeEnded { before: Timestamp, max: u32 } => purge_ended(before, max);
    7 AddUsage { usage: Vec<KeyUsage> } => add_usage(&usage);
    8 PurgeUsage { before: Hour, max: u32 } => purge_usage(before, max);
}

use domain::audit::Cause;
use domain::memory::{MemoryKeyStore, MemoryOwnerStore};
use domain::ports::{
    ChangeKeyRequest, ChangeOwnerRequest, CredentialStore as _, EraseRequest, Erasure as _, InsertKeyRequest,
    KeyStore as _, KeyUsageStore as _, OwnerStore as _, Retained, Retention as _, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, SetOwnerStateRequest,
};
use domain::{KeyUsage, KeyUse, OwnerId, Timestamp};

use crate::codec::Field;

/// What the calls change.
pub(crate) struct Memory {
    pub(crate) keys: MemoryKeyStore,
    pub(crate) owners: MemoryOwnerStore,
}

/// Declares [`Call`]: the number of each call in the journal, its arguments, and the method that it stands for.
macro_rules! calls {
    ($($number:literal $name:ident($($field:ident: $type:ty),*) => $store:ident.$method:ident($($argument:expr),*);)*) => {
        /// A call of a method that writes, with its arguments.
        pub(crate) enum Call {
            $($name($($type),*)),*
        }

        impl Call {
            /// Calls the method again. It does what it did before: nothing that the outcome depends on is missing here.
            pub(crate) async fn replay(self, memory: &Memory) {
                match self {
                    // A call that was refused before is refused again.
                    $(Self::$name($($field),*) => drop(memory.$store.$method($($argument),*).await)),*
                }
            }
        }

        impl Field for Call {
            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$name($($field),*) => {
                        u8::write(&$number, bytes);
                        $($field.write(bytes);)*
                    })*
                }
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                match u8::read(bytes)? {
                    $($number => Some(Self::$name($(<$type as Field>::read(bytes)?),*)),)*
                    _ => None,
                }
            }
        }
    };
}

calls! {
    0 Insert(request: InsertKeyRequest) => keys.insert_within(&request);
    1 Revoke(request: RevokeKeyRequest) => keys.revoke(&request);
    2 Rotate(request: RotateKeyRequest) => keys.rotate(&request);
    3 RevokeByDigests(request: RevokeDigestsRequest) => keys.revoke_by_digests(&request);
    4 RevokeUserKeys(request: RevokeUserKeysRequest) => keys.revoke_user_keys(&request);
    5 RecordUses(uses: Vec<KeyUse>) => keys.record_uses(&uses);
    6 AddUsage(usage: Vec<KeyUsage>) => keys.add_usage(&usage);
    7 Purge(what: Retained, before: Timestamp, max: u32) => keys.purge(what, before, max);
    8 Change(request: ChangeKeyRequest) => keys.change(&request);
    9 ChangeOwner(request: ChangeOwnerRequest) => owners.change(&request);
    10 SetOwnerState(request: SetOwnerStateRequest) => owners.set_state(&request);
    11 Erase(request: EraseRequest) => owners.erase(&request);
    12 FinishErasure(owner: OwnerId, cause: Cause) => owners.finish_erasure(&owner, &cause);
}

use domain::memory::MemoryKeyStore;
use domain::ports::{
    ChangeKeyRequest, CredentialStore as _, InsertKeyRequest, KeyStore as _, KeyUsageStore as _, Retained,
    Retention as _, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
};
use domain::{KeyUsage, KeyUse, Timestamp};

use crate::codec::Field;

/// Declares [`Call`]: the number of each call in the journal, its arguments, and the method that it stands for.
macro_rules! calls {
    ($($number:literal $name:ident($($field:ident: $type:ty),*) => $method:ident($($argument:expr),*);)*) => {
        /// A call of a method that writes, with its arguments.
        pub(crate) enum Call {
            $($name($($type),*)),*
        }

        impl Call {
            /// Calls the method again, with the same effect as before: the call has everything on which its outcome
            /// depends.
            pub(crate) async fn replay(self, memory: &MemoryKeyStore) {
                match self {
                    // A call that was refused before is refused again.
                    $(Self::$name($($field),*) => drop(memory.$method($($argument),*).await)),*
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
    0 Insert(request: InsertKeyRequest) => insert_within(&request);
    1 Revoke(request: RevokeKeyRequest) => revoke(&request);
    2 Rotate(request: RotateKeyRequest) => rotate(&request);
    3 RevokeByDigests(request: RevokeDigestsRequest) => revoke_by_digests(&request);
    4 RevokeUserKeys(request: RevokeUserKeysRequest) => revoke_user_keys(&request);
    5 RecordUses(uses: Vec<KeyUse>) => record_uses(&uses);
    6 AddUsage(usage: Vec<KeyUsage>) => add_usage(&usage);
    7 Purge(what: Retained, before: Timestamp, max: u32) => purge(what, before, max);
    8 Change(request: ChangeKeyRequest) => change(&request);
}

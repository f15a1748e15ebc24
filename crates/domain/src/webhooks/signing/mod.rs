//! The secrets and key pairs that sign webhooks, how they sign, and how they are stored.

pub(super) mod check_keys;
pub(super) mod idempotency_key;
pub(super) mod key_pair;
pub(super) mod reseal_secrets;
pub(super) mod rotate_secret;
pub(super) mod sealed_secret;
pub(super) mod sealed_secrets;
pub(super) mod signature;
pub(super) mod signer;
pub(super) mod signing_secret;

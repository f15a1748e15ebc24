//! The ports that one store implements, by wing.

use domain::ApiKey;
use domain::ports::{ChangeFeed, CredentialStore, KeyStore, KeyUsageStore, Retention, SessionStore};
use domain::sessions::Session;

/// The three ports of keys and their purge, which one store implements. See decision 113.
pub trait KeyPorts: KeyStore + CredentialStore<ApiKey> + KeyUsageStore + Retention {}

impl<Store: KeyStore + CredentialStore<ApiKey> + KeyUsageStore + Retention> KeyPorts for Store {}

/// A store that several processes share, with a feed of the changes of all.
pub trait SharedStore: KeyPorts + ChangeFeed {}

impl<Store: KeyPorts + ChangeFeed> SharedStore for Store {}

/// The two ports of sessions and their purge, which one store implements.
pub trait SessionPorts: SessionStore + CredentialStore<Session> + Retention {}

impl<Store: SessionStore + CredentialStore<Session> + Retention> SessionPorts for Store {}

/// A store of sessions that several processes share, with a feed of the changes of all.
pub trait SharedSessionStore: SessionPorts + ChangeFeed {}

impl<Store: SessionPorts + ChangeFeed> SharedSessionStore for Store {}

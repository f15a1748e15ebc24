//! The tools of the tests: the real binary, an identity provider, the databases, plain HTTP/1.1.

mod binary;
mod browser;
mod fault_proxy;
mod identity_provider;
mod instance;
mod malformed;
pub(crate) mod program;
mod random;
mod search;
mod storage;
mod user;
mod waiting;
mod wire;

pub(crate) use binary::{
    NO_SETTINGS, assert_failed, build, complaint, feed, feed_gatepost, gatepost_binary, old_binary, repository,
    run_gatepost, search_path, succeeded,
};
pub(crate) use browser::{Browser, led_to};
pub(crate) use fault_proxy::{FaultProxy, Line};
pub(crate) use identity_provider::{IdentityProvider, seconds_since_1970};
pub(crate) use instance::{ENCRYPTION_KEY, Gatepost, Setup, free_address, readiness};
pub(crate) use malformed::Malformed;
pub(crate) use random::Random;
pub(crate) use search::{contains, database_files, find};
pub(crate) use storage::{Storage, durable_server, on_both_databases, own_server};
pub(crate) use user::User;
pub(crate) use waiting::{DEADLINE, eventually, in_time, until};
pub(crate) use wire::{Connection, Request, Response, headers};

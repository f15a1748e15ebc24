//! A stub resolver that holds no thread while a name server thinks. See decision 52.

mod cache;
mod configuration;
mod name_server;
mod question;
mod resolver;
mod shared_look_ups;
mod system_resolver;

pub use configuration::NameServers;
pub use resolver::{ResolveError, Resolver};
pub use system_resolver::SystemResolver;

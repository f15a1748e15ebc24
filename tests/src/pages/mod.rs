//! The README and `docs/`: every page can be found, every link and path leads somewhere, and every command runs.

mod commands;
mod guide;
mod map;
mod masked;
mod named_paths;
mod page;
mod session;
mod sources;

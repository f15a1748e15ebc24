//! The storage ports on SQLite: one group-committing writer, embedded migrations

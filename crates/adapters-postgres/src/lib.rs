//! The storage ports on Postgres: pool, owner lock, retried transactions, embedded migrations

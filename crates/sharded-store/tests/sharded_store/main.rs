//! Every promise of the ports, kept by several stores as one, and the effect of a stopped shard.

mod announcements;
mod composed;
mod leaks;
mod look_ups;
mod memory;
mod postgres;
mod publications;

mod saboteurs;

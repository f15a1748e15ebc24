//! Every promise of the ports, kept by several stores as one, and what happens when one of them stops.

mod announcements;
mod composed;
mod leaks;
mod look_ups;
mod memory;
mod postgres;
mod publications;

mod saboteurs;

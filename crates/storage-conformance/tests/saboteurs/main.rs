//! Stores with one fault each, and the promises that must detect it.

mod audit;
mod bites;
mod catalogue;
mod keys;
mod liar;
mod owners;
mod sessions;
mod webhooks;

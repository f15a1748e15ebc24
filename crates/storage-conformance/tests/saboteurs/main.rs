//! The suite bites: stores with one fault each, and the promises that must be seen to break.

mod audit;
mod bites;
mod keys;
mod sessions;
mod webhooks;

pub(crate) mod browser;
mod own_sessions;
mod signing_in;
mod signing_out;

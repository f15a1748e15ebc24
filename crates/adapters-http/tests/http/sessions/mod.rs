pub(crate) mod browser;
mod own_sessions;
mod portal_links;
mod signing_in;
mod signing_out;
mod visitors_keys;

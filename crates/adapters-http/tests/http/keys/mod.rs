mod api_keys;
mod rotation;
mod usage;
mod whoami;

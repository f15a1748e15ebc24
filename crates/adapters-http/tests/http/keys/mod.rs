mod api_keys;
mod rotation;
mod whoami;

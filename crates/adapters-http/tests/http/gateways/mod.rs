mod forward_auth;

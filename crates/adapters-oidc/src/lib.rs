//! ID tokens by OpenID Connect discovery and JWKS, and the development provider

//! The REST API on actix-web: one file per endpoint, one error mapping, OpenAPI

use actix_web::Resource;

/// Adds the methods of a path.
type Methods = fn(Resource) -> Resource;

/// Paths, with what answers there. Explicit resources, because those answer another method with 405 and `Allow`.
pub(super) type Resources = &'static [(&'static str, Methods)];

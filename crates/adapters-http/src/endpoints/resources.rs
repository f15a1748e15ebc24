use actix_web::Resource;

/// Adds the methods of a path to its resource.
type Methods = fn(Resource) -> Resource;

/// Paths and their methods. They are explicit resources, which answer other methods with 405 and `Allow`.
pub(super) type Resources = &'static [(&'static str, Methods)];

use utoipa::Modify;
use utoipa::openapi::schema::{Components, Schema};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr};

const ID_TOKEN: &str = "idToken";

/// Gives the calls of operators bodies without an ID token, which only owners have.
pub(crate) struct OperatorBodies;

impl Modify for OperatorBodies {
    fn modify(&self, document: &mut OpenApi) {
        let OpenApi { paths, components: Some(components), .. } = document else { return };
        for (_, item) in paths.paths.iter_mut().filter(|(path, _)| path.starts_with("/api/operator/")) {
            for operation in [&mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten() {
                let Some(RefOr::T(body)) = &mut operation.request_body else { continue };
                for content in body.content.values_mut() {
                    let RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) = content else { continue };
                    if let Some(name) = add_body_without_id_token(&reference.ref_location, components) {
                        *reference = Ref::from_schema_name(name);
                    }
                }
            }
        }
    }
}

/// The name of the schema; `None` if the body has no ID token.
fn add_body_without_id_token(location: &str, components: &mut Components) -> Option<String> {
    let name = location.rsplit('/').next()?;
    let Some(RefOr::T(Schema::Object(body))) = components.schemas.get(name) else { return None };
    let mut body = body.clone();
    body.properties.remove(ID_TOKEN)?;
    let name = format!("{name}ForOwner");
    components.schemas.insert(name.clone(), Schema::Object(body).into());
    Some(name)
}

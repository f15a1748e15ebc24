use utoipa::Modify;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, OpenApi, RefOr};

use crate::errors::problem;

/// The calls that browsers make by a navigation. Their errors are pages.
const OF_BROWSERS: &str = "/console/";

/// Adds the pages that browsers get in place of problem documents.
pub(crate) struct ErrorPages;

impl Modify for ErrorPages {
    fn modify(&self, document: &mut OpenApi) {
        let items = document.paths.paths.iter_mut().filter(|(path, _)| path.starts_with(OF_BROWSERS));
        for operation in items.flat_map(|(_, item)| [&mut item.get, &mut item.post]).flatten() {
            add_pages(operation);
        }
    }
}

fn add_pages(operation: &mut Operation) {
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && response.content.contains_key(problem::MEDIA_TYPE)
        {
            let page = ContentBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String)));
            response.content.insert("text/html".to_owned(), page.build().into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::openapi::openapi_json;

    #[test]
    fn errors_of_a_sign_in_are_pages() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let refused = &document["paths"]["/console/callback"]["get"]["responses"]["400"]["content"];
        assert!(refused["text/html"].is_object(), "{refused}");
    }
}

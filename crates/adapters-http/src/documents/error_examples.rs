use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, OpenApi, RefOr};

use crate::errors::error_code::error_reference;
use crate::errors::problem::{self, Problem};

/// Adds an example of each error to the components of the document. Responses refer to them by code.
pub(crate) fn add_error_examples(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    for entry in error_reference() {
        let example = ExampleBuilder::new().summary(entry.title).value(Some(Problem::example(entry))).build();
        components.examples.insert(entry.code.to_owned(), example.into());
    }
}

/// The calls that browsers make by a navigation. Their errors are pages.
const OF_BROWSERS: &str = "/console/";

/// Adds the pages that browsers get in place of problem documents.
pub(crate) fn add_error_pages(document: &mut OpenApi) {
    let items = document.paths.paths.iter_mut().filter(|(path, _)| path.starts_with(OF_BROWSERS));
    for operation in items.flat_map(|(_, item)| [&mut item.get, &mut item.post]).flatten() {
        add_pages(operation);
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

    use super::*;
    use crate::openapi::openapi_json;

    #[test]
    fn each_response_shows_an_example_of_each_of_its_errors() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let operations = document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
        let mut examples_seen = 0;
        for (_, operation) in operations {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let Some(content) = response["content"].get("application/problem+json") else { continue };
                for example in content["examples"].as_object().unwrap().values() {
                    let pointer = example["$ref"].as_str().unwrap().trim_start_matches('#');
                    let shown = &document.pointer(pointer).unwrap()["value"];
                    assert_eq!(shown["status"].to_string(), *status, "{pointer}");
                    examples_seen += 1;
                }
            }
        }
        assert!(examples_seen > error_reference().len());
    }

    #[test]
    fn errors_of_a_sign_in_are_pages() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        let refused = &document["paths"]["/console/callback"]["get"]["responses"]["400"]["content"];
        assert!(refused["text/html"].is_object(), "{refused}");
    }
}

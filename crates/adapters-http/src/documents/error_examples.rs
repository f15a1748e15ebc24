use utoipa::Modify;
use utoipa::openapi::OpenApi;
use utoipa::openapi::example::ExampleBuilder;

use crate::errors::error_code::error_reference;
use crate::errors::problem::Problem;

/// Adds an example of each error to the components of the document. Responses refer to them by code.
pub(crate) struct ErrorExamples;

impl Modify for ErrorExamples {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        for entry in error_reference() {
            let example = ExampleBuilder::new().summary(entry.title).value(Some(Problem::example(entry))).build();
            components.examples.insert(entry.code.to_owned(), example.into());
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
}

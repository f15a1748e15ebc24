//! The schemas of the pairs that an application attaches to a key.

use domain::Metadata;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};

/// The schema of metadata.
pub(crate) fn metadata_schema() -> Schema {
    metadata_of(SchemaType::new(Type::Object), SchemaType::new(Type::String))
}

/// The schema of a change of metadata.
pub(crate) fn metadata_patch_schema() -> Schema {
    let or_null = |this| SchemaType::from_iter([this, Type::Null]);
    metadata_of(or_null(Type::Object), or_null(Type::String))
}

fn metadata_of(pairs: SchemaType, values: SchemaType) -> Schema {
    let value = ObjectBuilder::new().schema_type(values).max_length(Some(Metadata::VALUE_LENGTH_MAX));
    let value = value.pattern(Some(Metadata::VALUE_PATTERN)).build();
    let name = ObjectBuilder::new().schema_type(Type::String).pattern(Some(Metadata::NAME_PATTERN)).build();
    ObjectBuilder::new()
        .schema_type(pairs)
        .property_names(Some(name))
        .max_properties(Some(Metadata::PAIRS_MAX))
        .additional_properties(Some(AdditionalProperties::from(Schema::Object(value))))
        .description(Some("Pairs for your application, such as the plan of a customer: at most 2 KiB together"))
        .build()
        .into()
}

use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{InvalidPayloadSchema, PayloadSchema, PayloadSchemas, SchemaBreak};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::breaking_changes;
use crate::compiled_schema::CompiledSchema;

/// Schemas that the crate `jsonschema` compiles, on threads that may block.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSchemas;

#[async_trait]
impl PayloadSchemas for JsonSchemas {
    async fn compile(&self, schema: &str) -> Result<Arc<dyn PayloadSchema>, InvalidPayloadSchema> {
        let schema = schema.to_owned();
        let compiled = spawn_blocking(move || CompiledSchema::compile(&schema)).await;
        let compiled = compiled.unwrap_or_else(|_| Err(InvalidPayloadSchema("cannot be compiled".to_owned())));
        compiled.map(|compiled| Arc::new(compiled) as _)
    }

    fn first_break(&self, before: &str, after: &str) -> Option<SchemaBreak> {
        let parse = |schema| serde_json::from_str::<Value>(schema).unwrap_or(Value::Bool(true));
        breaking_changes::first_break(&parse(before), &parse(after))
    }
}

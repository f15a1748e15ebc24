//! What the SQL adapters share: schema, column types, rows, error mapping

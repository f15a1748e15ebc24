use diesel::QueryableByName;
use diesel::expression::Selectable;
use diesel::pg::Pg;
use diesel::sql_types::{BigInt, Binary};
use domain::ports::StoreError;

/// The columns of a row, in the order of its fields. They are the same for both databases.
pub type Columns<Row> = <Row as Selectable<Pg>>::SelectExpression;

/// See [`Columns`].
pub fn columns_of<Row: Selectable<Pg>>() -> Columns<Row> {
    Row::construct_selection()
}

/// The row of a `count(*)`.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct CountRow {
    /// How many rows there are.
    #[diesel(sql_type = BigInt)]
    pub count: i64,
}

/// The row of a statement that answers with ids, as they are stored.
#[derive(QueryableByName)]
pub struct IdRow {
    /// The bytes of the id.
    #[diesel(sql_type = Binary)]
    pub id: Vec<u8>,
}

impl IdRow {
    /// The ids in these rows.
    pub fn ids(rows: Vec<Self>) -> Vec<Vec<u8>> {
        rows.into_iter().map(|row| row.id).collect()
    }
}

/// The values of these rows.
///
/// # Errors
///
/// [`StoreError::Corrupt`] names the first row with a value that the schema does not promise.
pub fn values_of<Row, Value: TryFrom<Row, Error = StoreError>>(rows: Vec<Row>) -> Result<Vec<Value>, StoreError> {
    rows.into_iter().map(Value::try_from).collect()
}

//! Work on a connection, with an answer of any type. So one writer and one pool of readers serve all works: the compiler
//! would otherwise make a queue, a task and a deadline for each of them.

use std::any::Any;

use diesel::SqliteConnection;

use crate::undo::Undo;

/// Work that [`boxed`] has made. It runs on the thread of the writer or of a reader, and its answer returns to the task of the
/// caller.
pub(crate) type Work = Box<dyn FnOnce(&mut SqliteConnection) -> Result<Answer, Undo> + Send>;

/// The answer of a [`Work`]. [`answer`] opens it.
pub(crate) type Answer = Box<dyn Any + Send>;

/// The work without its type.
pub(crate) fn boxed<T: Send + 'static>(
    work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
) -> Work {
    Box::new(|connection| Ok(Box::new(work(connection)?)))
}

/// The answer of the work.
///
/// # Panics
///
/// If the work has another type of answer.
pub(crate) fn answer<T: 'static>(answer: Answer) -> T {
    *answer.downcast().expect("work answers with its own type")
}

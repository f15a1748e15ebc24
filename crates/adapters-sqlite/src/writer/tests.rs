use std::sync::mpsc::{Sender, channel};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use tempfile::TempDir;

use super::*;

diesel::table! { notes (text) { text -> Text, } }
diesel::table! { orphans (parent) { parent -> Text, } }

/// A writer on a database with two tables; a row in `orphans` without its parent makes the commit fail.
fn writer() -> (Writer, DatabaseFile, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseFile::create(&folder.path().join("test.db")).unwrap();
    let mut connection = file.connect().unwrap();
    let tables = "CREATE TABLE notes (text TEXT PRIMARY KEY);
        CREATE TABLE orphans (parent TEXT REFERENCES notes DEFERRABLE INITIALLY DEFERRED);";
    connection.batch_execute(tables).unwrap();
    let lock = Arc::new(file.lock().unwrap());
    (Writer::start(file.clone(), connection, lock).unwrap(), file, folder)
}

fn notes(file: &DatabaseFile) -> Vec<String> {
    notes::table.select(notes::text).order(notes::text).load(&mut file.connect_reader().unwrap()).unwrap()
}

fn note(connection: &mut SqliteConnection, text: &str) -> Result<(), Undo> {
    diesel::insert_into(notes::table).values(notes::text.eq(text)).execute(connection)?;
    Ok(())
}

/// Keeps the writer busy, so that writes that are queued in the meantime share the next transaction.
async fn occupy(writer: &Writer) -> Sender<()> {
    let (release, released) = channel();
    let (begun, has_begun) = oneshot::channel();
    let busy = writer.clone();
    tokio::spawn(async move {
        let wait = move |_: &mut SqliteConnection| {
            begun.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        };
        busy.write(wait).await
    });
    has_begun.await.unwrap();
    release
}

#[tokio::test]
async fn a_refusal_undoes_itself_and_no_neighbour() {
    let (writer, file, _folder) = writer();
    let release = occupy(&writer).await;
    let first = writer.write(|connection| note(connection, "first"));
    let refused = writer.write(|connection| {
        note(connection, "refused")?;
        Err::<(), _>(Undo(StoreError::Duplicate { what: "id" }))
    });
    let broken = writer.write(|connection| Ok(connection.batch_execute("INSERT INTO nowhere VALUES (1)")?));
    let twice = writer.write(|connection| note(connection, "first"));
    let last = writer.write(|connection| note(connection, "last"));
    let released = async { release.send(()).unwrap() };
    let (first, refused, broken, twice, last, ()) = tokio::join!(first, refused, broken, twice, last, released);
    assert!(first.is_ok() && last.is_ok(), "{first:?} {last:?}");
    assert!(matches!(refused, Err(StoreError::Duplicate { .. })), "{refused:?}");
    assert!(matches!(broken, Err(StoreError::Unavailable(_))), "{broken:?}");
    assert!(matches!(twice, Err(StoreError::Duplicate { .. })), "{twice:?}");
    assert_eq!(notes(&file), ["first", "last"]);
}

#[tokio::test]
async fn a_writer_that_panics_has_ended() {
    let (writer, _file, _folder) = writer();
    writer.write(|connection| note(connection, "good")).await.unwrap();
    assert!(writer.ended().now_or_never().is_none());
    let broken = writer.write::<()>(|_| panic!("on purpose")).await;
    assert!(matches!(broken, Err(StoreError::Unavailable(_))), "{broken:?}");
    timeout(DEADLINE, writer.ended()).await.expect("the thread has ended");
}

#[tokio::test]
async fn no_write_is_answered_before_the_commit() {
    let (writer, file, _folder) = writer();
    let release = occupy(&writer).await;
    let good = writer.write(|connection| note(connection, "good"));
    let orphan = writer.write(|connection| {
        diesel::insert_into(orphans::table).values(orphans::parent.eq("nobody")).execute(connection)?;
        Ok(())
    });
    let (good, orphan, ()) = tokio::join!(good, orphan, async { release.send(()).unwrap() });
    assert!(matches!(good, Err(StoreError::Unavailable(_))), "{good:?}");
    assert!(matches!(orphan, Err(StoreError::Unavailable(_))), "{orphan:?}");
    assert!(notes(&file).is_empty());
    writer.write(|connection| note(connection, "later")).await.unwrap();
    assert_eq!(notes(&file), ["later"]);
}

#[tokio::test]
async fn a_full_disk_fails_the_writes_that_need_space() {
    let (writer, file, _folder) = writer();
    let full = |connection: &mut SqliteConnection| Ok(connection.batch_execute("PRAGMA max_page_count = 6")?);
    writer.write(full).await.unwrap();
    let release = occupy(&writer).await;
    let fits = writer.write(|connection| note(connection, "fits"));
    let too_large = writer.write(|connection| note(connection, &"x".repeat(100_000)));
    let (fits, too_large, ()) = tokio::join!(fits, too_large, async { release.send(()).unwrap() });
    assert!(matches!(too_large, Err(StoreError::Unavailable(_))), "{too_large:?}");
    // SQLite may roll the whole transaction back. Then no write may be answered as stored.
    assert_eq!(notes(&file).len(), usize::from(fits.is_ok()), "{fits:?}");
    writer.write(|connection| note(connection, "later")).await.unwrap();
    assert_eq!(notes(&file).last().map(String::as_str), Some("later"));
}

#[tokio::test]
async fn a_write_whose_caller_gave_up_before_its_turn_changes_nothing() {
    let (writer, file, _folder) = writer();
    let release = occupy(&writer).await;
    let mut gone = Box::pin(writer.write(|connection| note(connection, "gone")));
    assert!(gone.as_mut().now_or_never().is_none());
    drop(gone);
    release.send(()).unwrap();
    writer.write(|connection| note(connection, "stays")).await.unwrap();
    assert_eq!(notes(&file), ["stays"]);
}

#[tokio::test]
async fn only_a_write_that_has_not_begun_times_out() {
    let (writer, file, _folder) = writer();
    let (release, released) = channel();
    let (begun, has_begun) = oneshot::channel();
    let slow = writer.clone();
    let slow = tokio::spawn(async move {
        let work = move |connection: &mut SqliteConnection| {
            begun.send(()).unwrap();
            released.recv().unwrap();
            note(connection, "slow")
        };
        slow.write(work).await
    });
    has_begun.await.unwrap();
    // From here on, time passes only while all tasks wait.
    tokio::time::pause();
    let waiting = writer.write(|connection| note(connection, "waiting")).await;
    assert!(matches!(waiting, Err(StoreError::Unavailable(_))), "{waiting:?}");
    assert!(!slow.is_finished());
    tokio::time::resume();
    release.send(()).unwrap();
    slow.await.unwrap().unwrap();
    writer.write(|connection| note(connection, "later")).await.unwrap();
    assert_eq!(notes(&file), ["later", "slow"]);
}

#[tokio::test]
async fn only_transactions_of_what_may_be_lost_are_not_flushed() {
    const NORMAL: i32 = 1;
    const FULL: i32 = 2;
    #[derive(QueryableByName)]
    struct Level {
        #[diesel(sql_type = diesel::sql_types::Integer)]
        synchronous: i32,
    }
    let level = |connection: &mut SqliteConnection| {
        Ok(diesel_mapping::statement("PRAGMA synchronous").get_result::<Level>(connection)?.synchronous)
    };
    let (writer, _file, _folder) = writer();
    assert_eq!(writer.write(level).await.unwrap(), FULL);
    assert_eq!(writer.write_unflushed(level).await.unwrap(), NORMAL);
    let release = occupy(&writer).await;
    let (shared, other) = (writer.write_unflushed(level), writer.write(level));
    let (shared, other, ()) = tokio::join!(shared, other, async { release.send(()).unwrap() });
    assert_eq!((shared.unwrap(), other.unwrap()), (FULL, FULL));
}

#[tokio::test]
async fn overload_is_refused_at_once() {
    let (writer, file, _folder) = writer();
    let release = occupy(&writer).await;
    let mut waiting = Vec::new();
    for number in 0..QUEUE_LENGTH_MAX {
        let mut write = Box::pin(writer.write(move |connection| note(connection, &format!("{number:04}"))));
        assert!(write.as_mut().now_or_never().is_none());
        waiting.push(write);
    }
    let refused = writer.write(|connection| note(connection, "refused")).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    release.send(()).unwrap();
    for write in waiting {
        write.await.unwrap();
    }
    assert_eq!(notes(&file).len(), QUEUE_LENGTH_MAX);
}

#[tokio::test]
async fn closing_finishes_what_is_queued() {
    let (writer, file, _folder) = writer();
    let release = occupy(&writer).await;
    let queued = writer.write(|connection| note(connection, "queued"));
    let (queued, (), ()) = tokio::join!(queued, writer.close(), async { release.send(()).unwrap() });
    queued.unwrap();
    assert_eq!(notes(&file), ["queued"]);
    assert!(writer.write(|connection| note(connection, "late")).await.is_err());
}

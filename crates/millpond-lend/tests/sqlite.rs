//! The maker for SQLite on files with faults.
#![cfg(feature = "rusqlite")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use millpond_lend::makers::rusqlite::Sqlite;
use millpond_lend::{AcquireError, BlockingLender, BlockingMaker};
use rusqlite::ffi;

/// A folder that is gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("lend-sqlite-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn lender_of(file: &Path) -> BlockingLender<Sqlite> {
    lender_by(Sqlite::new(file))
}

fn lender_by(maker: Sqlite) -> BlockingLender<Sqlite> {
    let builder = BlockingLender::builder(maker).capacity(2);
    let minute = Duration::from_secs(60);
    builder.acquire_timeout(minute).open_timeout(minute).build().unwrap()
}

fn reason(lender: &BlockingLender<Sqlite>) -> String {
    match lender.acquire() {
        Ok(_) => "none".into(),
        Err(error @ AcquireError::Opening(_)) => error.to_string(),
        Err(error) => panic!("not told at once: {error}"),
    }
}

/// Asks until the folder or the file is mended.
fn serves_later(lender: &BlockingLender<Sqlite>) {
    let loan = loop {
        match lender.acquire() {
            Ok(loan) => break loan,
            Err(AcquireError::Opening(_)) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => panic!("{error}"),
        }
    };
    loan.execute_batch("create table orders (dish text)").unwrap();
    drop(loan);
    assert_eq!(lender.validate(), Ok(()));
}

/// SQLite itself reads the file at the first query only: it would be the callers who find out.
#[test]
fn a_file_that_is_no_database_is_told_at_once() {
    let folder = Folder::new("garbage");
    let file = folder.0.join("orders.db");
    fs::write(&file, "soup ".repeat(1_000)).unwrap();
    let lender = lender_of(&file);
    let reason = reason(&lender);
    assert!(reason.contains("file is not a database"), "{reason}");
    fs::remove_file(&file).unwrap();
    serves_later(&lender);
}

#[test]
fn a_folder_that_is_missing_is_told_at_once() {
    let folder = Folder::new("missing");
    let inner = folder.0.join("inner");
    let lender = lender_of(&inner.join("orders.db"));
    let reason = reason(&lender);
    assert!(reason.contains("unable to open database file"), "{reason}");
    fs::create_dir(&inner).unwrap();
    serves_later(&lender);
}

/// Another program has locked the file: connections are opened all the same, and their queries wait for the lock.
#[test]
fn a_file_that_is_locked_is_opened() {
    let folder = Folder::new("locked");
    let file = folder.0.join("orders.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("begin exclusive; create table orders (dish text)").unwrap();
    let lender = lender_of(&file);
    let loan = lender.acquire().unwrap();
    loan.busy_timeout(Duration::ZERO).unwrap();
    let locked = loan.execute("insert into orders values ('soup')", []).unwrap_err();
    assert_eq!(locked.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
    other.execute_batch("commit").unwrap();
    assert_eq!(loan.execute("insert into orders values ('soup')", []), Ok(1));
}

/// Each of many callers would wait for a minute here.
#[test]
fn a_wrong_set_up_is_told_at_once() {
    type SetUp = fn(&mut rusqlite::Connection) -> rusqlite::Result<()>;
    let wrong: [(SetUp, &str); 5] = [
        (|connection| connection.execute_batch("creat table orders (dish text)"), "syntax error"),
        (|connection| connection.execute_batch("delete from orders"), "no such table: orders"),
        (|connection| connection.pragma_update(None, "nonsense;", 1), "nonsense;"),
        (|connection| connection.execute("select 1", []).map(drop), "returned results"),
        (
            |connection| {
                connection.execute_batch(
                    "create table dishes (name text not null); insert into dishes values (null)",
                )
            },
            "NOT NULL constraint failed",
        ),
    ];
    for (set_up, told) in wrong {
        let lender = lender_by(Sqlite::new(":memory:").set_up(set_up));
        for _ in 0..3 {
            let reason = reason(&lender);
            assert!(reason.contains(told), "{reason}");
        }
    }
}

#[test]
fn a_set_up_that_meets_a_lock_is_tried_again() {
    for code in [ffi::SQLITE_BUSY, ffi::SQLITE_LOCKED, ffi::SQLITE_FULL, ffi::SQLITE_IOERR_READ] {
        let tries = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&tries);
        let maker = Sqlite::new(":memory:").set_up(move |_| match seen.fetch_add(1, SeqCst) {
            0..3 => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
            _ => Ok(()),
        });
        let lender = lender_by(maker);
        assert!(lender.acquire().is_ok(), "{code}");
        assert_eq!((tries.load(SeqCst), lender.stats().open_failed), (4, 3));
    }
    let wrong = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), None);
    assert!(Sqlite::new(":memory:").is_final(&wrong));
}

/// An asynchronous program lends SQLite's connections by `Threaded`.
#[cfg(feature = "tokio")]
#[test]
fn an_asynchronous_lender_lends_connections() {
    use millpond_lend::{Lender, Threaded, TokioTimer};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (lender, keeper) = Lender::builder(Threaded::new(Sqlite::new(":memory:"))).build();
        tokio::spawn(keeper.run(TokioTimer));
        let loan = lender.acquire().await.unwrap();
        let sum = move || loan.query_row("select 1 + 1", [], |row| row.get::<_, i64>(0));
        assert_eq!(tokio::task::spawn_blocking(sum).await.unwrap(), Ok(2));
        while lender.stats().idle == 0 {
            tokio::task::yield_now().await;
        }
    });
}

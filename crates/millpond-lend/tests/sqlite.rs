//! The maker for SQLite on files with faults.
#![cfg(feature = "rusqlite")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use millpond_lend::makers::rusqlite::Sqlite;
use millpond_lend::{AcquireError, BlockingLender};

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
    let builder = BlockingLender::builder(Sqlite::new(file)).capacity(2);
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

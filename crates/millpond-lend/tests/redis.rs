//! A real Redis server, started on a socket in a temporary folder; not run if none is installed.
#![cfg(feature = "redis")]

#[path = "common/redis_server.rs"]
mod redis_server;

use std::time::Duration;

use millpond_lend::makers::redis::Redis;
use millpond_lend::{AcquireError, BlockingLender};
use redis_server::Server;

#[test]
fn connections_are_lent_and_a_killed_one_is_not_lent_again() {
    let server = match Server::start("kill", &[]) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let maker = Redis::new(redis::Client::open(server.url()).unwrap());
    let lender = BlockingLender::builder(maker)
        .capacity(3)
        .acquire_timeout(Duration::from_millis(60_000))
        .check_after_idle(Duration::ZERO)
        .build()
        .unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let mut connection = lender.acquire().unwrap();
                    redis::cmd("INCR").arg("loans").query::<u64>(&mut *connection).unwrap();
                }
            });
        }
    });
    let mut connection = lender.acquire().unwrap();
    assert_eq!(redis::cmd("GET").arg("loans").query::<u64>(&mut *connection).unwrap(), 160);
    // The server ends all other sessions; those are found out by their checks.
    let kill = redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").to_owned();
    kill.query::<u64>(&mut *connection).unwrap();
    drop(connection);
    std::thread::sleep(Duration::from_millis(5));
    for _ in 0..10 {
        let mut connection = lender.acquire().unwrap();
        redis::cmd("PING").query::<String>(&mut *connection).unwrap();
        drop(connection);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(lender.close(Duration::from_secs(10)).still_out.is_empty());
}

/// Such a server accepts connections without a password and refuses their commands, so it would be the callers who find
/// out.
#[test]
fn a_missing_or_wrong_password_is_told_at_once() {
    let server = match Server::start("password", &["--requirepass", "soup"]) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let socket = server.url();
    for (url, is_right) in [
        (socket.clone(), false),
        (format!("{socket}?pass=bread"), false),
        (format!("{socket}?pass=soup"), true),
    ] {
        let maker = Redis::new(redis::Client::open(url).unwrap());
        let builder = BlockingLender::builder(maker).capacity(1);
        let lender = builder.acquire_timeout(Duration::from_millis(60_000)).build().unwrap();
        match lender.acquire() {
            Ok(mut loan) => {
                assert!(is_right);
                redis::cmd("PING").query::<String>(&mut *loan).unwrap();
            }
            Err(AcquireError::Opening(error)) => assert!(!is_right, "{error}"),
            Err(error) => panic!("not told at once: {error}"),
        }
    }
}

/// Its answer could still come, to the next caller.
#[test]
fn a_connection_whose_answer_did_not_come_in_time_is_closed() {
    let server = match Server::start("timeout", &[]) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let maker = Redis::new(redis::Client::open(server.url()).unwrap());
    let builder = BlockingLender::builder(maker).capacity(1);
    let lender = builder.acquire_timeout(Duration::from_millis(60_000)).build().unwrap();
    let mut loan = lender.acquire().unwrap();
    loan.get_mut().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let slow = redis::cmd("BLPOP").arg("nothing").arg(1).query::<redis::Value>(&mut *loan);
    assert!(slow.is_err_and(|error| error.is_timeout()));
    drop(loan);
    let mut loan = lender.acquire().unwrap();
    assert_eq!(redis::cmd("ECHO").arg("soup").query::<String>(&mut *loan).unwrap(), "soup");
    assert_eq!(lender.stats().closings.broken, 1);
}

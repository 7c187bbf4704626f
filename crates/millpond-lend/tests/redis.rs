//! A real Redis server, started on a socket in a temporary folder; not run if none is installed.
#![cfg(feature = "redis")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use millpond_lend::makers::redis::Redis;
use millpond_lend::{AcquireError, BlockingLender};

struct Server {
    process: Child,
    folder: PathBuf,
}

impl Server {
    fn start(name: &str, options: &[&str]) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("lend-redis-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let process = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--unixsocket"])
            .arg(folder.join("socket"))
            .args(options)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .spawn()
            .map_err(|_| "no redis-server is installed".to_owned())?;
        let server = Self { process, folder };
        let give_up = Instant::now() + Duration::from_secs(60);
        while redis::Client::open(server.url()).and_then(|client| client.get_connection()).is_err()
        {
            if Instant::now() > give_up {
                return Err("redis-server does not answer".to_owned());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.folder.join("socket").display())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

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

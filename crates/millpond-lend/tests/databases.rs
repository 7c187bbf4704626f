//! Real servers, started in a temporary folder. What is not installed is reported as not run.
#![cfg(all(feature = "postgres", feature = "tokio-postgres", feature = "tokio"))]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use millpond_lend::makers::{postgres::Postgres as Blocking, tokio_postgres::Postgres};
use millpond_lend::{AcquireError, BlockingLender, Lender, TokioTimer};

/// A PostgreSQL server on a socket, gone when it is dropped.
struct Server {
    programs: PathBuf,
    folder: PathBuf,
}

impl Server {
    /// Starts a server; `Err` says why none can be.
    fn start(name: &str, options: &str) -> Result<Self, String> {
        let programs = fs::read_dir("/usr/lib/postgresql")
            .map_err(|_| "no PostgreSQL in /usr/lib/postgresql".to_owned())?
            .flatten()
            .map(|entry| entry.path().join("bin"))
            .find(|bin| bin.join("initdb").exists())
            .ok_or("no initdb in /usr/lib/postgresql")?;
        let folder = std::env::temp_dir().join(format!("lend-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let server = Self { programs, folder };
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(&server.folder).status();
            if !owned.is_ok_and(|status| status.success()) {
                return Err("it refuses root, and there is no user postgres".to_owned());
            }
        }
        let data = server.data();
        server.run("initdb", &["-D", &data, "-U", "cook", "-A", "trust", "--no-sync"])?;
        let sockets = server.folder.display();
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{sockets}'\nfsync = off\n{options}\n"
        );
        let file = Path::new(&data).join("postgresql.conf");
        let before = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        fs::write(&file, before + &settings).map_err(|error| error.to_string())?;
        server.up()?;
        Ok(server)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    fn up(&self) -> Result<(), String> {
        let log = self.folder.join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-l", &log, "-w", "start"])
    }

    fn stop(&self) -> Result<(), String> {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"])
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&program);
            command
        } else {
            Command::new(&program)
        };
        let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("{}: {other:?}", program.display())),
        }
    }

    fn config<C: std::str::FromStr<Err: std::fmt::Debug>>(&self, database: &str) -> C {
        let folder = self.folder.display();
        format!("host={folder} user=cook dbname={database}").parse().expect("a configuration")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}

/// Runs a test on a server, or says why not.
fn with_server(name: &str, options: &str, test: impl AsyncFnOnce(&Server)) {
    let server = match Server::start(name, options) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(test(&server));
}

/// Runs queries until `count` in a row succeed, and returns how many failed before: each on its own loan.
async fn errors_until_well(lender: &Lender<Postgres>, count: usize) -> usize {
    let mut errors = 0;
    let mut in_a_row = 0;
    let give_up = Instant::now() + Duration::from_secs(30);
    while in_a_row < count {
        assert!(Instant::now() < give_up, "the lender never recovers");
        let loan = lender.acquire().await.expect("a loan");
        match loan.simple_query("select 1").await {
            Ok(_) => in_a_row += 1,
            Err(_) => {
                (errors, in_a_row) = (errors + 1, 0);
                // The connection's task sees the end of the socket a moment later than the query.
                loan.discard();
            }
        }
    }
    errors
}

#[test]
fn a_server_that_stops_and_starts_costs_one_error_per_loan() {
    with_server("restart", "", async |server| {
        let (lender, keeper) =
            Lender::builder(Postgres::new(server.config("postgres"))).capacity(4).build();
        tokio::spawn(keeper.run(TokioTimer));
        drop(lender.acquire_many(4).await.unwrap());
        server.stop().unwrap();
        server.up().unwrap();
        let errors = errors_until_well(&lender, 20).await;
        assert!(errors <= 4, "{errors}");
        assert_eq!(lender.acquire_many(4).await.unwrap().len(), 4);
    });
}

#[test]
fn a_terminated_backend_is_not_lent_again_and_no_session_is_left() {
    with_server("terminate", "", async |server| {
        let config: tokio_postgres::Config = server.config("postgres");
        let (lender, keeper) = Lender::builder(Postgres::new(config.clone())).capacity(3).build();
        tokio::spawn(keeper.run(TokioTimer));
        let loans = lender.acquire_many(3).await.unwrap();
        let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                    where usename = 'cook' and pid <> pg_backend_pid()";
        loans[0].simple_query(kill).await.unwrap();
        drop(loans);
        let errors = errors_until_well(&lender, 20).await;
        assert!(errors <= 2, "{errors}");
        let report = lender.close(Duration::from_secs(10)).await;
        assert!(report.still_out.is_empty());

        let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let others = "select count(*) from pg_stat_activity \
                      where usename = 'cook' and pid <> pg_backend_pid()";
        let give_up = Instant::now() + Duration::from_secs(10);
        loop {
            let left: i64 = client.query_one(others, &[]).await.unwrap().get(0);
            if left == 0 {
                break;
            }
            assert!(Instant::now() < give_up, "{left} sessions are left over");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
}

#[test]
fn a_database_that_does_not_exist_is_told_at_once() {
    with_server("missing", "", async |server| {
        let (lender, keeper) = Lender::builder(Postgres::new(server.config("nowhere")))
            .acquire_timeout_ms(600_000)
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let error = lender.acquire().await.map(drop).unwrap_err();
        assert!(matches!(error, AcquireError::Opening(_)), "{error}");
        let cause = error.source().and_then(|cause| cause.source()).expect("the server's error");
        assert!(cause.to_string().contains("nowhere"), "{cause}");
    });
}

#[test]
fn fewer_connections_than_the_capacity_still_serve() {
    let few = "max_connections = 5\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0";
    with_server("few", few, async |server| {
        let (lender, keeper) = Lender::builder(Postgres::new(server.config("postgres")))
            .capacity(10)
            .acquire_timeout_ms(30_000)
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let lender = lender.clone();
                tokio::spawn(async move {
                    let loan = lender.acquire().await.unwrap();
                    loan.simple_query("select pg_sleep(0.02)").await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(lender.stats().existing <= 5);
    });
}

#[test]
fn threads_lend_blocking_connections() {
    with_server("blocking", "", async |server| {
        let config: postgres::Config = server.config("postgres");
        let counted = tokio::task::spawn_blocking(move || {
            let lender =
                BlockingLender::builder(Blocking::new(config)).capacity(2).build().unwrap();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..10 {
                            lender.acquire().unwrap().simple_query("select 1").unwrap();
                        }
                    });
                }
            });
            assert!(lender.close(Duration::from_secs(10)).still_out.is_empty());
            lender.stats().loans
        });
        assert_eq!(counted.await.unwrap(), 40);
    });
}

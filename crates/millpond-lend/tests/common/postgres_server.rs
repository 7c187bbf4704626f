//! A PostgreSQL server, started in a temporary folder.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A PostgreSQL server on a socket, gone when it is dropped.
pub struct Server {
    programs: PathBuf,
    folder: PathBuf,
}

impl Server {
    /// Starts a server; `Err` says why none can be.
    pub fn start(name: &str, options: &str) -> Result<Self, String> {
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
        let rules = "local all cook trust\nlocal all all scram-sha-256\n";
        fs::write(Path::new(&data).join("pg_hba.conf"), rules)
            .map_err(|error| error.to_string())?;
        server.up()?;
        Ok(server)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn up(&self) -> Result<(), String> {
        let log = self.folder.join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-l", &log, "-w", "start"])
    }

    pub fn stop(&self) -> Result<(), String> {
        self.stop_by("immediate")
    }

    /// `fast` ends each session with a message; `immediate` is a crash.
    pub fn stop_by(&self, mode: &str) -> Result<(), String> {
        self.run("pg_ctl", &["-D", &self.data(), "-m", mode, "-w", "stop"])
    }

    /// Where the server listens.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
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

    /// How `cook` connects, who needs no password.
    pub fn config<C: std::str::FromStr<Err: std::fmt::Debug>>(&self, database: &str) -> C {
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

pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}

/// Runs a test on a server, or says why not.
pub fn with_server(name: &str, options: &str, test: impl AsyncFnOnce(&Server)) {
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

//! A pgbouncer before a PostgreSQL server, on a socket in a temporary folder.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::postgres_server::{Server, is_root};

/// A pooler, gone when it is dropped.
pub struct Pooler {
    process: Child,
    folder: PathBuf,
}

impl Pooler {
    /// Starts a pooler with so many sessions; `Err` says why none can be.
    pub fn start(server: &Server, mode: &str, sessions: usize) -> Result<Self, String> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
            .into_iter()
            .find(|program| fs::exists(program).unwrap_or(false))
            .ok_or("no pgbouncer in /usr/sbin or /usr/bin")?;
        let folder = server.folder().join(format!("pooler-{mode}"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (database, sockets) = (server.folder().display(), folder.display());
        let settings = format!(
            "[databases]\npostgres = host={database} user=cook dbname=postgres\n[pgbouncer]\n\
             listen_addr =\nlisten_port = 6432\nunix_socket_dir = {sockets}\nauth_type = any\n\
             pool_mode = {mode}\ndefault_pool_size = {sessions}\nmax_client_conn = 500\n\
             logfile = {sockets}/log\nserver_round_robin = 1\n"
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings).map_err(|error| error.to_string())?;
        let mut command = if is_root() {
            let _ = Command::new("chown").arg("-R").arg("postgres").arg(&folder).status();
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", program]);
            command
        } else {
            Command::new(program)
        };
        let command = command.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().map_err(|error| error.to_string())?;
        let pooler = Self { process, folder };
        let give_up = Instant::now() + Duration::from_secs(30);
        while !pooler.folder.join(".s.PGSQL.6432").exists() {
            if Instant::now() > give_up {
                return Err("pgbouncer does not listen".to_owned());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(pooler)
    }

    pub fn config<C: std::str::FromStr<Err: std::fmt::Debug>>(&self) -> C {
        let folder = self.folder.display();
        format!("host={folder} port=6432 user=cook dbname=postgres")
            .parse()
            .expect("a configuration")
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

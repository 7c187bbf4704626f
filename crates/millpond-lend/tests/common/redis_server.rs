//! A Redis server, started on a socket in a temporary folder.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A Redis server on a socket, gone when it is dropped.
pub struct Server {
    process: Child,
    folder: PathBuf,
    options: Vec<String>,
}

impl Server {
    /// Starts a server; `Err` says why none can be.
    pub fn start(name: &str, options: &[&str]) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("lend-redis-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let options: Vec<_> = options.iter().map(|option| (*option).to_owned()).collect();
        let process = spawn(&folder, &options)?;
        let server = Self { process, folder, options };
        server.wait()?;
        Ok(server)
    }

    /// Kills the server, as a crash does.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts it again.
    pub fn up(&mut self) -> Result<(), String> {
        let _ = fs::remove_file(self.folder.join("socket"));
        self.process = spawn(&self.folder, &self.options)?;
        self.wait()
    }

    fn wait(&self) -> Result<(), String> {
        let give_up = Instant::now() + Duration::from_secs(60);
        while redis::Client::open(self.url()).and_then(|client| client.get_connection()).is_err() {
            if Instant::now() > give_up {
                return Err("redis-server does not answer".to_owned());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.folder.join("socket").display())
    }
}

fn spawn(folder: &std::path::Path, options: &[String]) -> Result<Child, String> {
    Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--unixsocket"])
        .arg(folder.join("socket"))
        .args(options)
        .current_dir(folder)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|_| "no redis-server is installed".to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

//! A browser to test the site with: Chromium without a screen, driven by chromedriver.
//!
//! The protocol is W3C WebDriver, which is HTTP and JSON: a client is a few lines, and needs no package but Debian's
//! `chromium-driver`. `ci/web` runs the tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long something may take before a test fails: much longer than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A window of a browser.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

/// A window.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Whether the user prefers dark pages.
    pub is_dark: bool,
    /// Whether the user prefers reduced motion.
    pub is_still: bool,
}

impl Window {
    /// A desk's.
    pub const WIDE: Self = Self { width: 1280, height: 900, is_dark: false, is_still: false };
    /// A phone's.
    pub const NARROW: Self = Self { width: 390, height: 844, is_dark: false, is_still: false };

    /// The same, dark.
    #[must_use]
    pub fn dark(self) -> Self {
        Self { is_dark: true, ..self }
    }
}

/// Where the built site is, or why it cannot be tested.
///
/// # Errors
/// If the site is not built, or there is no browser.
pub fn site() -> Result<PathBuf, String> {
    let site = std::env::var_os("MILLPOND_SITE")
        .ok_or("MILLPOND_SITE is not set (ci/web builds the site)")?;
    for program in ["chromedriver", "chromium"] {
        let found = Command::new(program)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            return Err(format!(
                "{program} is not installed (apt-get install chromium chromium-driver)"
            ));
        }
    }
    Ok(site.into())
}

impl Browser {
    /// Opens a window.
    ///
    /// # Panics
    /// If there is no browser.
    #[must_use]
    pub fn open(window: Window) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let port = port_of(&mut driver);
        let profile =
            std::env::temp_dir().join(format!("millpond-browser-{}-{port}", std::process::id()));
        let size = format!("--window-size={},{}", window.width, window.height);
        let user_data = format!("--user-data-dir={}", profile.display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &size,
            &user_data,
        ];
        let mut browser = Self { driver, port, session: String::new(), profile };
        let capabilities = json!({ "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }});
        let made = browser.call("POST", "/session", &json!({ "capabilities": capabilities }));
        browser.session = format!("/session/{}", made["sessionId"].as_str().expect("a session"));
        browser.resize(window);
        let scheme = if window.is_dark { "dark" } else { "light" };
        let motion = if window.is_still { "reduce" } else { "no-preference" };
        browser.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": motion },
            ]}),
        );
        browser
    }

    /// Gives the page another size.
    pub fn resize(&self, window: Window) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": window.width, "height": window.height, "deviceScaleFactor": 1, "mobile": window.width < 500 }),
        );
    }

    /// Opens a page from a folder.
    pub fn go(&self, page: &Path, hash: &str) {
        let url = format!("file://{}{hash}", page.display());
        self.command("POST", "/url", &json!({ "url": url }));
    }

    /// Runs a script: the value that it returns, or that of the promise.
    #[must_use]
    pub fn script(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The same for its effect.
    pub fn act(&self, script: &str) {
        let _ = self.script(script);
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If it does not become true.
    pub fn wait_for(&self, expression: &str) {
        let begun = Instant::now();
        while self.script(&format!("return Boolean({expression})")) != true {
            assert!(
                begun.elapsed() < PATIENCE,
                "never: {expression}; the page says {:?}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Drops files on the page, as from a window of files.
    pub fn drop_files(&self, files: &[&Path]) {
        let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.devtools(
                "Input.dispatchDragEvent",
                &json!({ "type": kind, "x": 200, "y": 100, "data": data }),
            );
        }
    }

    /// Presses a key, such as `Tab`.
    pub fn press(&self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            if key == "Enter" {
                event["windowsVirtualKeyCode"] = 13.into();
            }
            self.devtools("Input.dispatchKeyEvent", &event);
        }
    }

    /// Writes a picture of the window, or of the whole page, as PNG.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn picture(&self, path: &Path, is_whole: bool) {
        let mut wanted = json!({ "format": "png" });
        if is_whole {
            let size = self.devtools("Page.getLayoutMetrics", &json!({}))["cssContentSize"].clone();
            let height = size["height"].as_f64().unwrap_or(900.0).min(6000.0);
            wanted["captureBeyondViewport"] = true.into();
            wanted["clip"] =
                json!({ "x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1 });
        }
        let picture = self.devtools("Page.captureScreenshot", &wanted);
        let data = picture["data"].as_str().expect("a picture");
        std::fs::write(path, bytes_of_base64(data)).expect("there is room for a picture");
    }

    /// What the page has written to its console since the last call, errors among it.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        let log = self.command("POST", "/se/log", &json!({ "type": "browser" }));
        let lines = log.as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| line["message"].to_string()).collect()
    }

    /// A command of the developer tools.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.command("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        self.call(method, &format!("{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.request(method, path, body).expect("chromedriver answers");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{method} {path} {body}: {}", value["message"]);
        value
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut stream = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // What fails here leaves a process or a folder behind, and nothing to test.
        let _ = self.request("DELETE", &self.session, &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// The port on which the driver says that it listens.
fn port_of(driver: &mut Child) -> u16 {
    let stdout = driver.stdout.take().expect("it is piped");
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        let port =
            line.rsplit("port ").next().and_then(|end| end.trim_end_matches('.').parse().ok());
        if let Some(port) = port.filter(|_| line.contains("started successfully")) {
            return port;
        }
    }
    panic!("chromedriver does not say its port");
}

fn bytes_of_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(value).collect();
    digits
        .chunks(4)
        .flat_map(|chunk| {
            let bits = chunk.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
            let bits = bits << (6 * (4 - chunk.len()));
            let [_, a, b, c] = bits.to_be_bytes();
            [a, b, c].into_iter().take(chunk.len() - 1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        assert_eq!(bytes_of_base64("TWlsbA=="), b"Mill");
        assert_eq!(bytes_of_base64("cG9uZA=="), b"pond");
        assert_eq!(bytes_of_base64("+/+/"), [0xfb, 0xff, 0xbf]);
    }
}

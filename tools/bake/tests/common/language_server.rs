//! clangd, spoken to as editors do: the Language Server Protocol over its standard input and output.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What the tests want of clangd beside what an editor gives.
pub(crate) const ARGUMENTS: [&str; 2] = ["--log=verbose", "-j=2"];

/// How long a server that is alive may take for one answer. It indexes in threads that run only where no other does: beside
/// programs that keep all processors busy, such as those of `ci/steady`, it waits until they have ended.
const PATIENCE: Duration = Duration::from_secs(1200);

pub(crate) struct LanguageServer {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    log: PathBuf,
    requests: u64,
    versions: HashMap<PathBuf, u64>,
    /// By file and version.
    diagnostics: HashMap<(String, u64), Vec<Value>>,
    indexed: bool,
}

impl LanguageServer {
    /// Starts a session in `home`, a directory of its own.
    pub(crate) fn start(home: &Path) -> Self {
        Self::start_with(home, &ARGUMENTS)
    }

    pub(crate) fn start_with(home: &Path, arguments: &[&str]) -> Self {
        fs::create_dir_all(home).expect("a directory");
        let log = home.join("clangd.log");
        let mut process = Command::new("clangd")
            .args(arguments)
            .current_dir(home)
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a file"))
            .spawn()
            .expect("clangd starts");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        thread::spawn(move || receive(output, &sender));
        let mut server = Self {
            process,
            input,
            messages,
            log,
            requests: 0,
            versions: HashMap::new(),
            diagnostics: HashMap::new(),
            indexed: false,
        };
        let capabilities = json!({
            "window": { "workDoneProgress": true },
            "textDocument": { "publishDiagnostics": { "codeActionsInline": true } },
        });
        server.request(
            "initialize",
            json!({ "processId": null, "rootUri": uri(home), "capabilities": capabilities }),
        );
        server.notify("initialized", json!({}));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let message = message.to_string();
        let sent = write!(self.input, "Content-Length: {}\r\n\r\n{message}", message.len());
        sent.and_then(|()| self.input.flush())
            .unwrap_or_else(|error| panic!("{error}: {}", self.log()));
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Sends a request, and returns the result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "id": id, "method": method, "params": params }));
        loop {
            let mut message = self.take_in();
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].take();
            }
        }
    }

    /// The next message, after what it says of diagnostics and progress has been kept.
    fn take_in(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        let message = message.unwrap_or_else(|error| panic!("{error}: {}", self.log()));
        let params = &message["params"];
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                if let (Some(uri), Some(version)) =
                    (params["uri"].as_str(), params["version"].as_u64())
                {
                    let diagnostics = params["diagnostics"].as_array().cloned().unwrap_or_default();
                    self.diagnostics.insert((uri.to_owned(), version), diagnostics);
                }
            }
            Some("$/progress") if params["token"] == "backgroundIndexProgress" => {
                self.indexed |= params["value"]["kind"] == "end";
            }
            Some("window/workDoneProgress/create") => {
                let id = message["id"].clone();
                self.send(json!({ "id": id, "result": null }));
            }
            _ => {}
        }
        message
    }

    /// Opens a file, or shows its new text, and returns its diagnostics, each as one line.
    pub(crate) fn open(&mut self, path: &Path) -> Vec<String> {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let version = self.versions.entry(path.into()).or_insert(0);
        *version += 1;
        let version = *version;
        let uri = uri(path);
        if version == 1 {
            let language = if path.extension().is_some_and(|it| it == "c") { "c" } else { "cpp" };
            let document =
                json!({ "uri": uri, "languageId": language, "version": version, "text": text });
            self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        } else {
            let document = json!({ "uri": uri, "version": version });
            let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
            self.notify("textDocument/didChange", change);
        }
        let key = (uri, version);
        while !self.diagnostics.contains_key(&key) {
            self.take_in();
        }
        let line = |it: &Value| {
            format!("{}: {} [{}]", it["range"]["start"]["line"], it["message"], it["code"])
        };
        self.diagnostics[&key].iter().map(line).collect()
    }

    /// Waits until every file of the database is in the index.
    pub(crate) fn wait_for_index(&mut self) {
        while !self.indexed {
            self.take_in();
        }
    }

    /// Where what is named at this place is defined: file and line.
    pub(crate) fn definition(&mut self, path: &Path, at: &str) -> Vec<(String, u64)> {
        let found = self.request("textDocument/definition", place(path, at));
        locations(&found)
    }

    pub(crate) fn references(&mut self, path: &Path, at: &str) -> Vec<(String, u64)> {
        let mut params = place(path, at);
        params["context"] = json!({ "includeDeclaration": false });
        let found = self.request("textDocument/references", params);
        locations(&found)
    }

    /// The names that may stand at this place.
    pub(crate) fn completion(&mut self, path: &Path, at: &str) -> Vec<String> {
        let found = self.request("textDocument/completion", place(path, at));
        let items = found["items"].as_array().expect("a list");
        items.iter().filter_map(|item| Some(item["filterText"].as_str()?.to_owned())).collect()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn receive(output: ChildStdout, sender: &Sender<Value>) {
    let mut output = BufReader::new(output);
    loop {
        let mut len = 0;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => len = value.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut message = vec![0; len];
        output.read_exact(&mut message).expect("a whole message");
        let message = serde_json::from_slice(&message).expect("JSON");
        if sender.send(message).is_err() {
            return;
        }
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The place after the first part of `at`, up to its `|`: `let x = fo|o();`.
fn place(path: &Path, at: &str) -> Value {
    let (before, after) = at.split_once('|').expect("a mark");
    let text = fs::read_to_string(path).expect("a file");
    let wanted = format!("{before}{after}");
    let found = text.lines().enumerate().find_map(|(line, it)| Some((line, it.find(&wanted)?)));
    let (line, column) = found.unwrap_or_else(|| panic!("{} lacks {wanted:?}", path.display()));
    let position = json!({ "line": line, "character": column + before.len() });
    json!({ "textDocument": { "uri": uri(path) }, "position": position })
}

fn locations(found: &Value) -> Vec<(String, u64)> {
    let found = found.as_array().expect("a list");
    let mut places: Vec<_> = found
        .iter()
        .map(|it| {
            let file = it["uri"].as_str().expect("a file").rsplit('/').next().expect("a name");
            (file.to_owned(), it["range"]["start"]["line"].as_u64().expect("a line") + 1)
        })
        .collect();
    places.sort();
    places
}

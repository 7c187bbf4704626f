//! The names and shapes of everything that `--json` prints, as they are recorded: programs rely on them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::done;

/// Each field of a value with the kinds of values that it has.
fn fields(path: &str, value: &Value, found: &mut BTreeMap<String, Vec<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            items.iter().for_each(|item| fields(&format!("{path}[]"), item, found));
            "list"
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                fields(&format!("{path}.{name}"), value, found);
            }
            "object"
        }
    };
    let kinds = found.entry(path.to_owned()).or_default();
    if !kinds.contains(&kind) {
        kinds.push(kind);
        kinds.sort_unstable();
    }
}

/// Compares the names and shapes of everything that these commands printed with what is recorded in a file.
///
/// # Panics
/// If they differ. With `MILLPOND_RECORD` set, they are recorded anew.
#[track_caller]
pub fn is_as_recorded(path: &Path, outputs: impl IntoIterator<Item = Output>) {
    let mut found = BTreeMap::new();
    for output in outputs {
        let text = done(&output);
        assert_eq!(text.lines().count(), 1, "one object on one line");
        fields("", &serde_json::from_str(&text).unwrap(), &mut found);
    }
    found.remove("");
    let lines = found.iter().map(|(path, kinds)| format!("{path}: {}\n", kinds.join(", ")));
    let text: String = lines.collect();
    if std::env::var_os("MILLPOND_RECORD").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, recorded, "{}", path.display());
}

//! Files with a row for each value.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

/// Writes a row for each value. An error names the file.
pub(crate) fn write<T: Serialize>(
    path: &Path,
    rows: impl IntoIterator<Item = T>,
) -> Result<(), String> {
    let write = || {
        let mut writer = csv::Writer::from_path(path)?;
        rows.into_iter().try_for_each(|row| writer.serialize(row))?;
        writer.flush()?;
        Ok(())
    };
    write().map_err(|error: csv::Error| format!("{}: {error}", path.display()))
}

/// Reads a value from each row. An error names the file, and the line if that is the reason.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let rows = csv::Reader::from_path(path).and_then(|reader| reader.into_deserialize().collect());
    rows.map_err(|error| format!("{}: {error}", path.display()))
}

/// With three digits after the point: what is beyond says nothing.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
pub(crate) fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 1e3).round() / 1e3)
}

/// The same, or nothing.
#[allow(clippy::ref_option, reason = "what serde calls")]
pub(crate) fn rounded_if_any<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(|value| (value * 1e3).round() / 1e3).serialize(serializer)
}

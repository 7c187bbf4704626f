//! What a run prints and writes.

mod chart;
mod document;
mod environment;
mod table;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use document::document;

use crate::results::Results;

/// Writes the document, the figures and the charts into `directory`, which exists, and names the files. The charts
/// show the first of the builds.
pub(crate) fn write(
    directory: &Path,
    document: &str,
    builds: &[Results],
) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![("benchmark.md", document.to_owned()), ("benchmark.csv", figures(builds))];
    if let Some(results) = builds.first() {
        files.extend(chart::operations(results).map(|chart| ("benchmark.svg", chart)));
        files.extend(chart::scaling(results).map(|chart| ("benchmark-scaling.svg", chart)));
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text)?;
        written.push(path);
    }
    Ok(written)
}

/// All figures, a line each.
fn figures(builds: &[Results]) -> String {
    let mut text = "build,work,object_bytes,slots,contender,median_ns,quartile_low_ns,quartile_high_ns,rounds\n"
        .to_owned();
    for (profile, cell) in
        builds.iter().flat_map(|results| results.cells.iter().map(|cell| (results.profile, cell)))
    {
        text += &format!(
            "{profile},\"{}\",{},{},\"{}\",{:.4},{:.4},{:.4},{}\n",
            cell.work,
            cell.object_bytes,
            cell.slots,
            cell.contender,
            cell.median,
            cell.quartile_low,
            cell.quartile_high,
            cell.rounds
        );
    }
    text
}

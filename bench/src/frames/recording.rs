//! Recordings of other games, by the names of their files.

use std::io::Read;
use std::path::Path;

use super::script::Script;

/// The script of a recording, `tick,event,id,class`, also compressed by gzip. An error names the file.
pub(crate) fn recorded(path: &Path) -> Result<Script, String> {
    let fault = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let bytes = std::fs::read(path).map_err(|error| fault(&error))?;
    let mut text = String::new();
    let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
    let read = if is_compressed {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    };
    read.map_err(|error| fault(&error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".csv");
    Script::from_trace(name, &text).map_err(|why| fault(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_whether_it_is_compressed_or_not() {
        let traces = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../traces"));
        let path = traces.join("freedoom2-map15-solo.csv.gz");
        let script = recorded(&path).unwrap();
        assert_eq!(script.name, "freedoom2-map15-solo");
        let plain = std::env::temp_dir().join(format!("recorded-{}.csv", std::process::id()));
        std::fs::write(&plain, crate::traces::freedoom_solo_text()).unwrap();
        let read = recorded(&plain).unwrap();
        std::fs::write(&plain, "tick,event,id,class\n1,alloc,7\n").unwrap();
        let message = recorded(&plain).unwrap_err();
        std::fs::remove_file(&plain).unwrap();
        assert_eq!(Script { name: script.name.clone(), ..read }, script);
        assert!(
            message.ends_with(".csv: line 2: expected a class as the fourth field"),
            "{message}"
        );
        assert!(recorded(&traces.join("none")).unwrap_err().contains("none: "));
    }
}

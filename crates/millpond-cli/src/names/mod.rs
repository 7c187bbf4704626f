//! Names for the code of a program that `heaptrack --raw` has recorded: from the interpreted file beside the recording, or
//! from the files of the program and its libraries, as heaptrack's own interpreter reads them.

mod elf;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use elf::Files;
use millpond_plan::input::Source;
use millpond_plan::trace::{Interpreted, Module, Named, Nameless, Names};

/// Where the names of a recording come from.
#[derive(Debug)]
struct Sources {
    beside: Option<Interpreted>,
    files: Files,
}

impl Names for Sources {
    fn frames(&self, address: u64, module: Option<&Module>) -> Result<Vec<Named>, Nameless> {
        match &self.beside {
            Some(beside) if beside.has(address) => beside.frames(address, module),
            _ => module.map_or_else(|| Ok(Vec::new()), |module| self.files.frames(address, module)),
        }
    }
}

/// The recording with the names that can be found for it.
pub(crate) fn with_names(recording: Source, path: &Path) -> Source {
    let beside = beside(path).and_then(|beside| {
        // It only has names: if it cannot be read, the files of the program are asked.
        let source = millpond_terminal::open(&beside).ok()?.up_to_its_end();
        Interpreted::read(&source).ok()
    });
    recording.with_names(Rc::new(Sources { beside, files: Files::default() }))
}

/// The name that heaptrack gives to what it interprets: `game.zst` beside `game.raw.zst`.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (stem, packed) = name.rsplit_once(".raw")?;
    let is_packed = matches!(packed, "" | ".zst" | ".gz");
    let found = path.with_file_name(format!("{stem}{packed}"));
    (is_packed && !stem.is_empty() && found.is_file()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreted_file_has_the_name_without_raw() {
        let directory =
            std::env::temp_dir().join(format!("millpond-beside-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory for temporary files");
        let at = |name: &str| directory.join(name);
        for name in ["a.zst", "b.gz", "c", "d.raw.zst"] {
            std::fs::write(at(name), "").expect("room for a file");
        }
        assert_eq!(beside(&at("a.raw.zst")), Some(at("a.zst")));
        assert_eq!(beside(&at("b.raw.gz")), Some(at("b.gz")));
        assert_eq!(beside(&at("c.raw")), Some(at("c")));
        for none in ["d.raw.zst", "a.zst", "a.raw.gz", ".raw.zst", "a.raw.txt"] {
            assert_eq!(beside(&at(none)), None, "{none}");
        }
        std::fs::remove_dir_all(&directory).expect("an own directory");
    }
}

//! Names from the files of a program and its libraries: functions and source files from DWARF, also of inlined calls, or
//! else the names of symbols.
//!
//! With `object` and `addr2line` (over `gimli`), which make the backtraces of Rust. The crates of `symbolic` do the same
//! for more formats than a recording of Linux can name, and are several times as much to build.
//!
//! A file may have changed since it was recorded, so its segments are held against those that the recording has. What it
//! says is not trusted: what cannot be read has no names.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gimli::{Dwarf, EndianRcSlice, RunTimeEndian, SectionId};
use object::{
    CompressionFormat, Object, ObjectSection, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind,
};

use millpond_plan::trace::{Module, Named, Nameless};

/// Where systems keep what is stripped from their programs.
const DEBUG_DIRECTORY: &str = "/usr/lib/debug";

/// A compressed section is read to this many times its stored size.
const EXPANSION_MAX: u64 = 1000;

/// A name in C++ is shown up to this many bytes: a short symbol may stand for an endless one.
const NAME_BYTES_MAX: usize = 16 << 10;

/// A function whose symbol has no size, as in assembly, is at most this long.
const UNSIZED_BYTES_MAX: u64 = 64 << 10;

type Slice = EndianRcSlice<RunTimeEndian>;

/// An opened file, of which only what is asked for is read.
type Elf<'f> = object::File<'f, &'f ReadCache<File>>;

/// The path and the segments of a module.
type Key = (Vec<u8>, Vec<(u64, u64)>);

/// The files of a program, each read when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Files(RefCell<BTreeMap<Key, Result<Rc<Code>, Nameless>>>);

impl Files {
    /// The functions of a call in a module, the innermost first.
    pub(super) fn frames(&self, address: u64, module: &Module) -> Result<Vec<Named>, Nameless> {
        let Some(path) =
            std::str::from_utf8(&module.path).ok().filter(|path| path.starts_with('/'))
        else {
            // Such as linux-vdso.so.1, which has no file.
            return Ok(Vec::new());
        };
        let mut files = self.0.borrow_mut();
        let code = files
            .entry((module.path.clone(), module.segments.clone()))
            .or_insert_with(|| Code::read(Path::new(path), &module.segments).map(Rc::new));
        code.as_ref().map(|code| code.frames(module.call_in_file(address))).map_err(|why| *why)
    }
}

/// What a file says of its code.
struct Code {
    lines: Option<addr2line::Context<Slice>>,
    /// In ascending order of their addresses.
    symbols: Vec<Symbol>,
}

/// A function of the table of symbols.
struct Symbol {
    address: u64,
    bytes: u64,
    name: Vec<u8>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({} symbols)", self.symbols.len())
    }
}

impl Code {
    fn read(path: &Path, segments: &[(u64, u64)]) -> Result<Self, Nameless> {
        let file = opened(path).ok_or(Nameless::NoFile)?;
        let cache = ReadCache::new(file);
        let program = Elf::parse(&cache).map_err(|_| Nameless::NoFile)?;
        let found = program.segments().map(|segment| (segment.address(), segment.size()));
        if !segments.is_empty() && !found.eq(segments.iter().copied()) {
            return Err(Nameless::Changed);
        }
        let mut symbols = Vec::new();
        symbols_of(&program, &mut symbols);
        let mut lines = lines_of(&program, path);
        if let Some((debug_path, debug)) = debug_file(&program, path) {
            let cache = ReadCache::new(debug);
            if let Ok(debug) = Elf::parse(&cache) {
                symbols_of(&debug, &mut symbols);
                lines = lines_of(&debug, &debug_path).or(lines);
            }
        }
        symbols.sort_by_key(|symbol| (symbol.address, symbol.bytes));
        Ok(Self { lines, symbols })
    }

    fn frames(&self, address: u64) -> Vec<Named> {
        let frames = self.lines.as_ref().map(|lines| frames_of(lines, address)).unwrap_or_default();
        match frames.first() {
            Some(named) if !named.function.is_empty() => frames,
            // The symbol of the function that all was inlined into, or that has no line.
            _ => self
                .symbol(address)
                .map_or(frames, |name| vec![Named { function: readable(name), file: Vec::new() }]),
        }
    }

    fn symbol(&self, address: u64) -> Option<&[u8]> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = &self.symbols[after.checked_sub(1)?];
        let bytes = if symbol.bytes == 0 { UNSIZED_BYTES_MAX } else { symbol.bytes };
        let is_within = address - symbol.address < bytes;
        is_within.then_some(&symbol.name)
    }
}

/// A regular file: what a recording names may be anything.
fn opened(path: &Path) -> Option<File> {
    // Checked before it is opened, because opening a pipe blocks.
    let is_file = std::fs::metadata(path).is_ok_and(|of| of.is_file());
    is_file.then(|| File::open(path).ok())?
}

fn symbols_of(object: &Elf<'_>, symbols: &mut Vec<Symbol>) {
    for symbol in object.symbols().chain(object.dynamic_symbols()) {
        let is_function = symbol.kind() == SymbolKind::Text && symbol.is_definition();
        if let (true, Ok(name)) = (is_function, symbol.name_bytes()) {
            let (address, bytes) = (symbol.address(), symbol.size());
            symbols.push(Symbol { address, bytes, name: name.to_vec() });
        }
    }
}

/// The file with what was stripped from a program: by its build id, or by its name if the ids are the same.
fn debug_file(program: &Elf<'_>, path: &Path) -> Option<(PathBuf, File)> {
    let id = program.build_id().ok().flatten().filter(|id| id.len() > 1)?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let by_id = format!("{DEBUG_DIRECTORY}/.build-id/{}/{}.debug", hex(&id[..1]), hex(&id[1..]));
    let mut candidates = vec![PathBuf::from(by_id)];
    let link = program.gnu_debuglink().ok().flatten();
    let link = link.and_then(|(name, _)| std::str::from_utf8(name).ok());
    if let (Some(name), Some(directory)) = (link, path.parent()) {
        let below = directory.strip_prefix("/").unwrap_or(directory);
        candidates.push(directory.join(name));
        candidates.push(directory.join(".debug").join(name));
        candidates.push(Path::new(DEBUG_DIRECTORY).join(below).join(name));
    }
    candidates.into_iter().find_map(|candidate| {
        let cache = ReadCache::new(opened(&candidate)?);
        let is_its = Elf::parse(&cache).ok()?.build_id().ok().flatten() == Some(id);
        is_its.then(|| Some((candidate.clone(), opened(&candidate)?)))?
    })
}

/// The functions and lines of a file that has them.
fn lines_of(object: &Elf<'_>, path: &Path) -> Option<addr2line::Context<Slice>> {
    object.section_by_name(".debug_info")?;
    let mut dwarf = Dwarf::load(|id| Ok::<_, ()>(section(object, id))).ok()?;
    // What several files share, as dwz packs it.
    if let Some((name, id)) = object.gnu_debugaltlink().ok().flatten()
        && let Some(name) = std::str::from_utf8(name).ok()
        && let Some(shared) = path.parent().and_then(|directory| opened(&directory.join(name)))
    {
        let cache = ReadCache::new(shared);
        let shared = Elf::parse(&cache).ok()?;
        if shared.build_id().ok().flatten() == Some(id) {
            dwarf.load_sup(|id| Ok::<_, ()>(section(&shared, id))).ok()?;
        }
    }
    addr2line::Context::from_dwarf(dwarf).ok()
}

/// A section, uncompressed; nothing if it is missing or damaged.
fn section(object: &Elf<'_>, id: SectionId) -> Slice {
    let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let data = object.section_by_name(id.name()).and_then(|section| {
        let stored = section.compressed_data().ok()?;
        let most = (stored.data.len() as u64).saturating_mul(EXPANSION_MAX);
        let bytes = stored.uncompressed_size.min(most);
        let mut data = Vec::new();
        match stored.format {
            CompressionFormat::None => data = stored.data.to_vec(),
            CompressionFormat::Zlib => {
                let decoder = flate2::bufread::ZlibDecoder::new(stored.data);
                decoder.take(bytes).read_to_end(&mut data).ok()?;
            }
            CompressionFormat::Zstandard => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(stored.data).ok()?;
                decoder.take(bytes).read_to_end(&mut data).ok()?;
            }
            _ => return None,
        }
        Some(data)
    });
    Slice::new(data.unwrap_or_default().into(), endian)
}

fn frames_of(lines: &addr2line::Context<Slice>, address: u64) -> Vec<Named> {
    let Ok(mut frames) = lines.find_frames(address).skip_all_loads() else { return Vec::new() };
    let mut found = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        let function = frame.function.as_ref().and_then(|function| function.raw_name().ok());
        let file = frame.location.as_ref().and_then(|location| location.file);
        found.push(Named {
            function: function.map_or_else(Vec::new, |name| readable(name.as_bytes())),
            file: file.map_or_else(Vec::new, |file| file.as_bytes().to_vec()),
        });
    }
    found
}

/// A name of C++ as it is written in code. Those of Rust stay as they are: the plan reads them.
fn readable(name: &[u8]) -> Vec<u8> {
    let of_rust = |name: &[u8]| {
        let hash = name.strip_suffix(b"E").and_then(|name| name.get(name.len().checked_sub(19)?..));
        hash.is_some_and(|hash| {
            hash.starts_with(b"17h") && hash[3..].iter().all(u8::is_ascii_hexdigit)
        })
    };
    if !name.starts_with(b"_Z") || of_rust(name) {
        return name.to_vec();
    }
    let mut written = Written(String::new());
    let is_whole = cpp_demangle::Symbol::new(name).is_ok_and(|symbol| {
        symbol.structured_demangle(&mut written, &cpp_demangle::DemangleOptions::default()).is_ok()
    });
    if is_whole { written.0.into_bytes() } else { name.to_vec() }
}

/// A name that is being written, up to a length.
struct Written(String);

impl cpp_demangle::DemangleWrite for Written {
    fn write_string(&mut self, part: &str) -> std::fmt::Result {
        if self.0.len() + part.len() > NAME_BYTES_MAX {
            return Err(std::fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// What is looked up in the file of this test.
    #[inline(never)]
    fn looked_up() -> u64 {
        std::hint::black_box(7)
    }

    #[test]
    fn a_function_has_its_name_and_its_file() {
        assert_eq!(looked_up(), 7);
        let program = std::env::current_exe().expect("a program");
        let code = Code::read(&program, &[]).expect("a program of this system");
        let is_it = |symbol: &&Symbol| memchr_of(&symbol.name, b"looked_up");
        let symbol = code.symbols.iter().find(is_it).expect("its symbol");
        let frames = code.frames(symbol.address + symbol.bytes / 2);
        let names = |part: &[u8]| frames.iter().any(|frame| memchr_of(&frame.function, part));
        assert!(names(b"looked_up"), "{frames:?}");
        assert!(code.frames(u64::MAX).is_empty() && code.frames(0).is_empty());
        if code.lines.is_some() {
            assert!(
                frames.last().is_some_and(|frame| frame.file.ends_with(b"elf.rs")),
                "{frames:?}"
            );
        }
    }

    fn memchr_of(text: &[u8], part: &[u8]) -> bool {
        text.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn what_is_no_program_or_another_one_has_no_names() {
        let program = std::env::current_exe().expect("a program");
        assert_eq!(Code::read(&program, &[(0, 1)]).err(), Some(Nameless::Changed));
        for none in ["/nowhere/at-all", "/", "/etc/passwd", "/dev/zero"] {
            assert_eq!(Code::read(Path::new(none), &[]).err(), Some(Nameless::NoFile), "{none}");
        }
    }

    #[test]
    fn names_of_cpp_are_readable_and_none_is_endless() {
        let shown = |name: &str| String::from_utf8(readable(name.as_bytes())).expect("text");
        assert_eq!(shown("_ZN4Game5spawnEi"), "Game::spawn(int)");
        for same in
            ["malloc", "_RNvC4game5spawn", "_ZN4game5spawn17h0123456789abcdefE", "_Zwrong", ""]
        {
            assert_eq!(shown(same), same);
        }
        // Each argument is twice the one before.
        let mut endless = "_Z1fI1AIS_S_E".to_owned();
        for number in 0..30 {
            endless += &format!("1AIS{number}_S{number}_E");
        }
        endless += "Evv";
        assert!(shown(&endless).len() <= NAME_BYTES_MAX.max(endless.len()));
    }
}

//! Call stacks of a heaptrack file, and from them the functions that ask for memory.

use std::collections::HashMap;

use super::fields::hexadecimal;
use crate::error::shown;

/// The most bytes of names that are kept.
const STRING_BYTES_MAX: usize = 256 << 20;

/// The most strings, frames, instructions and stack nodes that are kept of each.
const RECORDS_MAX: usize = 1 << 24;

/// How far up the stack a function is looked for.
const DEPTH_MAX: usize = 256;

/// A function that asks for memory, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The function's name.
    pub function: String,
    /// How many allocations it asked for.
    pub allocations: u64,
}

/// The tables of strings, instructions and stack nodes. All are numbered from 1; 0 is nothing.
#[derive(Default)]
pub(super) struct CallStacks {
    text: Vec<u8>,
    /// Where each string ends in `text`.
    string_ends: Vec<u32>,
    strings_have_lengths: bool,
    /// An instruction has one frame, and more where calls were inlined.
    frames: Vec<Frame>,
    instructions: Vec<Instruction>,
    nodes: Vec<Node>,
}

struct Instruction {
    module: u32,
    /// Where its frames end in `frames`, the innermost first.
    frames_end: u32,
}

/// The strings that name a function and the file that it is written in.
struct Frame {
    function: u32,
    file: u32,
}

struct Node {
    instruction: u32,
    parent: u32,
}

impl CallStacks {
    /// Since file version 3 a string is preceded by its length.
    pub(super) fn strings_have_lengths(&mut self, yes: bool) {
        self.strings_have_lengths = yes;
    }

    /// An `s` record.
    pub(super) fn string(&mut self, text: &[u8]) -> Result<(), String> {
        let string = if self.strings_have_lengths { sized(text)? } else { text };
        if self.text.len() + string.len() > STRING_BYTES_MAX {
            return Err(format!("more than {} MiB of names", STRING_BYTES_MAX >> 20));
        }
        limit(self.string_ends.len(), "strings")?;
        self.text.extend_from_slice(string);
        self.string_ends.push(self.text.len() as u32);
        Ok(())
    }

    /// An `i` record: address, module, then function, file and line of each frame.
    pub(super) fn instruction(&mut self, text: &[u8]) -> Result<(), String> {
        limit(self.instructions.len(), "instructions")?;
        let mut module = 0;
        let mut fields = 0;
        for (column, field) in text.split(|&b| b == b' ').enumerate() {
            let number = hexadecimal(field)
                .ok_or_else(|| format!("`i {}`, expected hexadecimal numbers", shown(text)))?;
            fields = column + 1;
            match column {
                0 => {}
                1 => module = reference(number, self.string_ends.len(), "string")?,
                _ if (column - 2).is_multiple_of(3) => {
                    limit(self.frames.len(), "frames")?;
                    let function = reference(number, self.string_ends.len(), "string")?;
                    self.frames.push(Frame { function, file: 0 });
                }
                _ if (column - 2) % 3 == 1 => {
                    let file = reference(number, self.string_ends.len(), "string")?;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.file = file;
                    }
                }
                _ => {}
            }
        }
        if fields < 2 {
            return Err(format!("`i {}`, expected `i ADDRESS MODULE …`", shown(text)));
        }
        self.instructions.push(Instruction { module, frames_end: self.frames.len() as u32 });
        Ok(())
    }

    /// A `t` record: instruction and parent node.
    pub(super) fn node(&mut self, text: &[u8]) -> Result<(), String> {
        limit(self.nodes.len(), "stack nodes")?;
        let mut fields = text.split(|&b| b == b' ').map(hexadecimal);
        let (Some(Some(instruction)), Some(Some(parent)), None) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("`t {}`, expected `t INSTRUCTION PARENT`", shown(text)));
        };
        let instruction = reference(instruction, self.instructions.len(), "instruction")?;
        // A parent comes before its children, so that every walk upwards ends.
        let parent = reference(parent, self.nodes.len(), "stack node")?;
        self.nodes.push(Node { instruction, parent });
        Ok(())
    }

    /// The number of a call stack, if there is one by that number.
    pub(super) fn stack(&self, number: u64) -> Result<u32, String> {
        reference(number, self.nodes.len(), "stack node")
    }

    /// By class the functions that asked for it, the busiest first, from one entry
    /// (class, call stack, births) per kind of allocation.
    pub(super) fn callers(&self, classes: usize, askers: &[(u32, u32, u64)]) -> Vec<Vec<Caller>> {
        let library: Vec<bool> =
            (1..=self.string_ends.len() as u32).map(|s| is_library(self.text_of(s))).collect();
        let mut counts: HashMap<(u32, Owner), u64> = HashMap::new();
        for &(class, stack, births) in askers.iter().filter(|asker| asker.2 > 0) {
            *counts.entry((class, self.owner(stack, &library))).or_default() += births;
        }
        let mut callers = vec![Vec::new(); classes];
        for ((class, owner), allocations) in counts {
            let function = self.name(owner);
            callers[class as usize].push(Caller { function, allocations });
        }
        for of_class in &mut callers {
            of_class.sort_by(|a, b| {
                b.allocations.cmp(&a.allocations).then_with(|| a.function.cmp(&b.function))
            });
        }
        callers
    }

    /// The innermost function of a stack that is not just another way to say "allocate".
    ///
    /// `library` tells of each string whether it names something that allocates for its caller.
    /// A frame without a name (a `static` function in a stripped program) stands for the
    /// function that called it, as long as both are in the same program or library.
    fn owner(&self, stack: u32, library: &[bool]) -> Owner {
        let is_library = |string: u32| string != 0 && library[string as usize - 1];
        let mut outermost = Owner::Nobody;
        let mut nameless = 0;
        let mut node = stack;
        for _ in 0..DEPTH_MAX {
            let Some(&Node { instruction, parent }) = get(&self.nodes, node) else { break };
            let module = get(&self.instructions, instruction).map_or(0, |i| i.module);
            if nameless != 0 && module != nameless {
                break;
            }
            let named = || self.frames_of(instruction).iter().filter(|frame| frame.function != 0);
            for frame in named() {
                outermost = Owner::Function(frame.function);
                if ![module, frame.file, frame.function].into_iter().any(is_library) {
                    return outermost;
                }
            }
            if named().next().is_none() && module != 0 && !is_library(module) {
                nameless = module;
            }
            node = parent;
        }
        if nameless != 0 { Owner::Module(nameless) } else { outermost }
    }

    fn frames_of(&self, instruction: u32) -> &[Frame] {
        let Some(Instruction { frames_end, .. }) = get(&self.instructions, instruction) else {
            return &[];
        };
        let begin = get(&self.instructions, instruction - 1).map_or(0, |before| before.frames_end);
        &self.frames[begin as usize..*frames_end as usize]
    }

    fn text_of(&self, string: u32) -> &[u8] {
        let Some(&end) = get(&self.string_ends, string) else {
            return &[];
        };
        let begin = get(&self.string_ends, string - 1).copied().unwrap_or(0);
        &self.text[begin as usize..end as usize]
    }

    fn name(&self, owner: Owner) -> String {
        match owner {
            Owner::Nobody => "(no call stack)".to_owned(),
            Owner::Function(function) => {
                demangled(&String::from_utf8_lossy(self.text_of(function)))
            }
            Owner::Module(module) => {
                let path = String::from_utf8_lossy(self.text_of(module));
                let file = path.rsplit('/').next().unwrap_or(&path);
                format!("(no symbols) {file}")
            }
        }
    }
}

/// Who asked for an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Nobody,
    /// The string that names a function.
    Function(u32),
    /// The string that names a program or library that has no symbols.
    Module(u32),
}

/// An entry of a table that is numbered from 1.
fn get<T>(table: &[T], number: u32) -> Option<&T> {
    table.get((number as usize).checked_sub(1)?)
}

fn reference(number: u64, entries: usize, what: &str) -> Result<u32, String> {
    if number <= entries as u64 {
        return Ok(number as u32);
    }
    Err(format!("{what} {number:x} is used, expected one of the {entries:x} before"))
}

fn limit(entries: usize, what: &str) -> Result<(), String> {
    if entries < RECORDS_MAX {
        return Ok(());
    }
    Err(format!("more than {RECORDS_MAX} {what}"))
}

/// The string behind its length.
fn sized(text: &[u8]) -> Result<&[u8], String> {
    let end = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
    let string = text.get(end + 1..).unwrap_or(&[]);
    match hexadecimal(&text[..end]) {
        Some(length) if length == string.len() as u64 => Ok(string),
        Some(length) => {
            Err(format!("a string of {} bytes, expected {length} as it says", string.len()))
        }
        None => Err(format!("`s {}`, expected `s LENGTH STRING`", shown(text))),
    }
}

/// A Rust symbol as a person writes it; C++ names arrive demangled.
fn demangled(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return format!("{name:#}");
    }
    // heaptrack demangles old Rust symbols like C++ ones, which leaves the hash at their end.
    match symbol.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            path.to_owned()
        }
        _ => symbol.to_owned(),
    }
}

/// Beginnings of qualified names that mean "allocate" or "a container of the standard library".
const WRAPPER_PREFIXES: &[&str] = &[
    "std::",
    "__gnu_cxx::",
    "boost::container::",
    "absl::container_internal::",
    "__gnu_debug::",
    "alloc::",
    "core::",
    "hashbrown::",
    "__rust_",
    "__rdl_",
    "__rg_",
    "_GLOBAL__",
];

/// Names that are allocators, or functions of the C library that allocate for their caller.
const WRAPPER_NAMES: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "strdup",
    "strndup",
    "__strdup",
    "__strndup",
    "wcsdup",
    "vasprintf",
    "asprintf",
    "g_malloc",
    "g_malloc0",
    "g_malloc_n",
    "g_malloc0_n",
    "g_realloc",
    "g_realloc_n",
    "g_try_malloc",
    "g_try_malloc0",
    "g_slice_alloc",
    "g_slice_alloc0",
    "g_strdup",
    "g_strndup",
    "uprv_malloc",
    "uprv_realloc",
    "uprv_calloc",
    "SDL_malloc",
    "SDL_calloc",
    "SDL_realloc",
    "FT_Alloc",
    "xmalloc",
    "xcalloc",
    "xrealloc",
    "xstrdup",
    "MallocT",
    "CallocT",
    "ReallocT",
    "sq_vm_malloc",
    "sq_vm_realloc",
    "mi_malloc",
    "je_malloc",
    "png_malloc",
];

/// Whether a function only passes on somebody else's wish for memory.
fn is_wrapper(symbol: &[u8]) -> bool {
    let symbol = String::from_utf8_lossy(symbol);
    let symbol = demangled(&symbol);
    if symbol.contains("operator new") {
        return true;
    }
    let name = qualified_name(&symbol);
    // `<alloc::vec::Vec<T> as core::clone::Clone>::clone` is as much a container's as its type.
    let name = name.trim_start_matches(['<', '&']);
    let plain = name.split('@').next().unwrap_or(name);
    let plain = plain.strip_suffix("_72").unwrap_or(plain);
    WRAPPER_NAMES.contains(&plain) || WRAPPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether this names something that allocates for its caller: a function, a source file or a
/// program's part that belongs to a language's standard library.
fn is_library(text: &[u8]) -> bool {
    if text.first() == Some(&b'/') { is_library_file(text) } else { is_wrapper(text) }
}

/// The C, C++ and Rust libraries, as sources or as shared objects.
fn is_library_file(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let file = path.rsplit('/').next().unwrap_or(&path);
    let sources = ["/rustc/", "/lib/rustlib/src/", "/include/c++/", "/hashbrown-"];
    let objects = ["libstdc++", "libc++", "libc.so", "libc-", "libheaptrack", "ld-linux"];
    sources.iter().any(|part| path.contains(part))
        || objects.iter().any(|prefix| file.starts_with(prefix))
}

/// A C++ signature without return type, template arguments and parameters.
fn qualified_name(signature: &str) -> String {
    let signature = signature.replace("(anonymous namespace)", "{anonymous}");
    let mut name = String::new();
    let mut depth = 0_usize;
    // A Rust `<Type as Trait>::method` begins with what would be template arguments.
    if signature.starts_with('<') {
        return signature;
    }
    for c in signature.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => name.push(c),
            _ => {}
        }
    }
    name.trim_end().rsplit(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_told_from_functions_that_own_memory() {
        for wrapper in [
            "operator new(unsigned long)",
            "icu_72::UMemory::operator new[](unsigned long)",
            "void std::__cxx11::basic_string<char>::_M_construct<char*>(char*, char*)",
            "std::_Rb_tree<int, std::pair<int const, int> >::_M_insert(int)",
            "g_malloc0",
            "sq_vm_malloc(unsigned long long)",
            "alloc::raw_vec::RawVec<T,A>::grow_one",
            "<alloc::vec::Vec<T> as core::clone::Clone>::clone::h0123456789abcdef",
        ] {
            assert!(is_wrapper(wrapper.as_bytes()), "{wrapper}");
        }
        for owner in [
            "main",
            "std::vector<int> Map::tiles<int>(unsigned int)",
            "SQTable::AllocNodes(long long)",
            "(anonymous namespace)::Loader::load()",
            "IniLoadFile::GetGroup(std::__cxx11::basic_string<char> const&, bool)",
            "Vehicle::operator<(Vehicle const&)",
            "game::particles::spawn",
        ] {
            assert!(!is_wrapper(owner.as_bytes()), "{owner}");
        }
    }

    #[test]
    fn rust_symbols_lose_their_hash() {
        assert_eq!(demangled("_ZN4game5spawn17h0123456789abcdefE"), "game::spawn");
        assert_eq!(demangled("game::spawn::h0123456789abcdef"), "game::spawn");
        assert_eq!(demangled("game::spawn::hello"), "game::spawn::hello");
    }

    #[test]
    fn the_owner_is_the_innermost_function_that_is_no_wrapper() {
        let mut stacks = CallStacks::default();
        for string in ["/bin/game", "operator new(unsigned long)", "spawn()", "main"] {
            stacks.string(string.as_bytes()).unwrap();
        }
        // spawn() is inlined into main.
        stacks.instruction(b"1000 1 2").unwrap();
        stacks.instruction(b"2000 1 3 0 1 4 0 2").unwrap();
        stacks.instruction(b"3000 1").unwrap();
        // main > operator new, nameless > operator new, operator new, main > nameless.
        for node in ["2 0", "1 1", "3 0", "1 3", "1 0", "3 1"] {
            stacks.node(node.as_bytes()).unwrap();
        }
        let askers = [(0, 2, 7), (0, 4, 9), (0, 5, 1), (0, 0, 2), (0, 6, 20)];
        let callers = stacks.callers(1, &askers);
        let found: Vec<_> =
            callers[0].iter().map(|c| (c.function.as_str(), c.allocations)).collect();
        assert_eq!(
            found,
            [
                ("spawn()", 27),
                ("(no symbols) game", 9),
                ("(no call stack)", 2),
                ("operator new(unsigned long)", 1)
            ]
        );
    }

    #[test]
    fn what_is_written_in_a_standard_library_is_no_owner() {
        let mut stacks = CallStacks::default();
        let strings = ["/usr/bin/game", "grow_one", "spawn", "main", "/lib/libc.so.6", "opendir"];
        for string in strings {
            stacks.string(string.as_bytes()).unwrap();
        }
        stacks.string(b"/rustc/1234/library/alloc/src/raw_vec.rs").unwrap();
        stacks.string(b"/home/me/game/src/main.rs").unwrap();
        // grow_one is inlined into spawn; main calls both opendir and spawn.
        stacks.instruction(b"1000 1 2 7 50 3 8 9").unwrap();
        stacks.instruction(b"2000 1 4 8 1").unwrap();
        stacks.instruction(b"3000 5 6").unwrap();
        for node in ["2 0", "1 1", "3 1"] {
            stacks.node(node.as_bytes()).unwrap();
        }
        let callers = stacks.callers(1, &[(0, 2, 7), (0, 3, 4)]);
        let found: Vec<_> = callers[0].iter().map(|c| c.function.as_str()).collect();
        assert_eq!(found, ["spawn", "main"]);
    }

    #[test]
    fn references_to_what_is_not_there_are_refused() {
        let mut stacks = CallStacks::default();
        assert!(stacks.instruction(b"1000 1").is_err());
        assert!(stacks.node(b"1 0").is_err());
        assert!(stacks.node(b"0 1").is_err(), "a node cannot be its own parent");
        assert!(stacks.stack(1).is_err());
        assert!(stacks.stack(0).is_ok());
        assert!(stacks.instruction(b"zz 0").is_err());
        assert!(stacks.instruction(b"1").is_err());
        stacks.strings_have_lengths(true);
        assert!(stacks.string(b"4 abc").is_err());
        assert!(stacks.string(b"3 abc").is_ok());
        assert!(stacks.string(b"0 ").is_ok());
    }
}

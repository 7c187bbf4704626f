//! Names of functions, files and libraries that only allocate for their callers.

use crate::input::decoded;

/// A Rust symbol in readable form; C++ names are demangled already.
pub(super) fn demangled(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return format!("{name:#}");
    }
    // heaptrack and Tracy demangle old Rust symbols like C++ ones, which leaves the hash at the end, and punctuation escaped.
    let path = match symbol.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            path
        }
        _ => symbol,
    };
    unescaped(path)
}

/// The punctuation of old Rust symbols.
const ESCAPES: [(&str, &str); 18] = [
    ("$LT$", "<"),
    ("$GT$", ">"),
    ("$LP$", "("),
    ("$RP$", ")"),
    ("$RF$", "&"),
    ("$BP$", "*"),
    ("$SP$", "@"),
    ("$C$", ","),
    ("$u20$", " "),
    ("$u22$", "\""),
    ("$u27$", "'"),
    ("$u2b$", "+"),
    ("$u3b$", ";"),
    ("$u5b$", "["),
    ("$u5d$", "]"),
    ("$u7b$", "{"),
    ("$u7d$", "}"),
    ("$u7e$", "~"),
];

/// `_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$…` in readable form; any other name as it is.
fn unescaped(symbol: &str) -> String {
    if !ESCAPES.iter().any(|(escape, _)| symbol.contains(escape)) {
        return symbol.to_owned();
    }
    let name = ESCAPES.iter().fold(symbol.replace("..", "::"), |name, (escape, character)| {
        name.replace(escape, character)
    });
    // A symbol begins with a letter or an underscore, and so does each of its parts.
    let name = name.replace("::_{", "::{").replace("::_<", "::<");
    name.strip_prefix("_<").map(|rest| format!("<{rest}")).unwrap_or(name)
}

/// The beginnings of qualified names of allocators and of standard libraries' containers.
const WRAPPER_PREFIXES: &[&str] = &[
    "std::",
    "__gnu_cxx::",
    "boost::container::",
    "absl::container_internal::",
    "__gnu_debug::",
    "alloc::",
    "core::",
    "hashbrown::",
    "millpond_heap::",
    "tracy::",
    "tracy_client::",
    "___tracy_",
    "backtrace::",
    "__rust_",
    "__rdl_",
    "__rg_",
    "_GLOBAL__",
];

/// The names of allocators, and of C library functions that allocate for their caller.
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

/// The C++ containers that are in the standard library's own object file, although they hold the program's data.
const CONTAINERS_OF_CPP: &[&str] =
    &["basic_string", "vector", "deque", "list", "_List", "allocator"];

/// The run-time library that this function of `module` works for, if the library allocates for itself, as in `fopen`.
/// `None` if the memory is the caller's.
pub(super) fn works_for_library(module: &[u8], function: &[u8]) -> Option<&'static str> {
    let module = decoded(module);
    let file = module.rsplit(['/', '\\']).next().unwrap_or(&module);
    let is = |names: &[&str]| names.iter().any(|name| file.starts_with(name));
    let symbol = decoded(function);
    let name = qualified_name(&symbol);
    if is(&["libc.so", "libc-", "libc.musl", "ld-linux", "libsystem_", "ucrtbase", "msvcrt"]) {
        return (!is_allocating_name(&name)).then_some("libc");
    }
    if is(&["libstdc++", "libc++"]) {
        let plain = name.trim_start_matches("std::").trim_start_matches("__cxx11::");
        let of_caller = symbol.contains("operator new")
            || CONTAINERS_OF_CPP.iter().any(|container| plain.starts_with(container));
        let library = if file.starts_with("libstdc") { "libstdc++" } else { "libc++" };
        return (!of_caller).then_some(library);
    }
    None
}

/// Whether a function's name says that it allocates memory for its caller.
pub(super) fn sounds_like_an_allocator(symbol: &str) -> bool {
    let name = qualified_name(symbol).to_ascii_lowercase();
    let name = name.rsplit("::").next().unwrap_or(&name);
    ["alloc", "strdup", "memdup", "strndup"].iter().any(|part| name.contains(part))
}

/// The file name of a shared library in a directory of the system, so not of the program.
pub(super) fn system_library(module: &[u8]) -> Option<String> {
    const PLACES: [&str; 6] =
        ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/System/", "/opt/homebrew/"];
    let path = decoded(module);
    let file = path.rsplit('/').next().unwrap_or(&path);
    let is_shared = file.contains(".so") || file.ends_with(".dylib");
    (is_shared && PLACES.iter().any(|place| path.starts_with(place))).then(|| file.to_owned())
}

fn is_allocating_name(name: &str) -> bool {
    let plain = name.split('@').next().unwrap_or(name);
    WRAPPER_NAMES.contains(&plain)
}

/// Whether a function only allocates for its callers.
fn is_wrapper(symbol: &[u8]) -> bool {
    let symbol = decoded(symbol);
    let symbol = demangled(&symbol);
    if symbol.contains("operator new") {
        return true;
    }
    let name = qualified_name(&symbol);
    // `<alloc::vec::Vec<T> as core::clone::Clone>::clone` is a container's as much as its type.
    let name = name.trim_start_matches(['<', '&']).trim_start_matches("dyn ");
    let plain = name.split('@').next().unwrap_or(name);
    let plain = plain.strip_suffix("_72").unwrap_or(plain);
    WRAPPER_NAMES.contains(&plain) || WRAPPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether this names something that allocates for its caller: a function, a source file or a module of a language's
/// standard library.
pub(super) fn is_library(text: &[u8]) -> bool {
    let is_file = text.first() == Some(&b'/') || text.ends_with(b".rs");
    if is_file { is_library_file(text) } else { is_wrapper(text) }
}

/// The C, C++ and Rust libraries, as source files or as shared objects.
fn is_library_file(path: &[u8]) -> bool {
    let path = decoded(path);
    let path = path.replace('\\', "/");
    let file = path.rsplit('/').next().unwrap_or(&path);
    let sources = [
        "/rustc/",
        "/lib/rustlib/src/",
        "/include/c++/",
        "/hashbrown-",
        "/backtrace-",
        // The recorder's own frames, in a workspace or from a registry.
        "millpond-heap/src/",
        "/millpond-heap-",
        // Tracy's client, within an engine or from a registry.
        "/tracy-client-",
        "/tracy/client/",
        "/tracy/public/",
    ];
    let objects = ["libstdc++", "libc++", "libc.so", "libc-", "libheaptrack", "ld-linux"];
    sources.iter().any(|part| path.contains(part))
        || objects.iter().any(|prefix| file.starts_with(prefix))
}

/// A C++ signature without return type, template arguments and parameters.
pub(super) fn qualified_name(signature: &str) -> String {
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
    fn libraries_that_work_for_themselves_are_told_from_those_that_serve_their_caller() {
        let of = |module: &str, function: &str| {
            works_for_library(module.as_bytes(), function.as_bytes())
        };
        let (c, cpp) = ("/lib/x86_64-linux-gnu/libc.so.6", "/lib/libstdc++.so.6");
        assert_eq!(of(c, "__fopen_internal"), Some("libc"));
        assert_eq!(of(c, "getline"), Some("libc"));
        assert_eq!(of(c, "strdup"), None);
        assert_eq!(of(cpp, "std::locale::locale(char const*)"), Some("libstdc++"));
        assert_eq!(of(cpp, "operator new(unsigned long)"), None);
        let string = "void std::__cxx11::basic_string<char>::_M_mutate(unsigned long)";
        assert_eq!(of(cpp, string), None);
        assert_eq!(of("/usr/bin/game", "fopen"), None);
        assert_eq!(system_library(b"/usr/lib/libpng16.so.16").as_deref(), Some("libpng16.so.16"));
        assert_eq!(system_library(b"/home/me/game/libengine.so"), None);
        assert_eq!(system_library(b"/usr/lib/game/game"), None);
    }

    #[test]
    fn the_recorder_is_no_owner() {
        for file in ["crates/millpond-heap/src/heap.rs", "C:\\r\\backtrace-0.3.76\\src\\lib.rs"] {
            assert!(is_library(file.as_bytes()), "{file}");
        }
        assert!(!is_library(b"crates/game/src/heap.rs"));
    }

    #[test]
    fn names_that_sound_like_an_allocator() {
        for name in ["sqlite3DbMallocRawNN", "jv_mem_alloc", "Arena::Allocate(int)", "my_strdup"] {
            assert!(sounds_like_an_allocator(name), "{name}");
        }
        for name in ["spawn", "alloc::vec::Vec<T>::push", "main"] {
            assert!(!sounds_like_an_allocator(name), "{name}");
        }
    }

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
            "<&dyn core::ops::function::Fn<(), Output = i32> as core::ops::function::FnOnce<()>>::call_once",
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
        // As Tracy's client says them.
        for (symbol, name) in [
            (
                "_$LT$bevy_utils..debug_info..DebugName$u20$as$u20$core..fmt..Display$GT$::fmt::hd6de18f472af0bc7",
                "<bevy_utils::debug_info::DebugName as core::fmt::Display>::fmt",
            ),
            (
                "alloc::fmt::format::_$u7b$$u7b$closure$u7d$$u7d$::h39bc039297636714",
                "alloc::fmt::format::{{closure}}",
            ),
            ("alloc::boxed::Box$LT$T$GT$::new::h16961ce8eebc6943", "alloc::boxed::Box<T>::new"),
            ("print(char const*, ...)", "print(char const*, ...)"),
            ("main::$_0::operator()() const", "main::$_0::operator()() const"),
        ] {
            assert_eq!(demangled(symbol), name);
        }
    }
}

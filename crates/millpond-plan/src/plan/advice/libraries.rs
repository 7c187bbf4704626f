//! Memory that libraries allocate for themselves, and what a program can do about it.

/// The calls of a library for itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// The number of its calls.
    pub calls: u64,
    /// Those as a share of all calls in the recording.
    pub share_of_calls: f64,
}

/// By the beginning of a library's name, how a program gives it memory.
const HOOKS: [(&str, &str); 17] = [
    ("libz.", "zalloc and zfree of a z_stream; inflateReset and deflateReset keep its memory"),
    ("libbz2", "bzalloc and bzfree of a bz_stream"),
    ("liblzma", "lzma_allocator"),
    ("libzstd", "ZSTD_customMem; a ZSTD_CCtx or ZSTD_DCtx that is used again keeps its memory"),
    ("libpng", "png_set_mem_fn"),
    ("libfreetype", "FT_New_Library, with an FT_Memory"),
    ("libsqlite3", "sqlite3_config with SQLITE_CONFIG_MALLOC, SQLITE_CONFIG_LOOKASIDE"),
    ("libxml2", "xmlMemSetup"),
    ("libexpat", "XML_ParserCreate_MM"),
    ("liblua", "lua_newstate, with a lua_Alloc"),
    ("libgmp", "mp_set_memory_functions"),
    ("libcrypto", "CRYPTO_set_mem_functions"),
    ("libcurl", "curl_global_init_mem"),
    ("libjansson", "json_set_alloc_funcs"),
    ("libyajl", "yajl_alloc_funcs"),
    ("libSDL2", "SDL_SetMemoryFunctions"),
    ("libpcre2", "pcre2_general_context_create"),
];

impl Library {
    /// How a program gives the library memory of its own, if the library has a way.
    #[must_use]
    pub fn hook(&self) -> Option<&'static str> {
        let hook = HOOKS.iter().find(|(start, _)| self.name.starts_with(start));
        hook.map(|(_, hook)| *hook)
    }
}

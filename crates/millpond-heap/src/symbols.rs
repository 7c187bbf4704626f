//! Names for addresses, when a recording is closed.

/// The longest name or path that is written.
const NAME_BYTES_MAX: usize = 2048;

/// A line for each function that contains the address: several if calls were inlined, the innermost
/// first.
pub(crate) fn lines(address: u64) -> Vec<String> {
    let mut lines = Vec::new();
    // The address is where the call returns to: the call lies before it.
    let call = std::ptr::without_provenance_mut::<std::ffi::c_void>(address as usize - 1);
    backtrace::resolve(call, |symbol| {
        let name = symbol.name().map_or_else(String::new, |name| format!("{name:#}"));
        let file = symbol.filename().map(|path| path.to_string_lossy().into_owned());
        let file = cleaned(&file.unwrap_or_default());
        lines.push(format!("n {address:x}\t{}\t{file}", cleaned(&name)));
    });
    lines
}

/// The text without column and line separators, cut if it is too long.
fn cleaned(text: &str) -> String {
    let mut cleaned = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if cleaned.len() + c.len_utf8() > NAME_BYTES_MAX {
            break;
        }
        cleaned.push(c);
    }
    cleaned
}

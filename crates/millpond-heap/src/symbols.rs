//! Names for addresses, when a recording is closed.

use std::fmt::Write;

use crate::writer::Writer;

/// The longest name or path that is written.
const NAME_BYTES_MAX: usize = 2048;

/// Writes a line for each function that an address lies in: more than one where calls were inlined, the
/// innermost first.
pub(crate) fn write(addresses: &[u64], writer: &mut dyn FnMut(&[u8])) {
    for &address in addresses {
        // The address is where the call returns to: the call lies before it.
        let call = std::ptr::without_provenance_mut::<std::ffi::c_void>(address as usize - 1);
        backtrace::resolve(call, |symbol| {
            let name = symbol.name().map_or_else(String::new, |name| format!("{name:#}"));
            let file = symbol.filename().map(|path| path.to_string_lossy().into_owned());
            let mut line = format!("n {address:x}\t{}\t", cleaned(&name));
            let _ = write!(line, "{}", cleaned(&file.unwrap_or_default()));
            writer(line.as_bytes());
        });
    }
}

/// The end of a file: its names, then its last line.
pub(crate) fn close(writer: &mut Writer, addresses: &[u64], lost: bool) {
    write(addresses, &mut |line| writer.long_line(line));
    writer.long_line(if lost { b"e 1" } else { b"e 0" });
}

/// A text without what separates columns and lines, and not too long.
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

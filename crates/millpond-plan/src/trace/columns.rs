//! The columns of a line of a lifetime trace.

use crate::error::shown;

/// The first four columns, which every line has, and the rest.
pub(super) type Columns<'l> = (&'l [u8], &'l [u8], &'l [u8], &'l [u8], &'l [u8]);

/// Splits a line; `None` if it has fewer columns.
#[inline]
pub(super) fn split(line: &[u8]) -> Option<Columns<'_>> {
    let (tick, rest) = until_comma(line)?;
    let (event, rest) = until_comma(rest)?;
    let (id, rest) = until_comma(rest)?;
    let (class, rest) = match memchr::memchr(b',', rest) {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, &[][..]),
    };
    Some((tick, event, id, class, rest))
}

/// The text before and after the first comma. Columns have only a few bytes, too few for a vectorised search to pay
/// off.
#[inline]
fn until_comma(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|&b| b == b',')?;
    Some((&text[..end], &text[end + 1..]))
}

/// Why a line that has fewer columns is refused.
pub(super) fn wrong_columns(line: &[u8]) -> String {
    let columns = line.split(|&b| b == b',').count();
    if line.is_empty() {
        return "the line is empty, expected `tick,event,id,class`".to_owned();
    }
    format!("{columns} columns in `{}`, expected `tick,event,id,class`", shown(line))
}

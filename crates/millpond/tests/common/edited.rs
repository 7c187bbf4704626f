//! Files with other counts than those of the pool that was written.

/// The largest count that a file may say.
pub(crate) const MOST: u64 = (1 << 62) - 1;

/// The JSON text with another number in each place of this name.
pub(crate) fn with_number(text: &str, name: &str, mut number: impl FnMut(u64) -> u64) -> String {
    let key = format!("\"{name}\":");
    let (mut edited, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(&key) {
        let from = at + key.len();
        let end = rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| from + n);
        edited.push_str(&rest[..from]);
        edited.push_str(&number(rest[from..end].parse().unwrap_or(0)).to_string());
        rest = &rest[end..];
    }
    edited + rest
}

//! How much memory the process has, as the system sees it.

use std::fs::File;
use std::io::Read;

/// A vector whose pages are written now: of zeros the system may give pages that it only has once they
/// are written, which would look as if memory had been taken in the middle of the work.
pub(super) fn touched<V: Clone>(length: usize, value: V) -> Vec<V> {
    let mut values = std::hint::black_box(vec![value.clone(); length]);
    values.fill(value);
    values
}

/// Has the system give memory in small pages to this process and to those that it starts, where it can (only Linux does,
/// here). It may otherwise put pages together to huge ones in the background, hours later, and fill what is missing with
/// memory that nobody has written, which would look like a leak.
pub(crate) fn without_huge_pages() {
    #[cfg(target_os = "linux")]
    {
        // Before 3.15 Linux does not know the request: then memory is measured as it is.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}

/// Bytes of resident memory that the program has taken, its code and files not counted; `None` where
/// the system does not say (only Linux does, here).
///
/// Asks for no memory itself.
pub(super) fn resident_bytes() -> Option<u64> {
    in_status_file(File::open("/proc/self/status").ok()?)
}

/// The same of another process.
pub(super) fn resident_bytes_of(process: u32) -> Option<u64> {
    in_status_file(File::open(format!("/proc/{process}/status")).ok()?)
}

fn in_status_file(mut file: File) -> Option<u64> {
    let mut text = [0; 4096];
    let mut length = 0;
    while length < text.len() {
        match file.read(&mut text[length..]).ok()? {
            0 => break,
            read => length += read,
        }
    }
    in_status(std::str::from_utf8(&text[..length]).ok()?)
}

/// The line `RssAnon:   1234 kB`.
fn in_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::in_status;

    #[test]
    fn reads_the_line_and_no_other() {
        let status = "VmRSS:\t  99 kB\nRssAnon:\t    2048 kB\n";
        assert_eq!(in_status(status), Some(2 << 20));
        assert_eq!(in_status("Name:\tx\n"), None);
        assert_eq!(in_status("RssAnon:\t lots kB\n"), None);
    }
}

//! The memory of the process, as the system reports it.

use std::fs::File;
use std::io::Read;

/// A vector whose pages are written now. The system may provide pages of zeros only when they are written, which would
/// look like an allocation in the middle of the work.
pub(super) fn touched<V: Clone>(length: usize, value: V) -> Vec<V> {
    let mut values = std::hint::black_box(vec![value.clone(); length]);
    values.fill(value);
    values
}

/// Disables huge pages for this process and those that it starts, where possible (here, only on Linux). Otherwise the
/// system may merge pages in the background, hours later, and fill the gaps with memory that nothing has written, which
/// would look like a leak.
pub(crate) fn without_huge_pages() {
    #[cfg(target_os = "linux")]
    {
        // Linux before 3.15 does not know the request; memory is then measured as it is.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}

/// The bytes of resident memory that the program has allocated, without its code and files; `None` if the system does
/// not report them (here, only Linux does).
///
/// Allocates nothing itself.
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

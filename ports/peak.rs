//! The most memory that this process has had.

/// Prints it, where the system says it, for the program that measures.
pub fn print() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(kib) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("peak KiB: {}", kib.trim().trim_end_matches(" kB"));
    }
}

//! Files that people take for recordings, known by their first bytes, and what to do with each.

/// The number of bytes that tell what a file is.
pub(super) const BEGINNING_BYTES: usize = 4096;

/// How a file begins that is no text, and what to do with it.
const FILES: [(&[u8], &str); 37] = [
    (b"\x1f\x8b", "is compressed twice, expected once: run `gzip -d` first"),
    (b"\x28\xb5\x2f\xfd", "is compressed twice, expected once: run `zstd -d` first"),
    (
        b"\xfd7zXZ\0",
        "is compressed with xz, expected gzip, zstd or no compression: run `xz -d` first",
    ),
    (
        b"BZh",
        "is compressed with bzip2, expected gzip, zstd or no compression: run `bzip2 -d` first",
    ),
    (
        b"\x04\x22\x4d\x18",
        "is compressed with lz4, expected gzip, zstd or no compression: run `lz4 -d` first",
    ),
    (
        b"\x02\x21\x4c\x18",
        "is compressed with lz4, expected gzip, zstd or no compression: run `lz4 -d` first",
    ),
    (
        b"LZIP",
        "is compressed with lzip, expected gzip, zstd or no compression: run `lzip -d` first",
    ),
    (
        b"\x1f\x9d",
        "is compressed with compress, expected gzip, zstd or no compression: run `gzip -d` first",
    ),
    (
        b"\x1f\xa0",
        "is compressed with compress, expected gzip, zstd or no compression: run `gzip -d` first",
    ),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive, expected a recording: extract it first"),
    (b"Rar!\x1a\x07", "is a RAR archive, expected a recording: extract it first"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel sheet, expected text: save it as CSV"),
    (
        b"PERFILE2",
        "is a recording of perf, which has no allocations: record the program with `heaptrack --raw ./program`",
    ),
    (
        b"2ELIFREP",
        "is a recording of perf, which has no allocations: record the program with `heaptrack --raw ./program`",
    ),
    (b"SQLite format 3\0", "is an SQLite database, expected text: export a table as CSV"),
    (b"%PDF-", "is a PDF document, expected a recording"),
    (b"\x89PNG\r\n\x1a\n", "is a picture (PNG), expected a recording"),
    (b"\xff\xd8\xff", "is a picture (JPEG), expected a recording"),
    (b"GIF8", "is a picture (GIF), expected a recording"),
    (b"MZ", "is a program, expected a recording of one"),
    (b"\xcf\xfa\xed\xfe", "is a program, expected a recording of one"),
    (b"\xce\xfa\xed\xfe", "is a program, expected a recording of one"),
    (b"\xca\xfe\xba\xbe", "is a program, expected a recording of one"),
    (b"\0asm", "is a program, expected a recording of one"),
    (b"tr\xfdP", TRACY),
    (b"tlZ\x04", TRACY),
    (b"tZst", TRACY),
    (b"2CRT", UNREAL),
    (b"ECRT", UNREAL),
    (b"\xcd\xcd\xab\xae", UNITY),
    (b"JAVA PROFILE ", "is a heap dump of Java, expected a recording of allocations"),
    (b"\x80\x04\x95", "is a Python pickle, expected a recording"),
    (b"PAR1", "is a Parquet file, expected text: export it as CSV"),
    (b"Obj\x01", "is an Avro file, expected text: export it as CSV"),
    (b"PGDMP", "is a dump of a PostgreSQL database, expected the log of its server"),
    (b"\xff\xfe\0\0", "is text in UTF-32, expected UTF-8: run `iconv -f UTF-32 -t UTF-8` first"),
    (b"\0\0\xfe\xff", "is text in UTF-32, expected UTF-8: run `iconv -f UTF-32 -t UTF-8` first"),
];

const TRACY: &str = "is a saved capture of Tracy, which has no list of allocations that is read here: record the program \
                     with `heaptrack --raw ./program`";

const UNREAL: &str = "is a trace of Unreal Insights (.utrace), which is not read: record the game on Linux with `heaptrack \
                      --raw ./game`, or export its allocations as a table (docs/trace-formats.md)";

const UNITY: &str = "is a snapshot of Unity's Memory Profiler, the state of one moment, expected a recording of allocations: \
                     record the player on Linux with `heaptrack --raw ./game`";

const PERFETTO: &str = "is a trace of Perfetto, which is not read: record the program with `heaptrack --raw ./program`, or \
                        export its allocations as a table (docs/trace-formats.md)";

const CHROME: &str = "is a trace of Chrome (or one in its format, as many tools write), which is not read: record the program \
                      with `heaptrack --raw ./program`, or export its allocations as a table (docs/trace-formats.md)";

const V8: &str = "is a heap snapshot of V8 (Node.js, Chrome), the state of one moment, expected a recording of allocations \
                  over time";

const V8_PROFILE: &str = "is a sampled profile of V8 (Node.js, Chrome), which has no single allocations, expected a recording \
                          of allocations over time";

const MTRACE: &str = "is a file of mtrace, which has no times and no sizes at `free`: record the program with `heaptrack --raw \
                      ./program`";

const WEB_PAGE: &str =
    "is a web page (HTML), expected a recording: download the file itself, or export it as text";

const MEMRAY: &str = "is a recording of memray, expected text: convert it with tools/memray-to-csv";

/// What a file is that begins like this, and what to do with it, if it is known to be no recording.
pub(super) fn file(beginning: &[u8]) -> Option<&'static str> {
    let has = |part: &[u8], within: usize| {
        let within = &beginning[..beginning.len().min(within)];
        memchr::memmem::find(within, part).is_some()
    };
    if beginning.starts_with(b"memray\0")
        || (beginning.starts_with(b"\x04\x22\x4d\x18") && has(b"memray\0", 64))
    {
        // memray compresses with lz4; the beginning is so short that it stays as it is.
        return Some(MEMRAY);
    }
    if beginning.starts_with(b"PK\x03\x04") {
        let is_sheet = has(b"xl/", BEGINNING_BYTES)
            || has(b"[Content_Types].xml", 128)
            || has(b"opendocument.spreadsheet", 128);
        return Some(match is_sheet {
            true => "is a spreadsheet, expected text: save it as CSV",
            false => "is a zip archive, expected a recording: extract it first",
        });
    }
    if beginning.starts_with(b"\x7fELF") {
        return Some(match elf_type(beginning) {
            Some(4) => {
                "is a core file, the memory of a program that crashed, expected a recording of one: run it with \
                 `heaptrack --raw ./program`"
            }
            _ => {
                "is a program, expected a recording of one: run it with `heaptrack --raw ./program`"
            }
        });
    }
    if let Some(what) = one_line(beginning) {
        return Some(what);
    }
    if is_perfetto(beginning) {
        return Some(PERFETTO);
    }
    if beginning.get(257..262) == Some(b"ustar") {
        return Some("is a tar archive, expected a recording: extract it first");
    }
    FILES.iter().find(|(start, _)| beginning.starts_with(start)).map(|(_, what)| *what)
}

/// Texts that may be a single line without an end, so that no reader sees a line of them.
fn one_line(beginning: &[u8]) -> Option<&'static str> {
    let has = |part: &[u8]| memchr::memmem::find(beginning, part).is_some();
    let start = beginning.iter().take(256).filter(|b| !b.is_ascii_whitespace());
    let start: Vec<u8> = start.map(u8::to_ascii_lowercase).collect();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let is = |wanted: &str| start.starts_with(wanted.as_bytes());
    if is("<!doctypehtml") || is("<html") {
        return Some(WEB_PAGE);
    }
    if is("=start") && has(b"\n@ ") {
        return Some(MTRACE);
    }
    if is("{\"snapshot\":{\"meta\"") {
        return Some(V8);
    }
    if is("{\"head\":{\"callframe\"") || is("{\"nodes\":[{\"id\"") {
        return Some(V8_PROFILE);
    }
    let is_list = start.starts_with(b"[{") && has(b"\"ph\"") && has(b"\"ts\"");
    let has_list = start.starts_with(b"{\"") && has(b"\"traceEvents\"");
    (is_list || has_list).then_some(CHROME)
}

/// Whether this is the beginning of a message of Perfetto, which is a list of packets with their lengths and has no other
/// mark: packet follows packet.
fn is_perfetto(beginning: &[u8]) -> bool {
    const PACKET: u8 = 0x0a;
    const PACKETS_MIN: usize = 3;
    let is_text = !beginning.iter().any(|&b| b < b'\t');
    let mut rest = beginning;
    let mut packets = 0;
    while let Some((&PACKET, after)) = rest.split_first() {
        let Some((length, after)) = varint(after) else { break };
        packets += 1;
        let Some(next) = after.get(length..) else { break };
        rest = next;
    }
    !is_text && packets >= PACKETS_MIN
}

/// A number of protobuf of at most four bytes, and what follows.
fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().take(4).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// The type of an ELF file: 4 is a core file.
fn elf_type(beginning: &[u8]) -> Option<u16> {
    let bytes = [*beginning.get(16)?, *beginning.get(17)?];
    match beginning.get(5)? {
        2 => Some(u16::from_be_bytes(bytes)),
        _ => Some(u16::from_le_bytes(bytes)),
    }
}

/// How other texts begin, without white space and in lower case, and what they are.
const TEXTS: [(&str, &str); 20] = [
    ("tick,id,class", "this is a frame trace"),
    (
        "tick,event,id,class",
        "this is a lifetime trace, which `millpond plan` reads without --wait-p99-ms",
    ),
    (
        "ms,event,address,size,stack",
        "this is a table of allocations, which `millpond plan` reads without --wait-p99-ms",
    ),
    (
        "millpondheap1",
        "this is a recording of millpond-heap, which `millpond plan` reads without --wait-p99-ms",
    ),
    ("asked_us,", "this is a trace of loans, which needs --wait-p99-ms"),
    ("session,format,", "this is a summary, which `millpond merge` reads"),
    ("trace,class,", "this is what `millpond plan --csv` printed"),
    (
        "{\"dhatfileversion\"",
        "this is a file of DHAT, which has sums by place and no single block; `millpond plan` reads it, without --wait-p99-ms",
    ),
    (
        "at_peak,bytes_at_peak,",
        "this is a table of sums by place, which has no single block; `millpond plan` reads it, without --wait-p99-ms",
    ),
    ("{\"millpond\"", "this is what `millpond plan --json` printed"),
    (
        "{\"timestamp\"",
        "this is PostgreSQL's jsonlog; set log_destination = 'csvlog' and plan from that file",
    ),
    ("{", "this is JSON"),
    ("[{", "this is JSON"),
    (
        "desc:",
        "this is a file of massif, which has no single allocations; record with `heaptrack --raw ./program`",
    ),
    ("#callgrindformat", "this is a file of callgrind, which has no allocations"),
    (
        "heapprofile:",
        "this is a heap profile of gperftools, which has no single allocations; record with `heaptrack --raw ./program`",
    ),
    (
        "heap_v2/",
        "this is a heap profile of jemalloc, which has no single allocations; record with `heaptrack --raw ./program`",
    ),
    ("<?xml", "this is an XML file"),
    ("#time:", "this is MySQL's slow log, which is not read"),
    (
        "versionhttps://git-lfs",
        "this is a pointer of Git LFS; fetch the file itself with `git lfs pull`",
    ),
];

/// What a text is that begins like this, if it is known to be no recording that is read here.
pub(crate) fn text(beginning: &[u8]) -> Option<&'static str> {
    let line = beginning.split(|&b| b == b'\n').next().unwrap_or_default();
    let is_dated = line.len() > 20 && line[..4].iter().all(u8::is_ascii_digit) && line[4] == b'-';
    if is_dated
        && [&b" LOG:  "[..], b" ERROR:  ", b" FATAL:  "]
            .iter()
            .any(|level| memchr::memmem::find(line, level).is_some())
    {
        return Some(
            "this is PostgreSQL's log as text (stderr); set log_destination = 'csvlog' and plan from that file",
        );
    }
    if is_dated && line.iter().filter(|&&b| b == b',').count() > 20 {
        return Some("this is PostgreSQL's csvlog, which needs --wait-p99-ms");
    }
    let start = beginning.iter().take(256).filter(|b| !b.is_ascii_whitespace());
    let start: Vec<u8> = start.map(u8::to_ascii_lowercase).collect();
    TEXTS.iter().find(|(wanted, _)| start.starts_with(wanted.as_bytes())).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_recording_is_taken_for_another_file() {
        for beginning in
            ["tick,event,id,class\n", "v 10400 3\n", "millpond heap 1\n", "asked_us,got_us", ""]
        {
            assert_eq!(file(beginning.as_bytes()), None, "{beginning}");
        }
        assert_eq!(text(b"v 10400 3\nX game\n"), None);
        assert_eq!(text(b""), None);
    }

    #[test]
    fn a_core_file_is_told_from_a_program_in_both_byte_orders() {
        let elf = |order, kind: [u8; 2]| {
            let mut bytes = b"\x7fELF\x02".to_vec();
            bytes.push(order);
            bytes.resize(16, 0);
            bytes.extend(kind);
            file(&bytes).expect("an ELF file").contains("core file")
        };
        assert!(elf(1, [4, 0]) && elf(2, [0, 4]));
        assert!(!elf(1, [3, 0]) && !elf(2, [0, 2]));
        assert!(file(b"\x7fELF").expect("its beginning").contains("program"));
    }
}

//! Files that people bring by mistake, and texts in other encodings.

use crate::common::{Directory, done, gzip, millpond, plan_json, refused, zstd};

/// The longest line that people read to its end: the path, what the file is, and what is expected.
const LINE_BYTES_MAX: usize = 480;

/// Plans this content, as a trace and as a trace of loans, and expects one line with this part.
#[track_caller]
fn is_known(content: impl AsRef<[u8]>, part: &str) {
    let directory = Directory::new();
    let file = directory.file("game.bin", content);
    for arguments in [&["plan"][..], &["plan", "--wait-p99-ms", "5"], &["replay"]] {
        let output = millpond(&directory).args(arguments).arg(&file).output().unwrap();
        let line = refused(&output);
        assert!(line.contains("game.bin: ") && line.contains(part), "{arguments:?}: {line}");
        let is_harmless = line.chars().all(|c| !c.is_control() && c != '\u{fffd}');
        assert!(is_harmless && !line.contains("\\u{"), "bytes of the file are shown: {line}");
        assert!(
            line.len() <= LINE_BYTES_MAX,
            "a message of {} bytes, expected at most {LINE_BYTES_MAX}: the list of formats (`EXPECTED` in \
             millpond-plan's `trace`) or what is said of this file is too long for a line: {line}",
            line.len()
        );
    }
}

/// The beginning of a file, and some more bytes with and without line ends.
fn with(beginning: &[u8]) -> Vec<u8> {
    let more = (0..6000_u32).map(|n| (n * 37 % 251) as u8);
    beginning.iter().copied().chain(more).collect()
}

#[test]
fn binary_files_are_known_by_their_first_bytes() {
    for (beginning, part) in [
        (&b"memray\0\x0c\0\0\0"[..], "tools/memray-to-csv"),
        (
            b"\x04\x22\x4d\x18\x64\x40\xa7\x11\x02\0\0\xf1\x06memray\0\x0c\0\0\0",
            "tools/memray-to-csv",
        ),
        (b"\x04\x22\x4d\x18\x64\x40\xa7\x11\x02", "`lz4 -d`"),
        (b"\x02\x21\x4c\x18", "`lz4 -d`"),
        (b"\xfd7zXZ\0", "`xz -d`"),
        (b"BZh91AY&SY", "`bzip2 -d`"),
        (b"LZIP\x01", "`lzip -d`"),
        (b"\x1f\x9d\x90", "`gzip -d`"),
        (b"7z\xbc\xaf\x27\x1c", "7z archive"),
        (b"Rar!\x1a\x07\x01\0", "RAR archive"),
        (
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml",
            "spreadsheet, expected text: save it as CSV",
        ),
        (
            b"PK\x03\x04\x14\0\0\x08\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "spreadsheet",
        ),
        (b"PK\x03\x04\x14\0\0\0game.csv", "zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel sheet"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0\x3e\0", "core file"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0", "is a program"),
        (b"MZ\x90\0", "is a program"),
        (b"PERFILE2\x68\0", "perf"),
        (b"SQLite format 3\0\x10\0", "SQLite database"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"2CRT\x0c\0", "Unreal Insights"),
        (b"ECRT\x04\x07", "Unreal Insights"),
        (b"tr\xfdP\x01\x04", "capture of Tracy"),
        (b"tlZ\x04\0\x01", "capture of Tracy"),
        (b"tZst\0\x01", "capture of Tracy"),
        (b"\xcd\xcd\xab\xae\x01\0", "Unity"),
        (b"\x0a\x02\x08\x01\x0a\x03\x10\x02\x00\x0a\x01\x00\x0a\x7f", "Perfetto"),
        (b"PGDMP\x01", "dump of a PostgreSQL database"),
        (b"\xff\xfe\0\0t\0\0\0", "UTF-32"),
    ] {
        is_known(with(beginning), part);
        // Alone, and compressed, as people pack what they send.
        is_known(beginning, part);
        is_known(gzip(&with(beginning)), part);
        is_known(zstd(&with(beginning)), part);
    }
    is_known(gzip(&gzip(b"tick,event,id,class\n")), "compressed twice");
    is_known(
        zstd(&gzip(b"tick,event,id,class\n")),
        "compressed twice, expected once: run `gzip -d`",
    );
    is_known(
        gzip(&zstd(b"tick,event,id,class\n")),
        "compressed twice, expected once: run `zstd -d`",
    );
    let mut archive = b"game.csv".to_vec();
    archive.resize(257, 0);
    archive.extend(b"ustar\x0000");
    is_known(with(&archive), "tar archive");
}

#[test]
fn texts_are_known_by_how_they_begin() {
    for (text, part) in [
        ("{\"millpond\":\"0.1.0\",\"rules\":{}}\n", "`millpond plan --json` printed"),
        ("{\"timestamp\":\"2026-11-22 09:16:56.318 UTC\",\"pid\":3}\n", "jsonlog"),
        ("{\"traceEvents\":[]}\n", "trace of Chrome"),
        ("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[{}", "trace of Chrome"),
        ("[{\"args\":{},\"ph\":\"M\",\"ts\":0},\n", "trace of Chrome"),
        ("{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\"]", "heap snapshot of V8"),
        ("{\"head\":{\"callFrame\":{}}}", "sampled profile of V8"),
        ("= Start\n@ ./game:[0x401136] + 0x4c0690 0x10\n= End\n", "mtrace"),
        ("<html><head>", "web page (HTML), expected a recording: download"),
        ("<!DOCTYPE html><html lang=\"en\"><head>", "web page (HTML)"),
        ("[{\"a\":1}]\n", "this is JSON"),
        (
            "2026-11-22 09:16:56.318 UTC [31107] LOG:  duration: 1.000 ms  statement: select 1\n",
            "log_destination = 'csvlog'",
        ),
        ("desc: --time-unit=B\ncmd: ./game\n", "massif"),
        ("# callgrind format\nversion: 1\n", "callgrind"),
        ("heap profile:      1:     1024 [     2:     2048] @ heapprofile\n", "gperftools"),
        ("heap_v2/524288\n", "jemalloc"),
        ("<!-- millpond report v1 -->\n<!DOCTYPE html>\n", "expected a"),
        ("<!DOCTYPE html>\n", "web page"),
        ("<?xml version=\"1.0\"?>\n", "XML file"),
        ("# Time: 2026-11-22T09:16:56.318Z\n", "MySQL's slow log"),
        ("version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("session,format,ticks\n", "millpond merge"),
    ] {
        is_known(text, part);
    }
}

#[test]
fn a_trace_for_the_other_option_is_named() {
    let directory = Directory::new();
    let log = "2026-11-22 09:16:56.318 UTC,,,31107,,6b02b308.7983,1,,2026-11-22 09:16:56 UTC,,0,LOG,00000,\
               \"ready\",,,,,,,,,\"\",\"postmaster\",,0\n";
    let loans = "asked_us,got_us,returned_us,pool\n0,0,1,orders\n";
    for (text, part) in
        [(log, "PostgreSQL's csvlog, which needs --wait-p99-ms"), (loans, "needs --wait-p99-ms")]
    {
        let file = directory.file("a", text);
        let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
        assert!(line.contains(part), "{line}");
    }
    for text in ["tick,event,id,class\n", "ms,event,address,size,stack\n", "millpond heap 1\n"] {
        let file = directory.file("a", text);
        let output = millpond(&directory).args(["plan", "--wait-p99-ms", "5"]).arg(file).output();
        let line = refused(&output.unwrap());
        assert!(line.contains("reads without --wait-p99-ms"), "{line}");
    }
}

const LIFETIMES: &str =
    "tick,event,id,class\n0,alloc,1,Grün\n3,alloc,2,Ork\n9,free,1,Grün\n12,free,2,Ork\n";
const HEAPTRACK: &str =
    "v 10400 3\ns 5 Grün\ni 1000 1 1\nt 1 0\na 10 1\nc 1\n+ 0\n+ 0\nc 2\n- 0\n- 0\n";
const HEAP: &str = "millpond heap 1\nx Grün\nc 1\n+ 10 8 0\n+ 20 8 0\nc 9\n- 10\n- 20\ne 0\n";
const TABLE: &str =
    "ms,event,address,size,stack\n0,alloc,10,24,Grün\n1,alloc,20,24,Grün\n5,free,10\n9,free,20\n";
const LOANS: &str = "asked_us,got_us,returned_us,pool\n0,0,2000,Grün\n500,500,2500,Grün\n";
const LOG: &str = "2026-11-22 09:16:56.200 UTC,\"cook\",\"Grün\",31,\"[local]\",a.1,5,\"SELECT\",\
                   2026-11-22 09:16:56 UTC,3/0,0,LOG,00000,\"duration: 1.016 ms  statement: select 1\",,,,,,,,,\"psql\"\n\
                   2026-11-22 09:16:56.300 UTC,\"cook\",\"Grün\",31,\"[local]\",a.1,5,\"SELECT\",\
                   2026-11-22 09:16:56 UTC,3/0,0,LOG,00000,\"duration: 1.016 ms  statement: select 1\",,,,,,,,,\"psql\"\n";

/// The text in another encoding.
fn encodings(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |mark: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    vec![
        ("UTF-8 with its mark", ["\u{feff}", text].concat().into_bytes()),
        ("UTF-16", utf16("\u{feff}", u16::to_le_bytes)),
        ("UTF-16, big end first", utf16("\u{feff}", u16::to_be_bytes)),
        ("UTF-16 without its mark", utf16("", u16::to_le_bytes)),
        ("Latin-1", text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()),
        ("CRLF", text.replace('\n', "\r\n").into_bytes()),
        ("CR", text.replace('\n', "\r").into_bytes()),
        (
            "UTF-16 with CRLF, compressed",
            gzip(
                &text
                    .replace('\n', "\r\n")
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<_>>(),
            ),
        ),
    ]
}

#[test]
fn every_format_is_read_in_every_encoding() {
    let directory = Directory::new();
    for text in [LIFETIMES, HEAPTRACK, HEAP, TABLE] {
        let file = directory.file("game", text);
        let expected = plan_json(&directory, &file);
        assert_eq!(expected["traces"][0]["lifetimes"], 2);
        for (encoding, mut bytes) in encodings(text) {
            if encoding == "Latin-1" {
                // The length of the name in bytes.
                if let Some(at) = bytes.windows(4).position(|part| part == b"s 5 ") {
                    bytes[at + 2] = b'4';
                }
            }
            let file = directory.file("game", bytes);
            assert_eq!(plan_json(&directory, &file), expected, "{encoding}: {text}");
        }
    }
    for text in [LOANS, LOG] {
        let plan = |bytes: &[u8]| {
            let file = directory.file("game", bytes);
            let arguments = ["plan", "--json", "--wait-p99-ms", "5"];
            done(&millpond(&directory).args(arguments).arg(file).output().unwrap())
        };
        let expected = plan(text.as_bytes());
        assert!(expected.contains("\"pool\":\"Grün\""), "{expected}");
        for (encoding, bytes) in encodings(text) {
            assert_eq!(plan(&bytes), expected, "{encoding}: {text}");
        }
    }
}

/// A place in a text with a mark is that of the file.
#[test]
fn a_fault_behind_a_mark_has_its_place_in_the_file() {
    let directory = Directory::new();
    let file = directory.file("a.csv", "\u{feff}tick,event,id,class\n0,spawn,1,A\n");
    let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
    assert!(line.contains("line 2 (byte 23)"), "{line}");
}

/// A class whose name is written in both ways, in a file that was put together from two.
#[test]
fn a_class_in_two_encodings_is_one() {
    let directory = Directory::new();
    let text = b"tick,event,id,class\n0,alloc,1,Gr\xc3\xbcn\n0,alloc,2,Gr\xfcn\n1,free,1,Gr\xfcn\n2,free,2,Gr\xc3\xbcn\n";
    let json = plan_json(&directory, &directory.file("a.csv", text));
    let classes = json["traces"][0]["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 1, "{classes:?}");
    assert_eq!((&classes[0]["class"], &classes[0]["lifetimes"]), (&"Grün".into(), &2.into()));
}

/// Several members and frames, one skipped, one empty.
#[test]
fn members_and_frames_in_a_row_are_one_text() {
    let directory = Directory::new();
    let (head, rest) = LIFETIMES.split_at(30);
    let skipped = |first: u8| [&[first, 0x2a, 0x4d, 0x18, 4, 0, 0, 0][..], b"skip"].concat();
    let of = |pack: fn(&[u8]) -> Vec<u8>| {
        [pack(head.as_bytes()), pack(b""), pack(rest.as_bytes())].concat()
    };
    let zstd_only = of(zstd);
    for bytes in [
        of(gzip),
        zstd_only.clone(),
        [skipped(0x50), zstd_only.clone()].concat(),
        [skipped(0x5f), zstd_only.clone(), skipped(0x50)].concat(),
    ] {
        let json = plan_json(&directory, &directory.file("a", bytes));
        assert_eq!(json["traces"][0]["events"], 4);
    }
}

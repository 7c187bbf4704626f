//! Input that cannot be used: exit code 2, one line that says what and where, nothing written.

use crate::common::{Directory, gzip, millpond, millpond_reading, refused, zstd};

/// Plans this content, which has to be whole, and expects to be refused with a line that has all these parts.
#[track_caller]
fn refuses(content: impl AsRef<[u8]>, parts: &[&str]) {
    let directory = Directory::new();
    let trace = directory.file("bad.trace", content);
    let output = millpond(&directory).args(["plan", "--whole"]).arg(&trace).output().unwrap();
    let line = refused(&output);
    assert!(line.contains("bad.trace: "), "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
    assert_eq!(directory.names(), ["bad.trace"], "nothing may be left behind");
}

fn csv(lines: &str) -> String {
    format!("tick,event,id,class\n{lines}")
}

fn heaptrack(lines: &str) -> String {
    format!("v 10400 3\ns 4 main\ni 1000 1 1\nt 1 0\na 10 1\n{lines}")
}

#[test]
fn empty() {
    refuses("", &["is empty", "expected a lifetime trace"]);
    refuses(gzip(b""), &["is empty"]);
    refuses(zstd(b""), &["is empty"]);
    refuses(csv(""), &["line 1", "nothing follows the header"]);
    refuses(heaptrack(""), &["contains no allocation"]);
}

#[test]
fn wrong_format() {
    refuses("hello, world\n", &["line 1", "`hello, world`", "expected a lifetime trace"]);
    refuses([0xff_u8, 0, 1, 2, b'\n'], &["line 1"]);
    refuses("tick,id,class,x,y\n", &["frame trace"]);
    refuses("asked_us,got_us,returned_us,pool\n", &["trace of loans", "--wait-p99-ms"]);
    refuses("session,format,ticks\n", &["summary", "millpond merge"]);
    refuses("{\"dhatFileVersion\":2\n", &["line 2", "cut short before its first call stack"]);
    refuses("tick,event,id,classes\n", &["line 1", "expected a lifetime trace"]);
    refuses("v one two\n", &["line 1"]);
    refuses("v 10400 4\n+ 0\n", &["line 1", "file version 4, expected 1 to 3"]);
    refuses("v 10400\n+ 0\n", &["line 1", "expected `v VERSION FILEVERSION`"]);
}

#[test]
fn a_line_that_is_cut_short() {
    refuses(csv("0,alloc,1,A\n5,free,1,A"), &["line 3 (byte 32)", "cut short"]);
    refuses(heaptrack("+ 0"), &["line 6", "cut short"]);
    refuses("tick,event,id,class", &["line 1", "cut short"]);
    refuses(csv("0,alloc,1\n"), &["line 2", "3 columns", "expected `tick,event,id,class`"]);
    refuses(csv("\n"), &["line 2", "empty"]);
}

#[test]
fn unknown_verbs() {
    refuses(csv("0,spawn,1,A\n"), &["line 2 (byte 20)", "`spawn`", "`alloc` or `free`"]);
    refuses(csv("0,,1,A\n"), &["line 2", "expected `alloc` or `free`"]);
    refuses(heaptrack("z 1\n"), &["line 6", "`z 1`", "v X I s i t a + - c R S A #"]);
    refuses(heaptrack("+1\n"), &["line 6", "`+1`"]);
    refuses(heaptrack("m 1\n"), &["line 6", "raw"]);
}

#[test]
fn an_id_born_twice() {
    refuses(csv("0,alloc,7,A\n1,alloc,7,A\n"), &["line 3", "id 7 is still alive"]);
    refuses(csv("0,alloc,7,A\n1,free,7,A\n2,alloc,7,A\n"), &["line 4", "id 7", "was used before"]);
}

#[test]
fn freed_too_often() {
    // What was never born is older than the recording, and is passed over.
    let twice = csv("0,alloc,1,A\n0,free,1,A\n0,free,1,A\n");
    refuses(twice, &["line 4", "id 1", "not alive", "expected an earlier `alloc`"]);
    refuses(heaptrack("- 0\n"), &["line 6", "kind 0", "none is alive"]);
    refuses(heaptrack("+ 0\n- 0\n- 0\n"), &["line 8", "none is alive"]);
}

#[test]
fn freed_under_another_class() {
    refuses(csv("0,alloc,1,Imp\n4,free,1,Demon\n"), &["line 3", "`Demon`", "expected `Imp`"]);
}

#[test]
fn time_going_backwards() {
    refuses(csv("5,alloc,1,A\n4,free,1,A\n"), &["line 3", "tick 4 comes after tick 5"]);
    refuses(heaptrack("c 20\n+ 0\nc 1f\n"), &["line 8", "time 1f comes after 20"]);
}

#[test]
fn numbers_out_of_range() {
    refuses(csv("4294967296,alloc,1,A\n"), &["line 2", "tick `4294967296`", "2^32"]);
    refuses(csv("-1,alloc,1,A\n"), &["line 2", "tick `-1`"]);
    refuses(csv("0,alloc,18446744073709551616,A\n"), &["line 2", "id `18446744073709551616`"]);
    refuses(csv("0,alloc,1.5,A\n"), &["line 2", "id `1.5`"]);
    refuses(
        "tick,event,id,class,size\n0,alloc,1,A,many\n",
        &["line 2", "size `many`", "expected a number"],
    );
    refuses(heaptrack("+ 1\n"), &["line 6", "`+ 1`", "1 kinds"]);
    refuses(heaptrack("+ ffffffffffffffff\n"), &["line 6", "`+ ffffffffffffffff`"]);
    refuses(heaptrack("+ 11112222333344445\n"), &["line 6"]);
    refuses(heaptrack("- xyz\n"), &["line 6", "`- xyz`"]);
    refuses(heaptrack("c 100000000\n"), &["line 6", "time `100000000`"]);
    refuses(heaptrack("a 10 2\n"), &["line 6", "stack node 2"]);
    refuses(heaptrack("t 2 0\n"), &["line 6", "instruction 2"]);
    refuses(heaptrack("t 1 2\n"), &["line 6", "stack node 2"]);
    refuses(heaptrack("i 1000 2\n"), &["line 6", "string 2"]);
    refuses(heaptrack("s 5 main\n"), &["line 6", "4 bytes, expected the stated 5"]);
    refuses(heaptrack("a 10\n"), &["line 6", "expected `a SIZE TRACE`"]);
}

#[test]
fn classes_that_are_no_names() {
    refuses(csv("0,alloc,1,\n"), &["line 2", "class is empty"]);
    refuses(csv("0,alloc,1,\"Imp, red\"\n"), &["line 2", "`\"Imp`", "is quoted"]);
    refuses(csv(&format!("0,alloc,1,{}\n", "x".repeat(256))), &["line 2", "256 bytes"]);
    let many: String = (0..70_000).map(|n| format!("0,alloc,{n},C{n}\n")).collect();
    refuses(csv(&many), &["line 65538", "more than 65536 classes"]);
}

#[test]
fn compressed_data_that_is_cut_short_anywhere() {
    let text = csv("0,alloc,1,Imp\n3,alloc,2,Demon\n9,free,1,Imp\n");
    for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for cut in (0..packed.len()).step_by(3) {
            refuses(&packed[..cut], &[]);
        }
    }
    refuses(&gzip(text.as_bytes())[..40], &["gzip data is cut short"]);
    let zstd = zstd(text.as_bytes());
    refuses(&zstd[..zstd.len() - 5], &["zstd data is cut short"]);
}

#[test]
fn the_bundled_traces_cut_short() {
    for (name, kind) in
        [("freedoom2-map01-8bots.csv.gz", "gzip"), ("openttd-600ticks.heaptrack.zst", "zstd")]
    {
        let whole = std::fs::read(format!("{}/{name}", crate::common::TRACES)).unwrap();
        let parts = [&format!("the {kind} data is cut short")[..], "byte "];
        refuses(&whole[..whole.len() / 2], &parts);
        refuses(&whole[..whole.len() - 1], &[&format!("the {kind} data is ")]);
    }
}

#[test]
fn compressed_data_that_is_damaged() {
    let text = csv(&(0..500).map(|n| format!("{n},alloc,{n},Imp\n")).collect::<String>());
    let directory = Directory::new();
    for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for at in (0..packed.len()).step_by(61) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let trace = directory.file("damaged", damaged);
            let output =
                millpond(&directory).args(["plan", "--whole"]).arg(trace).output().unwrap();
            // Some bytes of a header mean nothing; whatever is accepted must be right.
            if output.status.code() == Some(0) {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(text.contains("500 objects of 1 class,"), "byte {at}: {text}");
            } else {
                refused(&output);
            }
        }
    }
    // The last bytes are the checksum of all that comes before.
    let last_bit_flipped = |mut packed: Vec<u8>| {
        *packed.last_mut().unwrap() ^= 1;
        packed
    };
    refuses(last_bit_flipped(zstd(text.as_bytes())), &["zstd data is damaged (its checksum"]);
    refuses(last_bit_flipped(gzip(text.as_bytes())), &["gzip data is damaged"]);
    refuses([gzip(text.as_bytes()), b"garbage".to_vec()].concat(), &["gzip data is"]);
    refuses([zstd(text.as_bytes()), b"garbage".to_vec()].concat(), &["zstd data is"]);
}

#[test]
fn a_decompression_bomb() {
    let bomb = vec![b'a'; 8 << 20];
    let packed = gzip(&bomb);
    assert!(packed.len() < 20_000);
    refuses(&packed, &["line 1", "more than 65536 bytes"]);
    let with_header = [csv("0,alloc,1,").as_bytes(), &bomb].concat();
    refuses(gzip(&with_header), &["line 2", "more than 65536 bytes"]);
    // Just one byte too much, with more lines after it.
    let long = format!("0,alloc,1,A,{}\n0,alloc,2,A\n", "x".repeat((64 << 10) - 11));
    refuses(csv(&long), &["line 2", "more than 65536 bytes"]);
    refuses(heaptrack(&format!("X {}\n+ 0\n", "x".repeat(64 << 10))), &["line 6", "65536 bytes"]);
}

#[test]
fn a_line_of_exactly_the_limit_is_read() {
    let directory = Directory::new();
    let long = format!("0,alloc,1,A,{}\n0,alloc,2,A\n", "x".repeat((64 << 10) - 12));
    let trace = directory.file("long.csv", csv(&long));
    assert_eq!(crate::common::plan_json(&directory, &trace)["traces"][0]["lifetimes"], 2);
}

#[test]
fn files_that_cannot_be_opened() {
    let directory = Directory::new();
    let plan = |path: &str| refused(&millpond(&directory).args(["plan", path]).output().unwrap());
    assert_eq!(plan("missing.csv"), "missing.csv: no such file");
    assert_eq!(plan("."), ".: is a directory, expected a trace file");
    assert!(plan("two\nlines\x1b[31m").starts_with("two\\nlines\\u{1b}[31m: "));
    let beside = directory.file("file", "x");
    assert!(plan(beside.join("below").to_str().unwrap()).contains("file/below: "));
}

#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new();
    let secret = directory.file("secret.csv", csv("0,alloc,1,A\n"));
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&secret).is_ok() {
        // Whoever runs this test may read everything; there is nothing to be refused.
        return;
    }
    let output = millpond(&directory).arg("plan").arg("secret.csv").output().unwrap();
    assert_eq!(refused(&output), "secret.csv: permission denied");
}

#[cfg(unix)]
#[test]
fn devices_are_no_traces() {
    let directory = Directory::new();
    for device in ["/dev/null", "/dev/zero"] {
        let output = millpond(&directory).args(["plan", device]).output().unwrap();
        assert!(refused(&output).contains("neither a file nor a pipe"));
    }
}

#[test]
fn standard_input_is_refused_like_a_file() {
    let directory = Directory::new();
    let output = millpond_reading(&directory, &["plan", "-"], b"");
    assert!(refused(&output).starts_with("-: is empty"));
    let output = millpond_reading(&directory, &["plan", "-"], csv("0,spawn,1,A\n").as_bytes());
    assert!(refused(&output).starts_with("-: line 2"));
    assert!(directory.names().is_empty(), "the temporary copy is gone");
}

#[test]
fn one_bad_trace_among_good_ones() {
    let directory = Directory::new();
    let good = directory.file("good.csv", csv("0,alloc,1,A\n"));
    let bad = directory.file("bad.csv", csv("0,alloc,1,A\n0,alloc,1,A\n"));
    let output = millpond(&directory).arg("plan").args([&good, &bad, &good]).output().unwrap();
    assert!(refused(&output).contains("bad.csv: line 3"));
}

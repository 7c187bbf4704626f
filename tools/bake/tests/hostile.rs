//! Assets and names that nobody means well with.

mod common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use common::{HERE, Workbench, text};

/// The baker with the compiler's checks of memory and of what C leaves undefined, in a copy of the assets.
fn checked_baker(name: &str) -> Workbench {
    let bench = Workbench::new(name);
    let checks =
        ["-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let ran = bench.run("cc", &[&checks[..], &["-o", "bake", "baker/bake.c"]].concat());
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    bench
}

impl Workbench {
    /// Bakes; returns what was said if it failed, and checks that a failure leaves nothing.
    #[track_caller]
    fn bake(&self, format: &str, asset: &str) -> Result<(), String> {
        self.write_quickly("out", b"of an earlier run");
        let args = ["bake", format, asset, "out", "out.d"];
        // What is still reachable at the end is not a leak that matters: the process ends.
        let ran =
            self.run("env", &[&["ASAN_OPTIONS=detect_leaks=0", "./bake"], &args[1..]].concat());
        let said = text(&ran.stderr);
        match ran.status.code() {
            Some(0) => return Ok(()),
            Some(1) => {}
            code => panic!("{format} {asset}: {code:?}: {said}"),
        }
        assert!(
            said.lines().count() == 1 && !said.contains("Sanitizer"),
            "{format} {asset}: {said}"
        );
        assert!(!self.exists("out") && !self.exists("out.part"), "{format} {asset}: {said}");
        Err(said)
    }

    fn write_quickly(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.path(path), bytes).expect("a file");
    }
}

#[test]
fn assets_that_make_no_sense_are_refused_where_they_fail() {
    let bench = checked_baker("refused");
    let long = "w".repeat(70_000);
    let cases = [
        ("palette-rgba", "x.pal", "", "x.pal:0: nothing to bake"),
        ("palette-rgba", "x.pal", "w fffffff\n", "x.pal:1: expected a letter"),
        (
            "palette-rgba",
            "x.pal",
            "w ffffffff\n\n; no\nw 00000000\n",
            "x.pal:4: the letter w has a colour already",
        ),
        ("palette-rgba", "x.pal", "ä ffffffff\n", "x.pal:1: expected a letter"),
        ("palette-565", "x.pal", "w -fffffff\n", "x.pal:1: expected a letter"),
        ("sprite-rgba", "x.spr", "", "x.spr:0: expected \"palette FILE\""),
        ("sprite-rgba", "x.spr", "palette no.pal\nw\n", "x.spr:1: no file assets/sprites/no.pal"),
        (
            "sprite-rgba",
            "x.spr",
            "palette ../palettes\nw\n",
            "x.spr:1: assets/sprites/../palettes is a pipe, a device or a folder",
        ),
        ("sprite-rgba", "x.spr", "palette ../palettes/night.pal\n", "expected 1 to 65535"),
        (
            "sprite-rgba",
            "x.spr",
            "palette ../palettes/night.pal\nww\nw\n",
            "x.spr:3: a row of 1 letters; the first has 2",
        ),
        ("sprite-565", "x.spr", "palette ../palettes/night.pal\n\u{ff}\n", "x.spr:2: column 1"),
        (
            "sprite-rgba",
            "x.spr",
            &format!("palette ../palettes/night.pal\n{long}\n"),
            "expected 1 to 65535",
        ),
        ("level", "x.lvl", "", "x.lvl:0: expected at least one wave"),
        ("level", "x.lvl", "pool a 3\npool a 3\n", "x.lvl:2: the pool a is there already"),
        ("level", "x.lvl", "wave 0 a 3\n", "x.lvl:1: no pool has the name a so far"),
        ("level", "x.lvl", "pool a 3\nwave 0 a 4\n", "x.lvl:2: 4 at once; a has 3 slots"),
        ("level", "x.lvl", "pool a -3\n", "x.lvl:1: expected a number"),
        ("level", "x.lvl", "pool a 99999999\n", "x.lvl:1: expected \"include FILE\""),
        ("level", "x.lvl", "include x.lvl\n", "x.lvl:1: includes more than 8 deep"),
        ("level", "x.lvl", "pool a 3 4\n", "x.lvl:1: expected \"include FILE\""),
        ("level", "9x.lvl", "pool a 3\nwave 0 a 3\n", "9x.lvl:0: the file's name"),
        ("level", "a-b.lvl", "pool a 3\nwave 0 a 3\n", "a-b.lvl:0: the file's name"),
        ("tune", "x.lvl", "", "no format tune"),
    ];
    for (format, name, content, expected) in cases {
        let asset = format!("assets/sprites/{name}");
        bench.write_quickly(&asset, content.as_bytes());
        let said = bench.bake(format, &asset).expect_err(expected);
        assert!(said.contains(expected), "{said}");
        std::fs::remove_file(bench.path(&asset)).expect("the file");
    }
    assert!(
        bench
            .bake("level", "assets/missing.lvl")
            .is_err_and(|it| it.contains("no file assets/missing.lvl"))
    );
    bench.write_quickly("assets/zero.lvl", b"pool a 3\n\0wave 0 a 3\n");
    assert!(bench.bake("level", "assets/zero.lvl").is_err_and(|it| it.contains("a zero byte")));
    // Many pools, with names as long as they may be.
    let name = |i: u8| format!("{}{}", "p".repeat(63), char::from(b'a' + i % 26));
    let level = |pools: u8| {
        (0..pools)
            .map(|i| {
                format!(
                    "pool {}{} 1\n",
                    "q".repeat(usize::from(i / 26)),
                    &name(i)[usize::from(i / 26)..]
                )
            })
            .collect::<String>()
    };
    let file = format!("assets/{}.lvl", "l".repeat(64));
    bench.write_quickly(&file, format!("{}wave 0 {} 1\n", level(64), name(3)).as_bytes());
    assert_eq!(bench.bake("level", &file), Ok(()));
    bench.write_quickly(&file, level(65).as_bytes());
    assert!(bench.bake("level", &file).is_err_and(|it| it.contains("more than 64 pools")));
}

/// Whoever opens a pipe without a writer or a reader waits for ever, so `timeout` ends a baker that does.
#[test]
fn pipes_devices_and_folders_are_neither_read_nor_written_over() {
    let bench = Workbench::new("pipes");
    let ran = bench.run("cc", &["-std=c99", "-o", "bake", "baker/bake.c"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    assert!(bench.run("mkfifo", &["pipe.lvl", "out.part"]).status.success());
    std::fs::create_dir(bench.path("folder")).expect("a folder");
    bench.write_quickly("whole.lvl", b"pool a 3\nwave 0 a 3\n");
    bench.write_quickly("includes.lvl", b"include pipe.lvl\n");
    let not_read = "is a pipe, a device or a folder, not a file";
    for (input, output, depfile, expected) in [
        ("pipe.lvl", "other", "other.d", format!("pipe.lvl:0: pipe.lvl {not_read}")),
        ("includes.lvl", "other", "other.d", format!("includes.lvl:1: pipe.lvl {not_read}")),
        ("/dev/zero", "other", "other.d", format!("/dev/zero:0: /dev/zero {not_read}")),
        ("folder", "other", "other.d", format!("folder:0: folder {not_read}")),
        ("missing.lvl", "folder", "other.d", "missing.lvl:0: no file missing.lvl".to_owned()),
        ("whole.lvl", "pipe.lvl", "other.d", "whole.lvl:0: pipe.lvl cannot be written".to_owned()),
        ("whole.lvl", "other", "pipe.lvl", "whole.lvl:0: other cannot be written".to_owned()),
        ("whole.lvl", "out", "out.d", "whole.lvl:0: out cannot be written".to_owned()),
        ("whole.lvl", "folder", "other.d", "whole.lvl:0: folder cannot be written".to_owned()),
    ] {
        let ran = bench.run("timeout", &["20", "./bake", "level", input, output, depfile]);
        assert_eq!(ran.status.code(), Some(1), "{input} {output}: {}", text(&ran.stderr));
        assert_eq!(text(&ran.stderr).trim_end(), expected);
        // What was there before is there still.
        let is_kept = ["pipe.lvl", "out.part", "folder"].iter().all(|it| bench.exists(it));
        assert!(is_kept && !bench.exists("other"), "{input} {output}");
    }
}

#[test]
fn includes_that_multiply_end_at_a_limit() {
    let bench = checked_baker("multiply");
    for depth in 0..8 {
        let include = format!("include l{}.lvl\n", depth + 1);
        bench.write_quickly(&format!("assets/l{depth}.lvl"), include.repeat(100).as_bytes());
    }
    bench.write_quickly("assets/l8.lvl", format!(";{}\n", "x".repeat(100_000)).as_bytes());
    let said = bench.bake("level", "assets/l0.lvl").expect_err("too much");
    assert!(said.contains("more than 16777216 bytes to read"), "{said}");
}

#[test]
fn damaged_assets_never_break_the_baker() {
    let bench = checked_baker("damaged");
    let assets = [
        ("palette-rgba", "palettes/night.pal"),
        ("sprite-rgba", "sprites/spark.spr"),
        ("sprite-565", "sprites/drop.spr"),
        ("level", "levels/fireworks.lvl"),
    ];
    let mut random = 0x1dea_db0b_u64;
    let mut next = |below: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let (mut baked, mut refused) = (0, 0);
    for round in 0..200 {
        let (format, name) = assets[round % assets.len()];
        let mut bytes =
            std::fs::read(PathBuf::from(HERE).join("assets").join(name)).expect("an asset");
        for _ in 0..1 + next(3) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = next(256) as u8,
                1 => drop(bytes.drain(at..(at + next(20)).min(bytes.len()))),
                2 => bytes.truncate(at + 1),
                _ => {
                    let part = bytes[at..(at + next(30)).min(bytes.len())].to_vec();
                    let to = next(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'\n');
            }
        }
        bench.write_quickly(&format!("assets/{name}"), &bytes);
        match bench.bake(format, &format!("assets/{name}")) {
            Ok(()) => baked += 1,
            Err(_) => refused += 1,
        }
        common::copy(
            &PathBuf::from(HERE).join("assets").join(name),
            &bench.path("assets").join(name),
        );
    }
    assert!(baked > 10 && refused > 50, "{baked} baked, {refused} refused");
}

#[test]
fn names_that_commands_would_have_to_quote_are_skipped() {
    let bench = Workbench::new("names");
    bench.generate(&[]);
    let before = bench.read("build/build.ninja");
    for name in [
        &b"a b"[..],
        b"$HOME",
        b"a;b",
        b"'",
        b"\"",
        b"a\nb",
        b"a:b",
        b"a|b",
        b"\xff",
        b"a&b",
        b"*",
        b"-x y",
        "\u{fc}n\u{ef}".as_bytes(),
    ] {
        let path = bench.path("assets/sprites").join(OsStr::from_bytes(&[name, b".spr"].concat()));
        std::fs::write(&path, "").expect("a file");
        let ran = bench.try_generate(&[]);
        let said = text(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        assert!(
            said.lines().count() == 1
                && said.contains("expected letters a to z, digits and . _ - + only; skipped"),
            "{said}"
        );
        std::fs::remove_file(&path).expect("the file");
    }
    assert_eq!(bench.read("build/build.ninja"), before);
}

/// Such as an editor's lock, which is a link to nowhere, a service's socket, or a folder that leads back.
#[test]
fn what_is_no_file_is_skipped() {
    let bench = Workbench::new("no-files");
    bench.generate(&[]);
    let before = bench.read("build/build.ninja");
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, bench.path(at)).expect("a link");
    for folder in ["assets/sprites", "examples"] {
        for (name, expected) in [
            ("nowhere", "No such file or directory"),
            ("round", "oo many"),
            ("queue", "neither a file nor a directory"),
            ("up", "a link to a directory"),
        ] {
            let stray = match folder {
                "examples" => format!("{folder}/{name}.c"),
                _ => format!("{folder}/{name}.spr"),
            };
            match name {
                "nowhere" => link("nothing", &stray),
                "round" => link(stray.rsplit('/').next().expect("a name"), &stray),
                "queue" => assert!(bench.run("mkfifo", &[&stray]).status.success()),
                // A program's folder may be elsewhere: it is not walked.
                _ if folder == "examples" => continue,
                _ => link("..", &stray),
            }
            let ran = bench.try_generate(&[]);
            let said = text(&ran.stderr);
            assert!(ran.status.success() && said.lines().count() == 1, "{stray}: {said}");
            assert!(said.contains(&stray) && said.contains(expected), "{stray}: {said}");
            assert_eq!(bench.read("build/build.ninja"), before, "{stray}");
            std::fs::remove_file(bench.path(&stray)).expect("the stray");
        }
    }
    // A link to a file is that file.
    link("drop.spr", "assets/sprites/linked.spr");
    bench.generate(&[]);
    assert!(bench.read("build/build.ninja").contains("assets/sprites/linked.spr"));
}

#[test]
fn programs_with_a_plus_in_their_name_have_a_variable_that_ninja_can_read() {
    let bench = Workbench::new("plus");
    bench.write("examples/a+b.c", "int main(void) { return 0; }\n");
    bench.generate(&[]);
    let graph = bench.read("build/build.ninja");
    assert!(
        graph.contains("build bin/examples/a+b: link") && graph.contains("${a_b_libs}"),
        "{graph}"
    );
}

#[test]
fn kinds_and_rules_that_ninja_could_not_read_are_refused_by_their_line() {
    let bench = Workbench::new("unreadable");
    for (rules, kinds, expected) in [
        ("rule a/b\n  command = x\n", "", "rules:1: \"a/b\" is no name of a rule"),
        ("rule a+b\n  command = x\n", "", "rules:1: \"a+b\" is no name of a rule"),
        ("rule \u{fc}\n  command = x\n", "", "rules:1: \"\u{fc}\" is no name of a rule"),
        ("a+b = 1\n", "", "rules:1: expected"),
        ("pool = 1\n", "", "rules:1: expected"),
        ("rule x\n  command = x\n", ". spr * x a/b\n", "kinds:1: \"a/b\" is no extension"),
        ("rule x\n  command = x\n", ". spr * x *\n", "kinds:1: \"*\" is no extension"),
    ] {
        bench.write_quickly("rules", rules.as_bytes());
        bench.write_quickly("kinds", kinds.as_bytes());
        let ran = bench.try_generate(&["--rules", "rules", "--kinds", "kinds"]);
        let said = text(&ran.stderr);
        assert!(ran.status.code() == Some(2) && said.lines().count() == 1, "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn wrong_arguments_get_one_line_and_leave_the_graph() {
    let bench = Workbench::new("arguments");
    bench.generate(&[]);
    let before = bench.files("build");
    let cases: &[(&[&str], &str)] = &[
        (&["--what", "x"], "--what"),
        (&["--assets"], "--assets"),
        (&["DIR", "x"], "DIR"),
        (&["--platform", "toaster"], "--platform: expected desktop or handheld"),
        (&["--assets", "missing"], "missing: No such file"),
        (&["--programs", "missing"], "missing: No such file"),
        (&["--build", "baker/bake.c"], "baker/bake.c: "),
        (&["--set", "cc=a\nrule x"], "--set"),
        (&["--set", "cc"], "--set: \"cc\": expected NAME=VALUE"),
        (&["--set", "a b=c"], "--set: \"a b=c\""),
        (&["--set", "=c"], "--set: \"=c\""),
        (&["--set", "a+b=c"], "--set: \"a+b=c\""),
        (&["--set", "\u{fc}=c"], "--set"),
        (&["--set", "rule=c"], "--set: \"rule=c\""),
        (&["--set", "cc=c$"], "--set: \"cc=c$\""),
        (&["--set", "cc=$(which cc)"], "--set: \"cc=$(which cc)\""),
        (&["--set", "cc=${a"], "--set: \"cc=${a\""),
        (&["--set", "cc=${a b}"], "--set: \"cc=${a b}\""),
        (&["--again"], "--again"),
    ];
    for &(args, expected) in cases {
        let ran = bench.try_generate(args);
        let said = text(&ran.stderr);
        assert!(
            ran.status.code() == Some(2) && said.lines().count() == 1 && said.contains(expected),
            "{args:?}: {said}"
        );
        assert!(bench.files("build") == before);
    }
    bench.generate(&["--set", "cc=$cxx ${a.b} $$ $: -D'x y'=1", "--set", "a=", "--set", "b=c=d"]);
    let graph = bench.read("build/build.ninja");
    assert!(graph.contains("\ncc = $cxx ${a.b} $$ $: -D'x y'=1\na = \nb = c=d\n"), "{graph}");
    // Two programs of one name.
    bench.write("examples/show.c", "int main(void) { return 0; }\n");
    let ran = bench.try_generate(&[]);
    assert!(
        text(&ran.stderr).contains("bin/examples/show: two files would be built as this"),
        "{}",
        text(&ran.stderr)
    );
}

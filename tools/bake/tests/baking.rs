//! What the graph of `bake-gen` does, by running Ninja on a copy of the demo.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{HERE, Workbench, page_of_the_docs, text};

/// The rule and the output of each asset, as `build.ninja` has them.
fn rules(bench: &Workbench) -> BTreeMap<String, (String, String)> {
    let text = bench.read("build/build.ninja");
    let builds =
        text.lines().filter_map(|line| line.strip_prefix("build baked/")?.split_once(": "));
    let builds = builds.map(|(output, rest)| {
        let mut words = rest.split(' ');
        let (rule, asset) = (words.next().expect("a rule"), words.next().expect("an asset"));
        (asset.trim_start_matches("../assets/").to_owned(), (rule.to_owned(), output.to_owned()))
    });
    builds.collect()
}

#[test]
fn directory_and_extension_alone_choose_rule_and_output_by_platform() {
    let bench = Workbench::new("choose");
    bench.write("assets/sprites/enemies/deep/bat.spr", "this is no sprite");
    bench.write("assets/palettes/spr.pal", "palette ../palettes/night.pal\n");
    bench.write("assets/levels/notes.inc", "");
    for (platform, expected) in [
        (
            "desktop",
            [
                ("sprites/spark.spr", "sprite-rgba", "sprites/spark.rgba"),
                ("sprites/enemies/deep/bat.spr", "sprite-rgba", "sprites/enemies/deep/bat.rgba"),
                ("palettes/night.pal", "palette-rgba", "palettes/night.rgba"),
                ("palettes/spr.pal", "palette-rgba", "palettes/spr.rgba"),
                ("levels/storm.lvl", "level", "levels/storm.h"),
            ],
        ),
        (
            "handheld",
            [
                ("sprites/spark.spr", "sprite-565", "sprites/spark.h"),
                ("sprites/enemies/deep/bat.spr", "sprite-565", "sprites/enemies/deep/bat.h"),
                ("palettes/night.pal", "palette-565", "palettes/night.565"),
                ("palettes/spr.pal", "palette-565", "palettes/spr.565"),
                ("levels/storm.lvl", "level", "levels/storm.h"),
            ],
        ),
    ] {
        bench.generate(&["--platform", platform]);
        let rules = rules(&bench);
        for (asset, rule, output) in expected {
            assert_eq!(rules.get(asset), Some(&(rule.to_owned(), output.to_owned())), "{asset}");
        }
        assert_eq!(rules.len(), 9, "the assets, and no file that others include: {rules:?}");
    }
}

/// A stray file stops nobody's work: it is named, and left out.
#[test]
fn an_asset_that_no_rule_bakes_is_skipped_with_a_warning() {
    let bench = Workbench::new("unknown");
    bench.generate(&[]);
    let before = bench.read("build/build.ninja");
    for asset in [
        "assets/sprites/storm.lvl",
        "assets/levels/night.pal",
        "assets/spark.spr",
        "assets/sprites/README",
        "assets/levels/read me.txt",
    ] {
        bench.write(asset, "");
        let ran = bench.try_generate(&[]);
        let why = match asset.contains(' ') {
            true => "expected letters a to z, digits and . _ - + only",
            false => "no rule for this extension in this directory",
        };
        assert_eq!(text(&ran.stderr), format!("bake-gen: warning: {asset:?}: {why}; skipped\n"));
        assert!(ran.status.success() && bench.read("build/build.ninja") == before, "{asset}");
        bench.remove(asset);
    }
    // What lies about in folders is not even named.
    for ignored in ["assets/Thumbs.db", "assets/sprites/desktop.ini", "assets/.DS_Store"] {
        bench.write(ignored, "");
    }
    assert_eq!(text(&bench.try_generate(&[]).stderr), "");
}

/// Kinds and rules of a project's own, with a tool beside the baker: a changed tool bakes again, and a failed one leaves
/// nothing.
#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn kinds_and_rules_of_a_project_are_read_when_it_is_built() {
    let bench = Workbench::new("own-kinds");
    bench.write(
        "own.kinds",
        "# textures\nsprites spr * pack bin tools/pack.sh\nignore levels\nignore *.pal\ninclude inc\n",
    );
    bench.write("own.ninja", "rule pack\n  command = $run $out -- sh ../tools/pack.sh $in $out\n");
    bench.write("tools/pack.sh", "cat $1 > $2\nif grep -q broken $1; then exit 3; fi\n");
    let generate = || {
        let args = ["--build", "own", "--assets", "assets", "--kinds", "own.kinds"];
        bench.run(env!("CARGO_BIN_EXE_bake-gen"), &[&args[..], &["--rules", "own.ninja"]].concat())
    };
    let ran = generate();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", text(&ran.stderr));
    assert!(bench.ninja_in("own", &[]).succeeded);
    let all = ["drop.bin", "rocket.bin", "spark.bin"];
    assert_eq!(bench.files("own/baked/sprites").into_keys().collect::<Vec<_>>(), all);
    assert!(bench.ninja_in("own", &[]).text.contains("no work to do"));
    // A tool that is not an input of the command.
    bench.append("tools/pack.sh", "echo more >> $2\n");
    assert!(bench.ninja_in("own", &[]).succeeded);
    assert!(bench.read("own/baked/sprites/spark.bin").ends_with("more\n"));
    // A failed one leaves neither the old output nor a part of the new one.
    bench.append("assets/sprites/spark.spr", "broken\n");
    assert!(!bench.ninja_in("own", &["-k0"]).succeeded);
    let left = bench.files("own/baked/sprites").into_keys().collect::<Vec<_>>();
    assert_eq!(left, ["drop.bin", "rocket.bin"]);
    // The kinds are read anew by Ninja itself.
    bench.replace("own.kinds", "pack bin", "pack tex");
    bench.ninja_in("own", &["-k0"]);
    assert!(bench.exists("own/baked/sprites/drop.tex"));
    // What is wrong is one line with file and line, and leaves the graph.
    let before = bench.read("own/build.ninja");
    for (file, right, wrong, said) in [
        ("own.kinds", "pack tex", "pak tex", "own.kinds:2: there is no rule \"pak\""),
        ("own.kinds", "ignore *.pal", "ignore", "own.kinds:4: expected DIRECTORY EXTENSION"),
        ("own.kinds", "sprites spr", "spri$tes spr", "own.kinds:2: \"spri$tes\": expected letters"),
        ("own.ninja", "command =", "comand =", "own.ninja:2: expected one of command, "),
        ("own.ninja", "rule pack", "rule pack it", "own.ninja:1: \"pack it\" is no name"),
        ("own.ninja", "rule pack", "rule link", "own.ninja: rule \"link\" is one of bake-gen's"),
        ("own.ninja", "  command", "\tcommand", "own.ninja:2: tabs are not allowed"),
        ("own.ninja", "  command", "command", "own.ninja:1: rule \"pack\" has no command"),
        ("own.ninja", "rule pack", "rules", "own.ninja:1: expected \"rule NAME\""),
    ] {
        bench.replace(file, right, wrong);
        let ran = generate();
        let stderr = text(&ran.stderr);
        assert!(ran.status.code() == Some(2) && stderr.lines().count() == 1, "{wrong}: {stderr}");
        assert!(stderr.starts_with(&format!("bake-gen: {said}")), "{wrong}: {stderr}");
        bench.replace(file, wrong, right);
        assert_eq!(bench.read("own/build.ninja"), before);
    }
}

/// `cleandb` writes clangd's database, and nothing else: without it, assets are baked all the same.
#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn baking_does_without_cleandb() {
    let bench = Workbench::new("without-cleandb");
    fs::copy(env!("CARGO_BIN_EXE_bake-gen"), bench.path("bake-gen")).expect("the generator");
    let args = ["--build", "build", "--assets", "assets", "--baker", "baker/bake.c"];
    let ran = bench.run("./bake-gen", &[&args[..], &["--programs", "examples"]].concat());
    assert!(ran.status.success());
    assert!(text(&ran.stderr).contains("cleandb is not there: clangd gets no"), "{ran:?}");
    assert!(bench.ninja(&[]).succeeded && bench.exists("build/baked/sprites/spark.rgba"));
    assert!(bench.exists("build/bin/examples/show") && !bench.exists("compile_commands.json"));
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn examples_baker_and_assets_are_one_graph() {
    let bench = Workbench::new("one-graph");
    bench.generate(&[]);
    let ran = bench.ninja(&[]);
    assert!(ran.succeeded && !ran.text.contains("warning:"), "{}", ran.text);
    for output in [
        "bake",
        "baked/sprites/spark.rgba",
        "baked/levels/storm.h",
        "bin/examples/fireworks",
        "bin/examples/show",
        "bin/examples/checks",
    ] {
        assert!(
            ran.built.contains(output) && bench.path("build").join(output).is_file(),
            "{output}: {}",
            ran.text
        );
    }
    let graph = bench.read("build/build.ninja");
    assert!(
        !graph.lines().any(|line| line.starts_with("include ") || line.starts_with("subninja "))
    );
    let played = bench.run("build/bin/examples/fireworks", &[]);
    assert_eq!(text(&played.stdout).lines().last(), Some("refused: 1203"));

    // A change of the baker goes through it to the assets, and no further, as they come out equal.
    bench.append("baker/bake.c", "/* changed */\nstatic const char changed[] = \"changed\";\nconst char *what_changed(void) { return changed; }\n");
    let ran = bench.ninja(&[]);
    let expected: Vec<_> = ["bake", "obj/baker/bake.c.o"]
        .map(String::from)
        .into_iter()
        .chain(bench.files("build/baked").into_keys().map(|name| format!("baked/{name}")))
        .collect();
    ran.built_exactly(&expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn baked_headers_compile_as_c_and_cpp() {
    let bench = Workbench::new("headers");
    bench.generate(&["--platform", "handheld"]);
    let ran = bench.ninja(&["baked"]);
    assert!(ran.succeeded, "{}", ran.text);
    let headers: Vec<_> =
        bench.files("build/baked").into_keys().filter(|it| it.ends_with(".h")).collect();
    assert_eq!(headers.len(), 5);
    let mut program: String =
        headers.iter().map(|header| format!("#include \"{header}\"\n")).collect();
    program += "int main(void) { return drop_pixels[1] == 0 || storm_waves[0][2] != 300 || rocket_width != 5; }\n";
    for (compiler, source) in [("cc", "all.c"), ("c++", "all.cpp")] {
        bench.write(source, &program);
        let args = [
            "-Wall",
            "-Wextra",
            "-Wno-unused-variable",
            "-Wno-unused-const-variable",
            "-Wpedantic",
            "-Werror",
            "-Ibuild/baked",
            "-o",
            "all",
            source,
        ];
        let ran = bench.run(compiler, &args);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        assert!(bench.run("./all", &[]).status.success(), "{source}");
    }
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn nothing_is_built_twice() {
    let bench = Workbench::new("twice");
    bench.build();
    let ran = bench.ninja(&[]);
    ran.built_exactly(&[]);
    assert!(ran.text.contains("no work to do"), "{}", ran.text);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn a_touched_asset_rebuilds_itself_and_its_dependents() {
    let bench = Workbench::new("touched");
    bench.build();
    bench.replace("assets/sprites/spark.spr", "..oyo..", "..ooo..");
    bench.ninja(&[]).built_exactly(&["baked/sprites/spark.rgba"]);
    bench.replace("assets/levels/fireworks.lvl", "wave 90 sparks 1200", "wave 90 sparks 1100");
    bench.ninja(&[]).built_exactly(&[
        "baked/levels/fireworks.h",
        "obj/examples/fireworks.c.o",
        "bin/examples/fireworks",
        "obj/examples/checks/root.cpp.o",
        "bin/examples/checks",
    ]);
    // Equal output: the build stops there.
    bench.append("assets/levels/fireworks.lvl", "; nothing that is baked\n");
    bench.ninja(&[]).built_exactly(&["baked/levels/fireworks.h"]);
    bench.ninja(&[]).built_exactly(&[]);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn a_touched_include_rebuilds_its_users() {
    let bench = Workbench::new("included");
    bench.build();
    bench.replace("assets/levels/pools.inc", "rockets 16", "rockets 20");
    let ran = bench.ninja(&[]);
    assert!(
        ran.built.contains("baked/levels/fireworks.h")
            && ran.built.contains("baked/levels/storm.h"),
        "{}",
        ran.text
    );
    assert!(
        !ran.built
            .iter()
            .any(|output| output.starts_with("baked/sprites")
                || output.starts_with("baked/palettes"))
    );
    bench.replace("assets/palettes/night.pal", "e64646c0", "e64646d0");
    bench.ninja(&[]).built_exactly(&[
        "baked/palettes/night.rgba",
        "baked/sprites/rocket.rgba",
        "baked/sprites/spark.rgba",
    ]);
    // An include that goes is missed by name.
    bench.remove("assets/levels/pools.inc");
    let ran = bench.ninja(&["-k0"]);
    assert!(
        !ran.succeeded && ran.text.contains("storm.lvl:1: no file ../assets/levels/pools.inc"),
        "{}",
        ran.text
    );
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn a_changed_flag_rebuilds_all_of_its_rule_only() {
    let bench = Workbench::new("flag");
    bench.build();
    bench.generate(&["--set", "sprite-rgba_flags=--premultiply"]);
    bench.ninja(&[]).built_exactly(&[
        "baked/sprites/drop.rgba",
        "baked/sprites/rocket.rgba",
        "baked/sprites/spark.rgba",
        "../compile_commands.json",
    ]);
    bench.generate(&["--set", "sprite-rgba_flags=--premultiply", "--set", "cflags=-O1"]);
    let ran = bench.ninja(&[]);
    assert!(
        ran.built.contains("obj/examples/fireworks.c.o")
            && ran.built.contains("obj/baker/bake.c.o"),
        "{}",
        ran.text
    );
    assert!(!ran.built.contains("obj/examples/show.cpp.o"), "{}", ran.text);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn new_and_removed_assets_regenerate_the_graph() {
    let bench = Workbench::new("regenerate");
    bench.build();
    let graph = bench.read("build/build.ninja");
    bench.write("assets/sprites/star.spr", "palette ../palettes/night.pal\nw\n");
    bench.ninja(&[]).built_exactly(&[
        "build.ninja",
        "baked/sprites/star.rgba",
        "../compile_commands.json",
    ]);
    bench.write("assets/sprites/enemies/bat.spr", "palette ../../palettes/night.pal\nr\n");
    let ran = bench.ninja(&[]);
    assert!(ran.succeeded && ran.built.contains("baked/sprites/enemies/bat.rgba"), "{}", ran.text);
    bench.write("examples/hello.c", "int main(void) { return 0; }\n");
    let ran = bench.ninja(&[]);
    assert!(ran.succeeded && bench.exists("build/bin/examples/hello"), "{}", ran.text);

    // What is removed goes, its directory included.
    bench.remove("assets/sprites/star.spr");
    bench.remove("assets/sprites/enemies");
    bench.remove("examples/hello.c");
    let ran = bench.ninja(&[]);
    assert!(ran.succeeded && bench.read("build/build.ninja") == graph, "{}", ran.text);
    assert!(bench.ninja(&["-t", "cleandead"]).succeeded);
    let left = [
        "baked/sprites/star.rgba",
        "baked/sprites/enemies/bat.rgba",
        "bin/examples/hello",
        "obj/examples/hello.c.o",
    ];
    assert_eq!(left.map(|output| bench.path("build").join(output).exists()), [false; 4]);
    assert!(bench.exists("build/baked/sprites/spark.rgba"));
    bench.ninja(&[]).built_exactly(&[]);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn a_saved_file_regenerates_nothing_that_differs() {
    let bench = Workbench::new("saved");
    bench.build();
    // As editors save: another file, renamed.
    let sprite = bench.read("assets/sprites/spark.spr");
    bench.write("assets/sprites/.spark.spr.swp", &sprite);
    bench.write("assets/sprites/spark.spr~", &sprite);
    bench.remove("assets/sprites/.spark.spr.swp");
    bench.ninja(&[]).built_exactly(&["build.ninja"]);
    bench.ninja(&[]).built_exactly(&[]);
}

/// What was built, but for Ninja's own files.
fn products(bench: &Workbench, build: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = bench.files(build);
    files.retain(|name, _| {
        !name.starts_with(".ninja")
            && !name.starts_with("b") | name.contains('/') | (name == "bake")
    });
    files
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn one_job_and_many_give_equal_bytes() {
    let bench = Workbench::new("jobs");
    for (build, jobs) in [("build1", "-j1"), ("build8", "-j8")] {
        bench.generate(&["--build", build]);
        let ran = bench.ninja_in(build, &[jobs]);
        assert!(ran.succeeded, "{}", ran.text);
    }
    let (one, many) = (products(&bench, "build1"), products(&bench, "build8"));
    assert!(one.len() >= 15, "{:?}", one.keys());
    assert!(one == many);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn a_failed_bake_leaves_no_output_and_names_its_file() {
    let bench = Workbench::new("failed");
    bench.build();
    bench.replace("assets/sprites/spark.spr", "boywyob", "boy?yob");
    bench.replace("assets/sprites/drop.spr", "bwb", "bbb");
    let ran = bench.ninja(&["-k0"]);
    assert!(!ran.succeeded);
    assert!(
        ran.text.contains("assets/sprites/spark.spr:6: column 4: the palette lacks this letter"),
        "{}",
        ran.text
    );
    let left = bench.files("build/baked/sprites").into_keys().collect::<Vec<_>>();
    assert_eq!(
        left,
        ["drop.rgba", "rocket.rgba"],
        "neither the old output nor a part of the new one"
    );
    bench.replace("assets/sprites/spark.spr", "boy?yob", "boywyob");
    bench.ninja(&[]).built_exactly(&["baked/sprites/spark.rgba"]);
    // The fault of an included file is its own.
    bench.append("assets/palettes/rain.pal", "x 12345\n");
    let ran = bench.ninja(&["-k0"]);
    assert!(
        ran.text.contains("palettes/rain.pal:5: expected a letter and a colour"),
        "{}",
        ran.text
    );
    assert!(
        !bench.exists("build/baked/sprites/drop.rgba")
            && !bench.exists("build/baked/palettes/rain.rgba")
    );
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn no_command_needs_a_shell() {
    let bench = Workbench::new("no-shell");
    bench.build();
    let with_shell = products(&bench, "build");
    let commands = bench.ninja(&["-t", "commands", "all"]).text;
    for file in with_shell.keys() {
        bench.remove_quietly(&format!("build/{file}"));
    }
    bench.remove_quietly("compile_commands.json");
    let commands: Vec<_> =
        commands.lines().filter(|line| !line.starts_with("ninja: Entering")).collect();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let odd: Vec<_> =
            command.chars().filter(|&c| !(c.is_alphanumeric() || " /._-+=:".contains(c))).collect();
        assert_eq!(odd, [], "what a shell might read in: {command}");
        let mut words = command.split_whitespace();
        let program = words.next().expect("a program");
        let program = if program.starts_with('.') {
            bench.path("build").join(program)
        } else {
            program.into()
        };
        let ran = Command::new(program).args(words).current_dir(bench.path("build")).output();
        assert!(ran.as_ref().is_ok_and(|ran| ran.status.success()), "{command}: {ran:?}");
    }
    let mut without = products(&bench, "build");
    without.retain(|name, _| !name.ends_with(".d"));
    assert!(with_shell == without);
    assert!(bench.exists("compile_commands.json"));
}

/// The Ninja file that the docs show.
fn ninja_file_of_the_docs() -> String {
    let page = page_of_the_docs();
    let (_, rest) = page.split_once("```ninja\n").expect("a Ninja file");
    rest.split_once("```").expect("its end").0.to_owned()
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn the_ten_lines_of_the_docs_work() {
    let bench = Workbench::new("by-hand");
    let file = ninja_file_of_the_docs();
    assert!(file.lines().count() <= 10, "{file}");
    for variable in ["$in", "$out", "$flags"] {
        assert!(file.contains(variable), "{variable}");
    }
    bench.write("build.ninja", &file);
    let ran = bench.ninja_in(".", &[]);
    assert!(ran.succeeded, "{}", ran.text);
    let baked = fs::read(bench.path("spark.rgba")).expect("the sprite");
    assert_eq!(baked.len(), 4 + 4 * 49);
    assert!(bench.ninja_in(".", &[]).text.contains("no work to do"));
    // The palette is known from the depfile, the flags from Ninja's log.
    bench.replace("assets/palettes/night.pal", "ffe08aff", "ffe08a80");
    assert!(bench.ninja_in(".", &[]).succeeded);
    let other = fs::read(bench.path("spark.rgba")).expect("the sprite");
    assert_ne!(baked, other);
    bench.write("build.ninja", &file.replacen("flags =", "flags = --premultiply", 1));
    assert!(bench.ninja_in(".", &[]).succeeded);
    assert_ne!(other, fs::read(bench.path("spark.rgba")).expect("the sprite"));
}

#[test]
fn generator_and_baker_stay_small_and_alone() {
    let lines =
        |file: &str| fs::read_to_string(Path::new(HERE).join(file)).expect(file).lines().count();
    let generator = ["main.rs", "kinds.rs", "run.rs"];
    let generator: usize =
        generator.iter().map(|file| lines(&format!("src/bin/bake-gen/{file}"))).sum();
    assert!(generator <= 537, "{generator}");
    assert!(lines("baker/bake.c") <= 260);
    // Neither needs anything that does not come with its compiler.
    let bench = Workbench::empty("alone");
    let generator = format!("{HERE}/src/bin/bake-gen/main.rs");
    let rustc = option_env!("RUSTC").unwrap_or("rustc");
    let ran = bench.run(rustc, &["--edition", "2024", "-o", "bake-gen", &generator]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let baker = format!("{HERE}/baker/bake.c");
    let ran = bench.run(
        "cc",
        &["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "bake", &baker],
    );
    assert!(ran.status.success(), "{}", text(&ran.stderr));
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn co_developers_need_one_small_executable_beside_the_assets() {
    let made = Workbench::new("kit-maker");
    made.build();
    let kit = Workbench::empty("kit");
    common::copy(&made.path("assets"), &kit.path("assets"));
    fs::copy(made.path("build/bake"), kit.path("bake")).expect("the baker");
    fs::copy(env!("CARGO_BIN_EXE_bake-gen"), kit.path("bake-gen")).expect("the generator");
    let paths = std::env::var_os("PATH").expect("a path");
    let ninja =
        std::env::split_paths(&paths).map(|path| path.join("ninja")).find(|path| path.is_file());
    // An installation by pip is a script that starts the executable.
    let ninja = ninja.expect("ninja");
    fs::copy(&ninja, kit.path("ninja")).expect("ninja");
    assert!(fs::metadata(kit.path("ninja")).expect("a file").len() < 1 << 20);
    // Made here, then used elsewhere: nothing of this machine is in it, and nothing is installed there.
    let ran = kit.run("./bake-gen", &["--build", ".", "--assets", "assets", "--baker", "bake"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let elsewhere = Workbench::empty("kit-elsewhere");
    fs::remove_dir(&elsewhere.root).expect("an empty directory");
    fs::rename(&kit.root, &elsewhere.root).expect("a directory");
    let bake = || {
        let ran = Command::new("./ninja")
            .current_dir(&elsewhere.root)
            .env_clear()
            .output()
            .expect("ninja");
        assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    };
    bake();
    assert!(elsewhere.files("baked") == made.files("build/baked"));
    elsewhere.write("assets/sprites/star.spr", "palette ../palettes/night.pal\nw\n");
    bake();
    assert!(elsewhere.exists("baked/sprites/star.rgba"));
}

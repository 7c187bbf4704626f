//! Times Ninja beside make on one graph: nothing to do, and one asset touched. With `--unity` it times the checks
//! as one unit and as separate ones. Prints the tables of `tools/bake/ninja-and-clangd.md`.
//!
//! ```text
//! cargo run --release -p millpond-bake --bin bake-times
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const ROUNDS: usize = 15;
const PROGRAMS: usize = 42;

type Result<T> = std::result::Result<T, String>;

fn run(directory: &Path, program: &str, args: &[&str]) -> Result<Duration> {
    let start = Instant::now();
    let ran =
        Command::new(program).args(args).current_dir(directory).stdout(Stdio::null()).output();
    let took = start.elapsed();
    let ran = ran.map_err(|error| format!("{program}: not run: {error}"))?;
    match ran.status.success() {
        true => Ok(took),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&ran.stderr))),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let directory = path.parent().expect("a directory");
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The middle one, in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// A project of so many sprites, and of 42 programs in C; the `Makefile` has the same graph, and make none of its built-in rules.
fn project(root: &Path, assets: usize) -> Result<()> {
    write(&root.join("assets/palettes/night.pal"), ". 00000000\nw ffffffff\n")?;
    let mut makefile = String::from("all:\nFLAGS = -std=c99 -O2\n");
    let mut all = String::new();
    for asset in 0..assets {
        write(
            &root.join(format!("assets/sprites/s{asset}.spr")),
            "palette ../palettes/night.pal\n.w.\nwww\n",
        )?;
        write!(
            makefile,
            "by-make/s{asset}.rgba: assets/sprites/s{asset}.spr by-make/bake\n\
             \t./by-make/bake sprite-rgba assets/sprites/s{asset}.spr $@ $@.d\n"
        )
        .expect("memory");
        write!(all, " by-make/s{asset}.rgba").expect("memory");
    }
    for program in 0..PROGRAMS {
        write(
            &root.join(format!("programs/p{program}.c")),
            "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n",
        )?;
        write!(
            makefile,
            "by-make/p{program}.o: programs/p{program}.c\n\
             \tcc $(FLAGS) -MMD -MF $@.d -c $< -o $@\n\
             by-make/p{program}: by-make/p{program}.o\n\tcc -o $@ $<\n"
        )
        .expect("memory");
        write!(all, " by-make/p{program}").expect("memory");
    }
    write!(makefile, "by-make/bake: bake.c\n\tcc $(FLAGS) -o $@ $<\nall:{all}\n.PHONY: all\n-include $(wildcard by-make/*.d)\n")
        .expect("memory");
    write(&root.join("Makefile"), &makefile)?;
    write(&root.join("by-make/.keep"), "")?;
    let baker = Path::new(HERE).join("baker/bake.c");
    fs::copy(&baker, root.join("bake.c"))
        .map_err(|error| format!("{}: {error}", baker.display()))?;
    let generator =
        env::current_exe().map_err(|error| error.to_string())?.with_file_name("bake-gen");
    let args = [
        "--build",
        "by-ninja",
        "--assets",
        "assets",
        "--baker",
        "bake.c",
        "--programs",
        "programs",
    ];
    run(root, &generator.to_string_lossy(), &args).map(|_| ())
}

/// One row: a graph of so many assets. Rounds of the two alternate.
fn row(root: &Path, assets: usize) -> Result<()> {
    project(root, assets)?;
    let ninja = || run(root, "ninja", &["-C", "by-ninja"]);
    let make = || run(root, "make", &["-rs"]);
    ninja()?;
    make()?;
    let [mut ninja_idle, mut make_idle, mut ninja_touched, mut make_touched] =
        [const { Vec::new() }; 4];
    for round in 0..ROUNDS {
        ninja_idle.push(ninja()?);
        make_idle.push(make()?);
        // Later than all outputs, by any clock of a file system.
        thread::sleep(Duration::from_millis(20));
        let row = if round % 2 == 0 { "..." } else { "www" };
        write(
            &root.join("assets/sprites/s7.spr"),
            &format!("palette ../palettes/night.pal\n.w.\n{row}\n"),
        )?;
        thread::sleep(Duration::from_millis(20));
        ninja_touched.push(ninja()?);
        make_touched.push(make()?);
    }
    let [a, b, c, d] = [ninja_idle, make_idle, ninja_touched, make_touched].map(median);
    println!("| {assets} | {a:.0} | {b:.0} | {:.2} | {c:.0} | {d:.0} | {:.2} |", a / b, c / d);
    Ok(())
}

/// The checks compiled as one unit and as separate ones, from nothing and after one file has changed.
fn unity(root: &Path) -> Result<()> {
    let checks = Path::new(HERE).join("examples/checks");
    let mut names: Vec<_> = fs::read_dir(&checks)
        .map_err(|error| format!("{}: {error}", checks.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    names.sort();
    let baked = format!("-I{}", root.join("baked").display());
    let generator =
        env::current_exe().map_err(|error| error.to_string())?.with_file_name("bake-gen");
    let (assets, baker) = (format!("{HERE}/assets"), format!("{HERE}/baker/bake.c"));
    write(&root.join(".keep"), "")?;
    run(
        root,
        &generator.to_string_lossy(),
        &["--build", ".", "--assets", &assets, "--baker", &baker],
    )?;
    run(root, "ninja", &["baked"])?;
    let compile = |name: &str, define: &str| {
        let (source, object) = (checks.join(name).display().to_string(), format!("{name}.o"));
        run(root, "c++", &["-std=c++17", "-O2", define, &baked, "-c", &source, "-o", &object])
    };
    let (mut one, mut all, mut single) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        one.push(compile("root.cpp", "-DUNITY")?);
        let times = names
            .iter()
            .map(|name| compile(name, "-DCHECKS_SEPARATE"))
            .collect::<Result<Vec<_>>>()?;
        all.push(times.iter().sum());
        single.push(times[0]);
    }
    println!(
        "| {} | {:.0} | {:.0} | {:.0} |",
        names.len(),
        median(one),
        median(all),
        median(single)
    );
    Ok(())
}

fn run_all() -> Result<()> {
    let root: PathBuf = env::temp_dir().join(format!("bake-times-{}", std::process::id()));
    println!(
        "| assets | ninja, nothing to do (ms) | make | ratio | ninja, one asset touched (ms) | make | ratio |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let timed = row(&root.join("200"), 200).and_then(|()| row(&root.join("2000"), 2000)).and_then(|()| {
        println!("\n| files | one unit (ms) | all separate, one after the other (ms) | one of them (ms) |");
        println!("| --- | --- | --- | --- |");
        unity(&root.join("unity"))
    });
    let _ = fs::remove_dir_all(&root);
    timed
}

fn main() -> ExitCode {
    match run_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bake-times: {error}");
            ExitCode::from(2)
        }
    }
}

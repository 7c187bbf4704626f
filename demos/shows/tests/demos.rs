//! Every demo in its short form: it finds what it shows to be true, and writes what it says.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn run(demo: &str, arguments: &[&str]) -> Output {
    Command::new(demo).args(arguments).output().expect("the demo starts")
}

/// Runs a demo, and returns where its files are.
fn play(name: &str, demo: &str) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&output);
    let ran = run(demo, &["--short", "--output", output.to_str().expect("a path in UTF-8")]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said = String::from_utf8(ran.stdout).expect("text");
    for file in fs::read_dir(&output).expect("it has made the directory") {
        let path = file.expect("a file").path();
        assert!(said.contains(&format!("wrote {}", path.display())), "{said}");
    }
    output
}

/// How many frames a picture has. All of them are read, and none is empty.
fn frames(path: &Path) -> u32 {
    let file = BufReader::new(File::open(path).expect("the picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
    let frames = reader.info().animation_control.map_or(1, |animation| animation.num_frames);
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    for _ in 0..frames {
        reader.next_frame(&mut pixels).expect("a frame");
        assert!(pixels.iter().any(|&byte| byte != pixels[0]), "{} is not empty", path.display());
    }
    frames
}

#[test]
fn fireworks() {
    let output = play("fireworks", env!("CARGO_BIN_EXE_fireworks"));
    assert_eq!(frames(&output.join("fireworks.png")), 1);
    assert_eq!(frames(&output.join("fireworks-full.png")), 1);
    assert!(frames(&output.join("fireworks-animated.png")) > 2);
}

#[test]
fn quadtree() {
    let output = play("quadtree", env!("CARGO_BIN_EXE_quadtree"));
    assert_eq!(frames(&output.join("quadtree.png")), 1);
    assert!(frames(&output.join("quadtree-animated.png")) > 2);
}

#[test]
fn jobs() {
    let output = play("jobs", env!("CARGO_BIN_EXE_jobs"));
    assert_eq!(frames(&output.join("jobs.png")), 1);
}

#[test]
fn voices() {
    let output = play("voices", env!("CARGO_BIN_EXE_voices"));
    assert_eq!(frames(&output.join("voices.png")), 1);
    let samples = ["voices-refuse.wav", "voices-evict.wav"].map(|name| {
        let reader = hound::WavReader::open(output.join(name)).expect("a WAV file");
        reader.into_samples::<i16>().collect::<Result<Vec<_>, _>>().expect("samples")
    });
    assert_eq!(samples[0].len(), samples[1].len());
    assert_ne!(samples[0], samples[1]);
}

#[test]
fn city() {
    let output = play("city", env!("CARGO_BIN_EXE_city"));
    assert_eq!(frames(&output.join("city.png")), 1);
    assert!(frames(&output.join("city-animated.png")) > 2);
    assert!(output.join("city.save").is_file());
}

#[test]
fn a_place_that_cannot_be_written_to_is_one_line_and_exit_code_2() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a-file");
    fs::write(&file, "").expect("a file");
    let output = file.join("inside");
    let ran = run(env!("CARGO_BIN_EXE_voices"), &["--output", output.to_str().expect("UTF-8")]);
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8(ran.stderr).expect("text");
    assert!(said.starts_with("voices: ") && said.contains("a-file"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_reader_that_has_closed_the_pipe_has_seen_enough() {
    for (name, demo) in [
        ("city", env!("CARGO_BIN_EXE_city")),
        ("fireworks", env!("CARGO_BIN_EXE_fireworks")),
        ("jobs", env!("CARGO_BIN_EXE_jobs")),
        ("quadtree", env!("CARGO_BIN_EXE_quadtree")),
        ("voices", env!("CARGO_BIN_EXE_voices")),
    ] {
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("closed-{name}"));
        let mut command = Command::new(demo);
        command.arg("--short").arg("--output").arg(&output);
        let mut running =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the demo starts");
        drop(running.stdout.take());
        let ran = running.wait_with_output().expect("it ends");
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

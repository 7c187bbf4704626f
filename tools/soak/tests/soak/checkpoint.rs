//! `millpond soak --checkpoint` as a user calls it: pieces that go on from each other, and files that are none.

use std::fs;
use std::process::Output;

use crate::millpond;
use millpond_testkit::Directory;
use serde_json::Value;

fn piece(directory: &Directory, more: &[&str]) -> Output {
    let arguments = ["--checkpoint", "soak.json", "--capacity", "100", "--steps", "2000", "--json"];
    millpond(directory).args(arguments).args(more).output().unwrap()
}

#[test]
fn pieces_add_up() {
    let directory = Directory::new();
    let mut operations = 0;
    for pieces in 1..=3_u64 {
        let output = piece(&directory, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        operations += summary["operations"].as_u64().unwrap();
        let so_far = &summary["so_far"];
        assert_eq!((&so_far["pieces"], &so_far["violations"]), (&pieces.into(), &0.into()));
        assert_eq!(so_far["operations"], operations);
        assert_eq!(directory.names(), ["soak.json"], "nothing else is left behind");
    }
    let text = millpond(&directory)
        .args(["--checkpoint", "soak.json", "--capacity", "100", "--steps", "1"])
        .output()
        .unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("\nIn all 4 pieces: "), "{text}");
}

/// Each in one line, with exit code 2, and the file as it was.
#[test]
fn what_is_no_checkpoint_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    assert_eq!(piece(&directory, &[]).status.code(), Some(0));
    let path = directory.path().join("soak.json");
    let sound = fs::read_to_string(&path).unwrap();
    let with = |from: &str, to: &str| {
        assert!(sound.contains(from), "{from}");
        sound.replacen(from, to, 1).into_bytes()
    };
    let huge_list = format!("{}{}", &sound[..40], "[".repeat(1 << 20)).into_bytes();
    for (content, says) in [
        (b"".to_vec(), "is not a checkpoint of a soak: EOF"),
        (b"\0\xff\x1b[31m".to_vec(), "is not a checkpoint of a soak: expected value at line 1"),
        (b"{}".to_vec(), "missing field `millpond_soak_checkpoint`"),
        (sound.as_bytes()[..sound.len() / 2].to_vec(), "is not a checkpoint of a soak: EOF"),
        (huge_list, "is not a checkpoint of a soak: "),
        (
            with("\"millpond_soak_checkpoint\":1", "\"millpond_soak_checkpoint\":2"),
            "is of format 2",
        ),
        (with("\"seed\":1", "\"seed\":7"), "was begun with --seed 7 --capacity 100"),
        (with("\"capacity\":100", "\"capacity\":0"), "has a capacity of 0"),
        (with("\"seconds\":", "\"seconds\":-"), "no usable time for piece 1"),
        (with("\"seconds\":", "\"seconds\":1e999"), "is not a checkpoint of a soak: "),
        (with("\"Pool, Lifo\":{", "\"Pool, Lifo\":{\"more\":0,"), "unknown field `more`"),
        (with("\"slots\":[", "\"slots\":[5,"), "101 slots, expected 100"),
        (with("\"slots\":[", "\"slots\":[-1,"), "is not a checkpoint of a soak: "),
    ] {
        fs::write(&path, &content).unwrap();
        let output = piece(&directory, &[]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{says}: {told}");
        assert!(told.contains(says) && told.lines().count() == 1, "{says}: {told}");
        assert!(told.starts_with("millpond: soak.json: ") && !told.contains('\x1b'), "{told}");
        assert!(output.stdout.is_empty());
        assert_eq!(directory.names(), ["soak.json"]);
        // Only a state that no pool can have is found after the file was written anew.
        assert_eq!(fs::read(&path).unwrap().len(), content.len(), "{says}");
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let directory = Directory::new();
    let refused = |says: &str| {
        let output = piece(&directory, &[]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains(says), "{told}");
    };
    let path = directory.path().join("soak.json");
    fs::create_dir(&path).unwrap();
    refused("soak.json: is a directory");
    fs::remove_dir(&path).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nothing.json", &path).unwrap();
        refused("soak.json: is a link to nothing");
        fs::write(directory.path().join("nothing.json"), "{}").unwrap();
        refused("soak.json: is not a checkpoint of a soak");
        fs::remove_file(directory.path().join("nothing.json")).unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        refused("soak.json: is not a regular file");
        fs::remove_file(&path).unwrap();
    }
    #[cfg(target_os = "linux")]
    {
        millpond_testkit::fifo(&path);
        refused("soak.json: is not a regular file");
    }
    let output = millpond(&directory)
        .args(["--checkpoint", "nowhere/soak.json", "--steps", "1"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("nowhere/soak.json: its directory does not exist"), "{told}");
}

/// The link stays, and its file has the state.
#[cfg(unix)]
#[test]
fn a_link_to_a_checkpoint_is_followed() {
    let directory = Directory::new();
    assert_eq!(piece(&directory, &[]).status.code(), Some(0));
    let (link, file) = (directory.path().join("soak.json"), directory.path().join("real.json"));
    fs::rename(&link, &file).unwrap();
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    assert_eq!(piece(&directory, &[]).status.code(), Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().matches("\"seconds\"").count() == 2);
    assert_eq!(directory.names(), ["real.json", "soak.json"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_piece_counts() {
    use millpond_testkit::in_pipes;
    use millpond_testkit::interruption::{Signal, interrupt, wait_until_it_works};

    let directory = Directory::new();
    let mut command = millpond(&directory);
    command.args(["--checkpoint", "soak.json", "--capacity", "100", "--for", "1h"]);
    let child = in_pipes(command);
    wait_until_it_works(&child);
    let output = interrupt(child, Signal::TERM);
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("In all 1 pieces: "), "{summary}");
    let next: Value = serde_json::from_slice(&piece(&directory, &[]).stdout).unwrap();
    assert_eq!(next["so_far"]["pieces"], 2);
}

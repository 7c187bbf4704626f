//! `millpond replay --heap` and `millpond generate --game` as a user calls them.

use std::path::Path;

use crate::common::{Directory, TRACES, done, millpond, millpond_reading, refused};

/// "14 bytes free as 7 and 7, a request for 12 refused": in the model's units, 48 and 48 bytes are free, and 80 are
/// requested, so the heap must grow.
#[test]
fn free_memory_in_two_pieces_serves_no_request_that_is_larger_than_either() {
    let directory = Directory::new();
    let trace = "tick,event,id,class,size\n1,alloc,0,a,40\n1,alloc,1,b,24\n1,alloc,2,a,40\n1,alloc,3,b,24\n\
                 2,free,0,a,\n2,free,2,a,\n3,alloc,4,large,72\n";
    let output =
        millpond_reading(&directory, &["replay", "--heap", "heap.svg", "-"], trace.as_bytes());
    let told = done(&output);
    assert!(told.contains("5 objects"), "{told}");
    // Two blocks of 48 and two of 32; then 80 more, though 96 are free.
    let end =
        "heap at the end: 240 B, of which 96 B are free, 50 % of that in the largest hole (48 B)";
    assert!(told.contains(end), "{told}");
    assert!(told.contains("no hole is larger than 48 B"), "{told}");
    // 2 slots of 40 bytes, 2 of 24, 1 of 80.
    assert!(told.contains("pools: 208 B"), "{told}");
    let svg = std::fs::read_to_string(directory.path().join("heap.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("its largest hole"));
}

/// "A program that runs for days dies of it": the heap of a game that runs for hours grows beyond what is ever in use at
/// once, in holes that are too small for large requests.
#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn a_game_that_runs_for_long_leaves_holes() {
    let directory = Directory::new();
    let arguments = ["generate", "--game", "--days", "0.1"];
    let game = done(&millpond(&directory).args(arguments).output().unwrap());
    let replayed = || {
        let arguments = ["replay", "--heap", "x.svg", "-"];
        done(&millpond_reading(&directory, &arguments, game.as_bytes()))
    };
    let told = replayed();
    let share = told.split(" % of that in the largest hole").next().unwrap();
    let share: u32 = share.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(share < 60, "most of the free memory is in small holes: {told}");
    // The trace is the same each time, and so are its figures and its picture.
    let picture = std::fs::read(directory.path().join("x.svg")).unwrap();
    assert_eq!(replayed(), told);
    assert_eq!(std::fs::read(directory.path().join("x.svg")).unwrap(), picture);
}

/// The guide's picture of this name is the one that was drawn, and each of these sentences is on its page.
fn agrees_with_the_guide(directory: &Directory, picture: &str, sentences: &[String]) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let drawn = std::fs::read(directory.path().join(picture)).unwrap();
    assert!(drawn == std::fs::read(docs.join("pictures").join(picture)).unwrap(), "{picture}");
    let page = std::fs::read_to_string(docs.join("guide/fragmentation.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in sentences {
        assert!(page.contains(sentence), "the guide does not say: {sentence}");
    }
}

/// What stands between these in the figures.
fn between<'a>(told: &'a str, before: &str, after: &str) -> &'a str {
    told.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap()
}

#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn the_guides_figures_and_picture_of_openttd_are_those_of_the_tool() {
    let directory = Directory::new();
    let trace = format!("{TRACES}/openttd-600ticks.heaptrack.zst");
    let arguments = ["replay", "--heap", "heap-openttd.svg", &trace];
    let told = done(&millpond(&directory).args(arguments).output().unwrap());
    let heap = between(&told, "heap at the end: ", " MiB, of which");
    let free = between(&told, "heap at its worst (0.8 s): ", " MiB free");
    let hole = between(&told, "but no hole is larger than ", "\n");
    let pools = between(&told, "pools: ", " all the time");
    let worst =
        format!("{free} of its heap's {heap} MiB are free, and the largest hole has {hole}.");
    let size = format!("A pool for each size would need {pools},");
    agrees_with_the_guide(&directory, "heap-openttd.svg", &[worst, size]);
}

#[test]
#[ignore = "a minute unless `MILLPOND_PROGRAM` is an optimised tool"]
fn the_guides_figures_and_picture_of_three_days_are_those_of_the_tool() {
    let directory = Directory::new();
    let game = millpond(&directory).args(["generate", "--game", "--days", "3"]).output().unwrap();
    let arguments = ["replay", "--heap", "heap-over-days.svg", "-"];
    let told = done(&millpond_reading(&directory, &arguments, &game.stdout));
    let objects = between(&told, "-: ", " objects");
    let (live, heap) =
        (between(&told, "at most ", " live"), between(&told, "heap at the end: ", ", of which"));
    let worst = told.split("heap at its worst").nth(1).unwrap();
    let (free, hole) =
        (between(worst, "): ", " free"), between(worst, "but no hole is larger than ", "\n"));
    let pools = between(&told, "pools: ", " all the time");
    agrees_with_the_guide(
        &directory,
        "heap-over-days.svg",
        &[
            format!("These are three days with {objects} objects."),
            format!("At most {live} were in use at once, but the heap grew to {heap},"),
            format!("{free} of it were free, and the largest hole was {hole}:"),
            format!("The pools occupy {pools} from the first tick to the last."),
        ],
    );
}

#[test]
fn what_cannot_be_drawn_is_told_in_one_line() {
    let directory = Directory::new();
    let trace = format!("{TRACES}/freedoom2-map15-solo.csv.gz");
    directory.file("notes.svg", "<svg>mine</svg>");
    for (arguments, says) in [
        (&["replay", "--heap", "notes.svg", &trace][..], "notes.svg: exists and is not a picture"),
        (&["replay", "--heap", "x.svg", &trace, &trace], "expected one trace"),
        (&["replay", "--heap", "x.svg", "--walk", &trace], "cannot be used with"),
        (&["replay", "--heap", "no/x.svg", &trace], "x.svg"),
        (&["replay", "--heap", "x.svg", "nowhere.csv"], "nowhere.csv: no such file"),
        (&["generate", "--days", "3"], "--game"),
        (&["generate", "--game", "--days", "0"], "expected a number from 0.001 to 365"),
    ] {
        let told = refused(&millpond(&directory).args(arguments).output().unwrap());
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
    assert_eq!(
        std::fs::read_to_string(directory.path().join("notes.svg")).unwrap(),
        "<svg>mine</svg>"
    );
    assert_eq!(directory.names(), ["notes.svg"]);
}

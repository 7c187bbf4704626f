//! Who is near whom: a quadtree of all actors, torn down and rebuilt in every frame (`tree.rs`), and one that lasts and
//! is updated in place (`in_place.rs`), each asked once for every actor, and checked against brute force. After the
//! first frame they take no memory.
//!
//! Run it on a crowd that walks about: `cargo run --release -p millpond-classic --example quadtree`
//!
//! or on the recorded frames of a game, with a line `tick,id,class,x,y` for each actor and frame:
//!
//! ```text
//! zcat traces/freedoom2-map15-frames.csv.gz > frames.csv
//! cargo run --release -p millpond-classic --example quadtree frames.csv
//! ```

mod in_place;
mod square;
mod tree;

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use in_place::{Actor, LastingTree};
use millpond::Handle;
use square::{Point, are_near};
use tree::Quadtree;

const DISTANCE: i32 = 256;
const TIMBER_NODES: usize = 2048;
const DEPTH_MAX: u32 = 12;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quadtree: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let frames = match std::env::args_os().nth(1).map(PathBuf::from) {
        Some(path) => {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            frames_of(&text).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => walking_crowd(),
    };
    let mut tree = Quadtree::with_timber(TIMBER_NODES);
    let actors_max = frames.iter().map(Vec::len).max().unwrap_or(0);
    let mut lasting = LastingTree::new(TIMBER_NODES, actors_max, DEPTH_MAX)?;
    let mut handles = HashMap::new();
    let mut near = 0;
    for (number, actors) in frames.iter().enumerate() {
        let places: Vec<Point> = actors.iter().map(|(_, at)| *at).collect();
        tree.rebuild(&places);
        update(&mut lasting, &mut handles, actors)?;
        for &at in &places {
            let counted = (tree.count_near(at, DISTANCE), lasting.count_near(at, DISTANCE));
            let expected = places.iter().filter(|other| are_near(**other, at, DISTANCE)).count();
            if counted != (expected, expected) {
                return Err(format!(
                    "frame {number}: {counted:?} actors near {at:?}, by brute force {expected}"
                )
                .into());
            }
            near += expected - 1;
        }
    }
    let stats = tree.stats();
    println!("{} frames, {near} times an actor near another: brute force agrees", frames.len());
    println!(
        "{} nodes built and torn down, {} at once at most, from {} piece(s) of memory",
        stats.inserted,
        stats.peak,
        tree.chunks(),
    );
    let deepest = handles.values().map(|&actor| lasting.leaf_of(actor).1).max().unwrap_or(0);
    println!("the tree that lasts: {} nodes after the last frame, {deepest} deep", lasting.nodes());
    Ok(())
}

/// Brings the tree that lasts up to this frame.
fn update(
    tree: &mut LastingTree,
    handles: &mut HashMap<u64, Handle<Actor>>,
    actors: &[(u64, Point)],
) -> Result<(), Box<dyn Error>> {
    let lives: HashMap<u64, Point> = actors.iter().copied().collect();
    handles.retain(|id, actor| {
        let lives = lives.contains_key(id);
        if !lives {
            tree.remove(*actor);
        }
        lives
    });
    for &(id, at) in actors {
        match handles.get(&id) {
            Some(&actor) => tree.move_to(actor, at)?,
            None => drop(handles.insert(id, tree.insert(at)?)),
        }
    }
    Ok(())
}

/// 400 actors that start in a heap and walk, each its own way, for 200 frames.
fn walking_crowd() -> Vec<Vec<(u64, Point)>> {
    let actors: Vec<(Point, Point)> = (0..400)
        .map(|i| ((i * 37 % 500, i * 91 % 500), (i * 7919 % 41 - 20, i * 6007 % 41 - 20)))
        .collect();
    let at = |frame: i32| {
        let place = move |(start, step): &(Point, Point)| {
            (start.0 + frame * step.0, start.1 + frame * step.1)
        };
        (0..).zip(actors.iter().map(place))
    };
    (0..200).map(|frame| at(frame).collect()).collect()
}

/// The frames of lines `tick,id,class,x,y`, in which ticks do not fall.
fn frames_of(text: &str) -> Result<Vec<Vec<(u64, Point)>>, String> {
    let mut frames: Vec<Vec<(u64, Point)>> = Vec::new();
    let mut tick_before = None;
    for (line, number) in text.lines().zip(1..).skip(1) {
        let bad = |what: &str| format!("line {number}: {what}: {line:?}");
        let fields: Vec<&str> = line.split(',').collect();
        let [tick, id, _, x, y] = fields[..] else {
            return Err(bad("expected tick,id,class,x,y"));
        };
        let tick: u64 = tick.parse().map_err(|_| bad("the tick is not a number"))?;
        let id: u64 = id.parse().map_err(|_| bad("the id is not a number"))?;
        let coordinate = |text: &str| match text.parse::<f64>() {
            Ok(value) if value.abs() < 32_768.0 => Ok(value as i32),
            _ => Err(bad("a coordinate is not a number between -32768 and 32768")),
        };
        if tick_before.replace(tick) != Some(tick) {
            frames.push(Vec::new());
        }
        if let Some(frame) = frames.last_mut() {
            frame.push((id, (coordinate(x)?, coordinate(y)?)));
        }
    }
    Ok(frames)
}

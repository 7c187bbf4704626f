//! Who touches whom in a real game: all actors of ten seconds of Freedoom 2 MAP15, in a quadtree that is
//! torn down and rebuilt in every frame, from nodes of a pool. No frame takes memory, and what the tree
//! finds is what brute force finds.
//!
//! Run it: `cargo run --release -p millpond-demos --bin quadtree`
//!
//! It writes `quadtree.png` (the frame in which most actors touch, with the tree over them) and
//! `quadtree-animated.png` (all frames; open it in a browser).

mod game;
mod tree;

use std::process::ExitCode;

use game::{Actor, Kind};
use millpond_demos::{
    Animation, Color, Counting, FAINT, Failure, INK, Picture, RGBColor, Stage, allocations, check,
    play, thousands,
};
use tree::Tree;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const NODES_MAX: usize = 1024;
const PAIRS_MAX: usize = 8192;

const TREE: RGBColor = RGBColor(84, 214, 196);
const TOUCHING: RGBColor = RGBColor(255, 240, 130);

fn main() -> ExitCode {
    play("quadtree", demo)
}

fn demo(stage: &Stage) -> Result<(), Failure> {
    let mut frames = game::frames()?;
    if stage.is_short {
        frames.truncate(25);
    }
    let actors_max = frames.iter().map(Vec::len).max().unwrap_or(0);
    let mut tree = Tree::new(NODES_MAX, actors_max);
    let mut touching = Vec::with_capacity(PAIRS_MAX);
    let (mut tests, mut tests_by_force, mut found, mut most) = (0, 0, 0, (0, 0));
    for (number, actors) in frames.iter().enumerate() {
        let root_before = tree.root();
        let before = allocations();
        tree.rebuild(actors).map_err(|full| Failure::Impossible(full.to_string()))?;
        tests += tree.touching(actors, &mut touching);
        touching.sort_unstable();
        let taken = allocations() - before;

        check(taken == 0, format!("frame {number} takes no memory, not {taken} times"))?;
        let is_stale = root_before.is_none_or(|root| tree.node(root).is_none());
        check(is_stale, "a handle of the last frame's root is refused in this frame's tree")?;
        check(touching == by_force(actors), format!("brute force agrees in frame {number}"))?;
        tests_by_force += actors.len() * (actors.len() - 1) / 2;
        found += touching.len();
        most = most.max((touching.len(), number));
    }
    let stats = tree.stats();
    millpond_demos::say!(
        "{} frames of up to {actors_max} actors: {found} times two of them touch, as brute force says",
        frames.len()
    );
    millpond_demos::say!("pairs looked at: {tests} with the tree, {tests_by_force} by brute force");
    millpond_demos::say!(
        "{} nodes built, {} at once at most; allocations: 0",
        stats.inserted,
        stats.peak
    );

    let mut animation = Animation::new(Picture::new(WIDTH, HEIGHT).size(), 14);
    for number in 0..frames.len() {
        let (is_still, is_animated) = (number == most.1, number % 5 == 0);
        if is_still || is_animated {
            tree.rebuild(&frames[number]).map_err(|full| Failure::Impossible(full.to_string()))?;
            let tests = tree.touching(&frames[number], &mut touching);
            let picture = draw(&tree, &frames[..=number], &touching, tests);
            if is_animated {
                animation.push(&picture);
            }
            if is_still {
                picture.save(stage, "quadtree.png")?;
            }
        }
    }
    animation.save(stage, "quadtree-animated.png")
}

/// All pairs that touch, by looking at all pairs.
fn by_force(actors: &[Actor]) -> Vec<(u16, u16)> {
    let mut pairs = Vec::new();
    for (a, first) in (0..).zip(actors) {
        for (b, second) in (a + 1..).zip(&actors[usize::from(a) + 1..]) {
            if first.touches(second) {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

const WIDTH: usize = 1000;
const HEIGHT: usize = 726;
/// Where the map is in the picture.
const MAP_AT: [f32; 2] = [10.0, 36.0];
const MAP_SIZE: [f32; 2] = [980.0, 650.0];
/// The map's left and upper edge, and how many of its units make a pixel.
const MAP_CORNER: [f32; 2] = [-3240.0, 2290.0];
const UNITS: f32 = 6.15;

fn on_map(at: [f32; 2]) -> [f32; 2] {
    let x = MAP_AT[0] + (at[0] - MAP_CORNER[0]) / UNITS;
    let y = MAP_AT[1] + (MAP_CORNER[1] - at[1]) / UNITS;
    [x.clamp(MAP_AT[0], MAP_AT[0] + MAP_SIZE[0]), y.clamp(MAP_AT[1], MAP_AT[1] + MAP_SIZE[1])]
}

/// The last of these frames.
fn draw(tree: &Tree, frames: &[Vec<Actor>], touching: &[(u16, u16)], tests: usize) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT);
    let actors = &frames[frames.len() - 1];
    let title = format!(
        "Freedoom 2 MAP15: {} actors in a tree of {} nodes, rebuilt in every frame from one pool",
        actors.len(),
        tree.stats().live,
    );
    picture.text([10.0, 26.0], 18.0, INK, &title);
    picture.text_right([990.0, 26.0], 15.0, FAINT, "red lines: where monsters went for 3 seconds");
    picture.rectangle(MAP_AT, MAP_SIZE, RGBColor(17, 23, 41));
    for node in tree.nodes() {
        let [left, top] = on_map([node.center[0] - node.half, node.center[1] + node.half]);
        let [right, bottom] = on_map([node.center[0] + node.half, node.center[1] - node.half]);
        picture.rectangle([left, top], [right - left, bottom - top], TREE.mix(0.025));
        let alpha = 0.10 + 0.04 * f64::from(node.depth);
        picture.frame([left, top], [right - left, bottom - top], 1.0, TREE.mix(alpha));
    }
    for actor in actors.iter().filter(|actor| actor.kind == Kind::Monster) {
        let way: Vec<[f32; 2]> = frames[frames.len().saturating_sub(105)..]
            .iter()
            .filter_map(|frame| frame.iter().find(|then| then.id == actor.id))
            .map(|then| on_map(then.at))
            .collect();
        picture.line(&way, 1.0, actor.kind.color().mix(0.55));
    }
    let places = |(a, b): (u16, u16)| [a, b].map(|index| on_map(actors[usize::from(index)].at));
    for [a, b] in touching.iter().copied().map(places) {
        let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
        picture.disc(middle, 9.0, TOUCHING.mix(0.2));
    }
    for actor in actors {
        picture.disc(on_map(actor.at), (actor.radius / UNITS).max(2.0), actor.kind.color());
    }
    for pair in touching.iter().copied().map(places) {
        picture.line(&pair, 1.0, TOUCHING);
    }
    for player in actors.iter().filter(|actor| actor.kind == Kind::Player) {
        picture.disc(on_map(player.at), 9.0, player.kind.color().mix(0.35));
        picture.disc(on_map(player.at), 4.0, player.kind.color());
    }
    let mut x = 16.0;
    for kind in Kind::ALL {
        picture.disc([x, 707.0], 4.0, kind.color());
        picture.text([x + 9.0, 714.0], 15.0, INK, kind.name());
        x += 32.0 + 7.0 * kind.name().len() as f32;
    }
    picture.disc([x, 707.0], 6.0, TOUCHING.mix(0.5));
    picture.text([x + 10.0, 714.0], 15.0, INK, "touching");
    let counts = format!(
        "{} pairs touch, {} looked at instead of {}, 0 allocations",
        touching.len(),
        thousands(tests),
        thousands(actors.len() * (actors.len() - 1) / 2),
    );
    picture.text_right([990.0, 714.0], 15.0, FAINT, &counts);
    picture
}

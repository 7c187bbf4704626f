//! The recorded game: where each actor is in each frame.

use std::io::Read;

use flate2::read::GzDecoder;
use millpond_demos::{Failure, RGBColor};

/// Lines `tick,id,class,x,y`; ticks do not fall.
const RECORDING: &[u8] = include_bytes!("../../../../../traces/freedoom2-map15-frames.csv.gz");

/// Half the width of the largest actor.
pub(crate) const RADIUS_MAX: f32 = 32.0;

/// What an actor is to the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Player,
    Monster,
    Item,
    Scenery,
    Effect,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Player, Self::Monster, Self::Item, Self::Scenery, Self::Effect];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Monster => "monster",
            Self::Item => "item",
            Self::Scenery => "scenery",
            Self::Effect => "smoke and blood",
        }
    }

    pub(crate) fn color(self) -> RGBColor {
        match self {
            Self::Player => RGBColor(120, 255, 120),
            Self::Monster => RGBColor(255, 96, 84),
            Self::Item => RGBColor(96, 160, 255),
            Self::Scenery => RGBColor(120, 130, 156),
            Self::Effect => RGBColor(255, 200, 120),
        }
    }
}

/// An actor in one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    /// In units of the map.
    pub(crate) at: [f32; 2],
    /// Half the width of its square.
    pub(crate) radius: f32,
}

impl Actor {
    /// Whether the squares of two actors have a place in common, as the game's rules have it.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (self.at[0] - other.at[0]).abs() < reach && (self.at[1] - other.at[1]).abs() < reach
    }
}

/// All frames.
pub(crate) fn frames() -> Result<Vec<Vec<Actor>>, Failure> {
    let mut text = String::new();
    GzDecoder::new(RECORDING).read_to_string(&mut text)?;
    let mut frames: Vec<Vec<Actor>> = Vec::new();
    let mut tick_before = "";
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [tick, id, class, x, y] = fields[..] else {
            return Err(Failure::Impossible(format!("the recording has a line {line:?}")));
        };
        if tick != tick_before {
            frames.push(Vec::new());
            tick_before = tick;
        }
        let (kind, radius) = kind_of(class);
        let actor = Actor { id: id.parse()?, kind, at: [x.parse()?, y.parse()?], radius };
        frames.last_mut().expect("the first tick begins a frame").push(actor);
    }
    Ok(frames)
}

/// What the game's rules say of a class.
fn kind_of(class: &str) -> (Kind, f32) {
    match class {
        "DoomPlayer" => (Kind::Player, 16.0),
        "LostSoul" => (Kind::Monster, 16.0),
        "ShotgunGuy" | "ChaingunGuy" | "Zombieman" | "DoomImp" | "Revenant" | "Archvile" => {
            (Kind::Monster, 20.0)
        }
        "HellKnight" => (Kind::Monster, 24.0),
        "Demon" | "Spectre" => (Kind::Monster, 30.0),
        "Cacodemon" => (Kind::Monster, 31.0),
        "BigTree" => (Kind::Scenery, RADIUS_MAX),
        "TorchTree" | "Stalagtite" | "Column" | "SmallBloodPool" => (Kind::Scenery, 16.0),
        "DeadMarine" | "GibbedMarine" | "GibbedMarineExtra" | "DeadZombieMan" | "DeadZombieman" => {
            (Kind::Scenery, 20.0)
        }
        "BulletPuff" | "Blood" | "TeleportFog" => (Kind::Effect, 20.0),
        _ => (Kind::Item, 20.0),
    }
}

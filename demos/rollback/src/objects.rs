//! What is in the pools.

use millpond::{Handle, Pool, checksum_fields};

/// The field is a square of so many units.
pub(crate) const FIELD: i32 = 1 << 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ship {
    pub(crate) position: [i32; 2],
    pub(crate) heading: i32,
    pub(crate) hits: u32,
    /// The rock that was hit last: stale once that is gone.
    pub(crate) aim: Option<Handle<Rock>>,
}
checksum_fields!(Ship { position, heading, hits, aim });

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bullet {
    pub(crate) position: [i32; 2],
    pub(crate) speed: [i32; 2],
    pub(crate) frames_left: u16,
    pub(crate) owner: Handle<Ship>,
}
checksum_fields!(Bullet { position, speed, frames_left, owner });

impl Bullet {
    /// One frame on. Returns the rock that it hits.
    pub(crate) fn fly(&mut self, rocks: &Pool<Rock>) -> Option<Handle<Rock>> {
        for (position, speed) in self.position.iter_mut().zip(self.speed) {
            *position = (*position + speed).rem_euclid(FIELD);
        }
        self.frames_left -= 1;
        let at = self.position;
        let near = |rock: &Rock| {
            (rock.position[0] - at[0]).abs() < 600 && (rock.position[1] - at[1]).abs() < 600
        };
        // Every other bullet looks each frame: there are many.
        let looks = self.frames_left & 1 == 0;
        rocks.iter().filter(|_| looks).find(|(_, rock)| near(rock)).map(|(rock, _)| rock)
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.frames_left == 0
    }

    /// What a bullet that has hit a rock leaves, unless it is an old one.
    pub(crate) fn fragments(&self) -> impl Iterator<Item = Self> + use<> {
        let Self { position, speed: [x, y], frames_left, owner } = *self;
        let speeds = [[-y, x], [y, -x], [-x, -y]];
        let speeds = speeds.into_iter().filter(move |_| frames_left > 40);
        // The first frames lead out of the rock.
        speeds.map(move |speed| Self { position, speed, frames_left: 31, owner })
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rock {
    pub(crate) position: [i32; 2],
    pub(crate) strength: i32,
}
checksum_fields!(Rock { position, strength });

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spark {
    pub(crate) position: [i32; 2],
    pub(crate) frames_left: u16,
}
checksum_fields!(Spark { position, frames_left });

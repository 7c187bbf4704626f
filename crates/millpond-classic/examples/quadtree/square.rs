//! The squares of the map, and the rules that both trees split them by.

/// Where an actor is, in units of the map.
pub(crate) type Point = (i32, i32);

/// A leaf with more actors than this is split.
pub(crate) const LEAF_ACTORS_MAX: usize = 6;

#[derive(Clone, Copy)]
pub(crate) struct Square {
    center: Point,
    half: i32,
}

impl Square {
    /// The whole map: what 16 bits can say.
    pub(crate) const WHOLE: Self = Self { center: (0, 0), half: 1 << 15 };

    pub(crate) fn quarter_of(self, at: Point) -> usize {
        usize::from(at.0 >= self.center.0) + 2 * usize::from(at.1 >= self.center.1)
    }

    pub(crate) fn quarter(self, quarter: usize) -> Self {
        let half = self.half / 2;
        let step = |up: bool| if up { half } else { -half };
        let (x, y) = self.center;
        Self { center: (x + step(quarter & 1 == 1), y + step(quarter & 2 == 2)), half }
    }

    /// Whether any of it can be within this distance of a point.
    pub(crate) fn is_near(self, at: Point, distance: i32) -> bool {
        let reach = self.half + distance;
        (at.0 - self.center.0).abs() <= reach && (at.1 - self.center.1).abs() <= reach
    }

    /// Whether a point is in it: its left and lower edges are, the others are its neighbours'.
    #[inline]
    pub(crate) fn contains(self, at: Point) -> bool {
        let is_within = |at: i32, center: i32| (-self.half..self.half).contains(&(at - center));
        is_within(at.0, self.center.0) && is_within(at.1, self.center.1)
    }
}

/// Whether two points are within a distance of each other.
pub(crate) fn are_near(a: Point, b: Point, distance: i32) -> bool {
    let (x, y, distance) = (i64::from(a.0 - b.0), i64::from(a.1 - b.1), i64::from(distance));
    x * x + y * y <= distance * distance
}

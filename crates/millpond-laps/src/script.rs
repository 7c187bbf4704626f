//! What is replayed: births and deaths, in parts that are timed or not.

/// A birth or death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The place of the object, which another object reuses later.
    pub place: u32,
    /// The kind of allocation, and in the highest bit whether it is a birth.
    kind: u32,
}

const BIRTH: u32 = 1 << 31;

impl Step {
    /// A birth or death of an object of this kind in this place.
    #[must_use]
    pub fn new(kind: u32, place: u32, is_birth: bool) -> Self {
        Self { place, kind: kind | if is_birth { BIRTH } else { 0 } }
    }

    /// Whether it is a birth.
    #[inline]
    #[must_use]
    pub fn is_birth(self) -> bool {
        self.kind & BIRTH != 0
    }

    /// The kind of the object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> u32 {
        self.kind & !BIRTH
    }
}

/// Births and deaths, some of which are timed.
#[derive(Debug, Default)]
pub struct Script {
    /// All steps.
    pub steps: Vec<Step>,
    /// Where a part of the steps ends, and whether it is timed. What is not timed only makes alive what the
    /// next part finds alive.
    pub parts: Vec<(usize, bool)>,
    /// The number of places.
    pub places: usize,
    /// The peak of live bytes, including what an allocator adds to each block.
    pub bytes_peak: u64,
}

impl Script {
    /// The parts and whether each is timed.
    pub fn parts(&self) -> impl Iterator<Item = (&[Step], bool)> {
        let mut begin = 0;
        self.parts.iter().map(move |&(end, is_timed)| {
            let part = &self.steps[begin..end];
            begin = end;
            (part, is_timed)
        })
    }

    /// How many births of these kinds are timed.
    pub fn timed_births(&self, is_of: impl Fn(u32) -> bool) -> u64 {
        let timed = self.parts().filter(|part| part.1).flat_map(|part| part.0);
        timed.filter(|step| step.is_birth() && is_of(step.kind())).count() as u64
    }
}

use core::fmt;

use super::{HandleLayout, Refusal};

/// A description of a handle: its slot, which lifetime of the slot it names, and whether it is
/// valid. Returned by each pool's method `explain`.
///
/// A pool with a name starts its generations at a number derived from the name, so the handle's
/// text alone does not show which lifetime it names, and is long. For logs, `{:#}` prints the slot
/// and the lifetime as the handles of pools without a name are printed, such as `0v2`.
///
/// ```
/// use millpond::Pool;
///
/// let mut bullets = Pool::<u8>::builder().capacity(8).name("bullets").build();
/// let first = bullets.insert(1).unwrap();
/// assert_eq!(bullets.explain(first).to_string(), "slot 0, 1st lifetime: valid");
/// bullets.remove(first);
/// let second = bullets.insert(2).unwrap();
/// assert_eq!(bullets.explain(second).lifetime(), Some(2));
/// assert_eq!(format!("{:#}", bullets.explain(second)), "0v2");
/// assert_eq!(
///     bullets.explain(first).to_string(),
///     "slot 0, 1st lifetime: stale: its object was removed"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    slot: u32,
    /// 0 for the dangling handle.
    lifetime: u32,
    check: Result<(), Refusal>,
}

impl Explanation {
    /// `lifetime` is the number of the lifetime with the handle's generation, counted from 1; it is
    /// ignored for the dangling handle.
    pub(crate) fn new<H: HandleLayout>(
        handle: H,
        lifetime: u32,
        check: Result<(), Refusal>,
    ) -> Self {
        let lifetime = if handle.generation() == 0 { 0 } else { lifetime };
        Self { slot: handle.index(), lifetime, check }
    }

    /// Returns the index of the slot that the handle names.
    #[must_use]
    #[inline]
    pub fn slot(self) -> u32 {
        self.slot
    }

    /// Returns which lifetime of the slot the handle names, counted from 1, or `None` if the pool
    /// never issued the handle.
    #[must_use]
    #[inline]
    pub fn lifetime(self) -> Option<u32> {
        matches!(self.check, Ok(()) | Err(Refusal::Stale)).then_some(self.lifetime)
    }

    /// Returns `Ok` if the handle is valid, and otherwise why it is refused.
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    #[inline]
    pub fn check(self) -> Result<(), Refusal> {
        self.check
    }

    /// Replaces the slot's number, for a pool that is part of a whole in which the slot has another one.
    pub(crate) fn in_slot(self, slot: u32) -> Self {
        Self { slot, ..self }
    }
}

impl fmt::Display for Explanation {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lifetime == 0 {
            return f.write_str("the dangling handle: no pool issues it");
        }
        if f.alternate() {
            return write!(f, "{}v{}", self.slot, self.lifetime);
        }
        write!(f, "slot {}", self.slot)?;
        if let Some(lifetime) = self.lifetime() {
            let ending = match (lifetime % 10, lifetime % 100) {
                (_, 11..=13) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            write!(f, ", {lifetime}{ending} lifetime")?;
        }
        match self.check {
            Ok(()) => f.write_str(": valid"),
            Err(refusal) => write!(f, ": {refusal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::ToString;

    use super::*;
    use crate::handle::Handle;

    #[test]
    fn lifetimes_are_counted_in_english() {
        let handle = Handle::<()>::from_parts(7, 1).unwrap();
        let words = |lifetime| Explanation::new(handle, lifetime, Ok(())).to_string();
        for (lifetime, ordinal) in [
            (1, "1st"),
            (2, "2nd"),
            (3, "3rd"),
            (4, "4th"),
            (11, "11th"),
            (112, "112th"),
            (121, "121st"),
        ] {
            assert_eq!(words(lifetime), std::format!("slot 7, {ordinal} lifetime: valid"));
        }
        for dangling in [Handle::<()>::DANGLING, Handle::default()] {
            let refused = Explanation::new(dangling, 9, Err(Refusal::OutOfRange));
            assert_eq!(refused.to_string(), "the dangling handle: no pool issues it");
            assert_eq!(refused.lifetime(), None);
        }
        let refused = Explanation::new(handle, 5, Err(Refusal::OtherPool));
        assert_eq!(refused.lifetime(), None);
        assert!(refused.to_string().starts_with("slot 7: "), "{refused}");
    }
}

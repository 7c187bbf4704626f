//! Copies of a storage: the values one after the other, and then the words all at once.

use core::marker::PhantomData;

use super::Storage;
use crate::base::OutOfMemory;
use crate::base::guard::guard;
use crate::occupancy::WORD_SLOTS;
use crate::slots::{OwnSlots, Place, SlotWords, full_word};

impl<T: Clone, P: Place, L> Storage<T, P, L> {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    pub(crate) fn try_clone(&self, touch: bool) -> Result<Self, OutOfMemory>
    where
        L: Clone,
    {
        let words = self.words();
        // Where each slot that was used is live, the copies touch the pages of their values.
        let copies = if words.live() == words.used() { words.used() } else { 0 };
        // It has room for values like these in as many slots (invariant 1), none of which is live (2).
        let place = words.place().try_like(touch.then_some(copies))?;
        let is_synced = words.is_synced();
        let mut words = SlotWords::unused(place, words.start());
        if is_synced {
            words.start_syncing();
        }
        let slots = OwnSlots::new(words, self.slots().ledger().clone());
        let mut copy = Self { slots, values: PhantomData };
        // Slots below this number have their copies. Until the guard tells the words of them, all slots are dead by these, so that
        // no value counts before it is there. Live slots of the others are dead then, and have retired.
        let mut guarded = guard((&mut copy, 0), |(copy, copied)| {
            let used = self.words().used();
            copy.words_mut().copy_state_from(self.words(), used);
            for index in *copied..used {
                if copy.words().is_live(index) {
                    copy.words_mut().retire(index);
                }
            }
            copy.poison_dead(true);
        });
        let (storage, copied) = &mut *guarded;
        storage.write_clones_of(self, |index| *copied = index + 1);
        *copied = self.words().slots();
        drop(guarded);
        Ok(copy)
    }

    /// Writes a clone of each value of another storage, whose used slots this one has, where the value of that slot has its place here.
    /// What was there is not dropped.
    #[inline(always)]
    pub(super) fn write_clones_of(&mut self, other: &Self, mut note_written: impl FnMut(usize)) {
        assert!(self.words().slots() >= other.words().used());
        let values = self.first_mut();
        let mut clone_at = |index: usize| {
            // SAFETY: the slot is live by `other`, see below.
            let value = unsafe { other.get_unchecked(index) }.clone();
            // SAFETY: a live slot was used, so that there is a place for its value here, as just tested.
            let place = unsafe { values.add(index) }.cast::<T>();
            // SAFETY: nobody uses the storage meanwhile.
            unsafe { place.write(value) };
            note_written(index);
        };
        let (words, occupancy) = (other.words(), other.words().occupancy());
        if words.live() == words.used() {
            // Each slot that was used is live.
            return (0..words.used()).for_each(clone_at);
        }
        for word in 0..words.used().div_ceil(WORD_SLOTS) {
            let first = word * WORD_SLOTS;
            // Asked first, because it is the faster question if the bitmap is old.
            if full_word(words.as_slice(), word).is_some() {
                (first..first + WORD_SLOTS).for_each(&mut clone_at);
                continue;
            }
            let mut bits = occupancy.word(word);
            while bits != 0 {
                clone_at(first + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use crate::Pool;
    use alloc::boxed::Box;
    use alloc::rc::Rc;
    use alloc::vec::Vec;
    use core::cell::{Cell, RefCell};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    /// Counts how many of it there are. One of them cannot be cloned.
    struct Counted {
        number: usize,
        victim: Rc<Cell<Option<usize>>>,
    }

    impl Clone for Counted {
        fn clone(&self) -> Self {
            if self.victim.get() == Some(self.number) {
                resume_unwind(Box::new("on purpose"));
            }
            Self { victim: self.victim.clone(), ..*self }
        }
    }

    /// Words of slots that are full, that have holes and that end early, with a bitmap that is old, gathered or synced.
    #[test]
    fn a_copy_is_a_twin_and_a_clone_that_panics_leaves_nothing_behind() {
        let patterns: [fn(usize) -> bool; 5] =
            [|_| true, |i| i % 3 != 1, |i| i < 70, |i| i / 64 == 1 || i % 50 == 2, |_| false];
        for (slots, is_live) in [0, 1, 64, 150].into_iter().flat_map(|n| patterns.map(|p| (n, p))) {
            for walks in 0..3 {
                let victim = Rc::new(Cell::new(None));
                let mut pool = Pool::new(slots);
                let value = |number| Counted { number, victim: victim.clone() };
                let filled = slots - slots / 10;
                let handles: Vec<_> = (0..filled).map(|i| pool.insert(value(i)).ok()).collect();
                for handle in (0..filled).filter(|i| !is_live(*i)).map(|i| handles[i].unwrap()) {
                    drop(pool.remove(handle));
                }
                (0..walks).for_each(|_| pool.values_mut().for_each(|_| ()));

                let mut twin = pool.clone();
                twin.validate().unwrap();
                assert_eq!(twin.stats(), pool.stats());
                let numbers = |pool: &Pool<Counted>| -> Vec<_> {
                    pool.iter().map(|(handle, value)| (handle, value.number)).collect()
                };
                assert_eq!(numbers(&twin), numbers(&pool));
                while let Ok(next) = pool.insert(value(999)) {
                    assert_eq!(twin.insert(value(999)).ok(), Some(next));
                }
                assert!(twin.insert(value(0)).is_err());
                drop(twin);

                for number in (0..filled).filter(|i| is_live(*i)) {
                    victim.set(Some(number));
                    assert!(catch_unwind(AssertUnwindSafe(|| pool.clone())).is_err());
                    assert_eq!(Rc::strong_count(&victim), pool.len() + 1, "{number} of {slots}");
                }
            }
        }
    }

    std::thread_local! {
        static POOL: RefCell<Option<Pool<Walks>>> = const { RefCell::new(None) };
    }

    /// Each clone of it walks over the pool that is being cloned.
    struct Walks(usize);

    impl Clone for Walks {
        fn clone(&self) -> Self {
            let is_there = |pool: &Pool<Self>| pool.values().any(|value| value.0 == self.0);
            assert!(POOL.with_borrow(|pool| pool.as_ref().is_some_and(is_there)));
            Self(self.0)
        }
    }

    /// What the first of these walks finds out is another state than that which the copy began with.
    #[test]
    fn clones_may_walk_over_the_pool_that_they_come_from() {
        for walks in 0..3 {
            let mut pool = Pool::new(200);
            let handles: Vec<_> = (0..150).filter_map(|i| pool.insert(Walks(i)).ok()).collect();
            handles.iter().step_by(7).for_each(|handle| _ = pool.remove(*handle));
            (0..walks).for_each(|_| pool.values_mut().for_each(|_| ()));
            POOL.set(Some(pool));
            let mut twin = POOL.with_borrow(Option::clone).unwrap();
            twin.validate().unwrap();
            let pool = POOL.take().unwrap();
            pool.validate().unwrap();
            assert!(
                twin.iter()
                    .map(|(handle, value)| (handle, value.0))
                    .eq(pool.iter().map(|(handle, value)| (handle, value.0)))
            );
            assert!(handles.iter().filter(|handle| twin.remove(**handle).is_some()).count() == 128);
            twin.validate().unwrap();
        }
    }
}

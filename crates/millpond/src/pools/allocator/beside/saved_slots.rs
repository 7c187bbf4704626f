//! The saved form of an allocator, as a type without type parameters: a program with many kinds of
//! allocators has the code that writes and reads it only once. Hidden; for the C library.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::handle::{HandleLayout, Word};
use crate::pools::allocator::HandleAllocator;
use crate::slots::AnyCycle;
use crate::slots::reuse::{ReuseOrder, Roster};
use crate::slots::saved::Checked;
use crate::snapshot::format::{
    Form, NewPool, Objects, check, check_migration, read_list, units, used_slots,
};
use crate::snapshot::state::Shape;
use crate::snapshot::{MigrateError, OldPool, State};

/// The saved form of a [`HandleAllocator`].
#[doc(hidden)]
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedSlots {
    state: Form,
    /// The runs of live slots: the first slot and the number.
    #[serde(deserialize_with = "read_list")]
    live: Vec<(u32, u32)>,
    /// The number of slots, if those that were never used are left out. It comes last, so that a reader knows by the end of
    /// the bytes whether it is there, and sets it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
}

impl SavedSlots {
    /// The number of slots that are listed.
    #[must_use]
    pub fn listed(&self) -> usize {
        self.state.listed()
    }

    /// The number of live slots, according to the saved form itself.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count as usize))
    }
}

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Returns everything that the future depends on, and the statistics. `list_all`: also slots that were never used.
    #[doc(hidden)]
    #[must_use]
    pub fn to_saved_slots(&self, list_all: bool) -> SavedSlots {
        let runs = self.occupancy().runs().map(|run| (run.start as u32, run.len() as u32));
        let (state, capacity) = Form::of(self, list_all);
        SavedSlots { state, live: runs.collect(), capacity: capacity.map(|slots| slots as u64) }
    }

    /// Checks a saved state, with generations up to this allocator's largest; `None` if no allocator can be in it. It may
    /// have another capacity. `grows`: then it gets the slots that are listed, because the others would take memory.
    #[doc(hidden)]
    #[must_use]
    pub fn check_beside(&self, saved: SavedSlots, grows: bool) -> Option<Checked<H::Word>> {
        let capacity = saved.capacity.filter(|_| !grows);
        Self::checked(saved, capacity, self.storage.slots().ledger().cycle().largest().generation())
    }

    fn checked(
        saved: SavedSlots,
        capacity: Option<u64>,
        generation_max: u32,
    ) -> Option<Checked<H::Word>> {
        let live = saved.live();
        if live > saved.listed() || saved.capacity.is_some() && !<Self as NewPool>::MAY_LEAVE_OUT {
            return None;
        }
        // Values without a size: their vector takes no memory.
        let objects = Objects::Counted { live: saved.live, values: alloc::vec![(); live] };
        let checked = check::<Self>(&saved.state, capacity, objects, generation_max);
        checked.ok().map(|(state, _)| state)
    }

    /// Takes on a state that was checked. Returns `false`, and does nothing, if it is of another shape or reuse order.
    #[doc(hidden)]
    #[must_use]
    pub fn load_beside(&mut self, state: &Checked<H::Word>) -> bool {
        let is_alike = self.shape() == Shape::new(state.slots, &state.cycle);
        state.reuse == R::NAME && is_alike && self.take_over(state, units(state)).is_ok()
    }

    /// An allocator in a saved state, with generations up to this one and the slots that are listed, for
    /// [migration](Self::to_roster); `None` if no allocator can be in it, or there is no memory.
    #[doc(hidden)]
    #[must_use]
    pub fn of_saved_slots(saved: SavedSlots, generation_max: u32) -> Option<Self> {
        let state = Self::checked(saved, None, generation_max)?;
        let mut slots = Self::unused(&state).ok()?;
        slots.take_over(&state, units(&state)).ok()?;
        Some(slots)
    }

    /// Whether the slots of both go through the same generations.
    #[doc(hidden)]
    #[must_use]
    pub fn begins_like(&self, other: &Self) -> bool {
        self.shape().cycle == other.shape().cycle
    }

    /// Whether this allocator could take on the state of the other, but for the generation at which all slots begin.
    #[doc(hidden)]
    #[must_use]
    pub fn begins_elsewhere(&self, other: &Self) -> bool {
        let (own, other) = (self.shape(), other.shape());
        let of = own.cycle;
        let moved = AnyCycle::of(other.cycle.start(), of.count(), of.largest(), of.wraps());
        own.cycle != other.cycle && Shape { cycle: moved, ..own } == other
    }

    /// How many slots an allocator needs to take over these.
    #[doc(hidden)]
    #[must_use]
    pub fn slots_to_migrate(&self) -> usize {
        used_slots(self)
    }

    /// As many slots as were used, or as were live at once, with the state of these, of the order that lists all of them: what
    /// [`migrate_beside`](Self::migrate_beside) takes. So what is taken over has one type, whatever order it had.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    #[doc(hidden)]
    pub fn to_roster(&self) -> Result<HandleAllocator<Roster, H>, MigrateError> {
        let slots = used_slots(self).max(self.stats().peak.min(self.capacity()));
        let builder = HandleAllocator::builder().capacity(slots).reuse(Roster).handle::<H>();
        let builder = if self.shape().cycle.wraps() { builder.wrap() } else { builder };
        let built = builder.try_build();
        let mut roster: HandleAllocator<Roster, H> =
            built.map_err(|_| MigrateError::OutOfMemory { slots })?;
        roster.migrate_beside(self)?;
        Ok(roster)
    }

    /// Takes over the objects of another allocator, which keeps them: see [`migrate_from`](Self::migrate_from).
    ///
    /// # Errors
    ///
    /// Those of `migrate_from`. Nothing happens then.
    #[doc(hidden)]
    pub fn migrate_beside<S: ReuseOrder>(
        &mut self,
        old: &HandleAllocator<S, H>,
    ) -> Result<(), MigrateError> {
        let state = check_migration(self, &OldPool::<()>::of(old))?;
        self.take_over(&state, units(&state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::reuse::{Fifo, Lifo, LowestFirst};
    use crate::{Handle, Handle32};

    type Slots = HandleAllocator<Fifo, Handle32<(), 24>>;

    fn used() -> Slots {
        let mut slots = Slots::with_capacity(9);
        let handles: Vec<_> = (0..7).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[2]);
        slots.release(handles[5]);
        slots
    }

    /// Whether the state is taken on.
    fn reads<R: ReuseOrder, H: HandleLayout>(
        slots: &mut HandleAllocator<R, H>,
        saved: SavedSlots,
    ) -> bool {
        slots.check_beside(saved, false).is_some_and(|state| slots.load_beside(&state))
    }

    #[test]
    fn comes_back_as_it_was() {
        let mut slots = used();
        let mut read = Slots::with_capacity(9);
        assert!(reads(&mut read, slots.to_saved_slots(false)));
        assert_eq!((read.checksum(), read.stats()), (slots.checksum(), slots.stats()));
        assert_eq!(read.acquire(), slots.acquire());
    }

    #[test]
    fn comes_back_full() {
        let mut slots = Slots::with_capacity(3);
        while slots.acquire().is_some() {}
        let mut read = Slots::with_capacity(3);
        assert!(reads(&mut read, slots.to_saved_slots(false)));
        assert!(read.is_full() && read.acquire().is_none());
        assert!(read.handles().eq(slots.handles()));
    }

    /// What was used in the reader and not in the state is as if never used; and what was never used is listed only where it
    /// costs memory anyway, or if asked for.
    fn comes_into_another_used_part<R: ReuseOrder>(may_leave_out: bool) {
        type Kind<R> = HandleAllocator<R, Handle<()>>;
        const PARTS: [usize; 6] = [0, 1, 64, 65, 129, 130];
        let with_used = |count: usize| {
            let mut slots = Kind::<R>::with_capacity(130);
            let handles: Vec<_> = (0..count).map(|_| slots.acquire().unwrap()).collect();
            handles.iter().skip(1).step_by(3).for_each(|handle| _ = slots.release(*handle));
            slots
        };
        for (own, theirs, list_all) in
            PARTS.into_iter().flat_map(|own| PARTS.map(|theirs| (own, theirs, own == 64)))
        {
            let (mut slots, mut read) = (with_used(theirs), with_used(own));
            let saved = slots.to_saved_slots(list_all);
            let is_short = may_leave_out && !list_all && theirs < 130;
            assert_eq!(saved.listed(), if is_short { theirs } else { 130 }, "{}", R::NAME);
            assert_eq!(saved.capacity, is_short.then_some(130));
            assert!(reads(&mut read, saved));
            read.validate().unwrap();
            assert_eq!((read.checksum(), read.stats()), (slots.checksum(), slots.stats()));
            if is_short {
                assert_eq!(read.used_slots(), theirs);
            }
            loop {
                let next = slots.acquire();
                assert_eq!(read.acquire(), next, "{} {own} {theirs}", R::NAME);
                if next.is_none() {
                    break;
                }
            }
            read.validate().unwrap();
        }
    }

    #[test]
    fn comes_into_slots_of_another_used_part() {
        comes_into_another_used_part::<Lifo>(true);
        comes_into_another_used_part::<LowestFirst>(true);
        comes_into_another_used_part::<Fifo>(false);
        comes_into_another_used_part::<Roster>(false);
    }

    #[test]
    fn what_grows_gets_the_slots_that_are_listed() {
        let mut slots: HandleAllocator = HandleAllocator::new(9);
        (0..5).for_each(|_| _ = slots.acquire().unwrap());
        let slots_in = |own: usize, grows| {
            let own: HandleAllocator = HandleAllocator::new(own);
            own.check_beside(slots.to_saved_slots(false), grows).unwrap().slots()
        };
        assert_eq!([0, 5, 9, 77].map(|own| slots_in(own, true)), [5; 4]);
        assert_eq!([0, 5, 9, 77].map(|own| slots_in(own, false)), [9; 4]);
    }

    /// Every order takes over the objects of every other, as it does those of an allocator that it takes over whole.
    #[test]
    fn saved_slots_migrate_into_every_order() {
        fn migrates<S: ReuseOrder, R: ReuseOrder>() {
            let mut old = HandleAllocator::builder().capacity(9).reuse(S::default()).build();
            let handles: Vec<_> = (0..7).map(|_| old.acquire().unwrap()).collect();
            for at in [5, 1, 3] {
                assert!(old.release(handles[at]));
            }
            let read =
                HandleAllocator::<S>::of_saved_slots(old.to_saved_slots(false), u32::MAX >> 1);
            let read = read.unwrap().to_roster().unwrap();
            assert_eq!((read.capacity(), read.len()), (7, 4));
            let builder = || HandleAllocator::builder().reuse(R::default()).name("new");
            let (mut new, mut like) =
                (builder().capacity(8).build(), builder().capacity(8).build());
            new.migrate_beside(&read).unwrap();
            new.validate().unwrap();
            like.migrate_from(old).unwrap();
            assert_eq!(new.stats(), like.stats());
            for (at, handle) in handles.iter().enumerate() {
                assert_eq!(new.contains(*handle), ![1, 3, 5].contains(&at));
            }
            // Which is next may differ, because a roster has been between them.
            let all = |of: &mut HandleAllocator<R>| {
                let mut all: Vec<_> = std::iter::from_fn(|| of.acquire()).collect();
                all.sort_unstable();
                all
            };
            let fresh = all(&mut new);
            assert_eq!(fresh, all(&mut like), "{} {}", S::NAME, R::NAME);
            assert!(fresh.iter().all(|next| !handles.contains(next)));
            let mut small = builder().capacity(6).build();
            let refused = small.migrate_beside(&read);
            assert_eq!(refused, Err(MigrateError::TooFewSlots { needed: 7, capacity_max: 6 }));
        }
        fn into_each<S: ReuseOrder>() {
            migrates::<S, Lifo>();
            migrates::<S, Fifo>();
            migrates::<S, LowestFirst>();
            migrates::<S, Roster>();
        }
        into_each::<Lifo>();
        into_each::<Fifo>();
        into_each::<LowestFirst>();
        into_each::<Roster>();
    }

    #[test]
    fn what_is_no_state_is_refused() {
        let change = |f: fn(&mut SavedSlots)| {
            let mut saved = used().to_saved_slots(false);
            f(&mut saved);
            used().check_beside(saved, false).is_none()
        };
        assert!(!change(|_| ()));
        assert!(change(|saved| saved.live.push((0, u32::MAX))));
        assert!(change(|saved| saved.live[0].1 += 1));
        assert!(change(|saved| saved.live[0].0 = 77));
        assert!(change(|saved| saved.state.peak = 99));
        // An order that keeps a list of all.
        assert!(change(|saved| saved.capacity = Some(10)));
        type Other = HandleAllocator<Fifo, Handle<()>>;
        let mut other = Other::with_capacity(9);
        assert!(
            other.check_beside(used().to_saved_slots(false), false).is_some(),
            "shapes are compared later"
        );
        assert!(!reads(&mut other, used().to_saved_slots(false)));
        assert_eq!((other.used_slots(), other.len()), (0, 0));
        // A generation that the shorter layout does not have.
        let longer = HandleAllocator::builder().capacity(9).reuse(Fifo).salt(77).build();
        assert!(used().check_beside(longer.to_saved_slots(false), false).is_none());
        type OtherOrder = HandleAllocator<Lifo, Handle32<(), 24>>;
        let other = OtherOrder::with_capacity(9);
        assert!(other.check_beside(used().to_saved_slots(false), false).is_none());
    }

    /// One that is checked for another order may list too few slots, or have no list where one is needed.
    #[test]
    fn a_state_is_taken_on_only_by_the_order_that_it_was_checked_for() {
        fn is_taken_on<R: ReuseOrder, S: ReuseOrder>() -> bool {
            let mut old = HandleAllocator::<R>::with_capacity(9);
            let handles: Vec<_> = (0..5).map(|_| old.acquire().unwrap()).collect();
            old.release(handles[1]);
            let state = old.check_beside(old.to_saved_slots(false), false).unwrap();
            let mut new = HandleAllocator::<S>::with_capacity(9);
            let is_taken_on = new.load_beside(&state);
            new.validate().unwrap();
            assert_eq!(new.len(), if is_taken_on { 4 } else { 0 });
            is_taken_on
        }
        assert!(is_taken_on::<Lifo, Lifo>() && is_taken_on::<Fifo, Fifo>());
        assert!(!is_taken_on::<Lifo, Fifo>() && !is_taken_on::<Fifo, Lifo>());
        assert!(!is_taken_on::<Roster, LowestFirst>() && !is_taken_on::<LowestFirst, Roster>());
    }

    #[test]
    fn a_number_of_slots_that_cannot_be_is_refused() {
        let mut slots: HandleAllocator = HandleAllocator::new(9);
        (0..5).for_each(|_| _ = slots.acquire().unwrap());
        for (claim, is_refused) in
            [(4, true), (5, false), (9, false), (1 << 32, true), (u64::MAX, true)]
        {
            let mut saved = slots.to_saved_slots(false);
            saved.capacity = Some(claim);
            assert_eq!(slots.check_beside(saved, false).is_none(), is_refused, "{claim}");
        }
        let mut saved = slots.to_saved_slots(false);
        saved.capacity = Some(10);
        assert!(!reads(&mut slots, saved) && slots.len() == 5, "another shape");
    }
}

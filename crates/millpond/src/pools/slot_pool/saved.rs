//! The saved form of a pool, and taking over the objects of another pool, with the generations of its slots.

use alloc::vec::Vec;

use super::{Growth, PoolPlace, SlotPool, Slotted};
use crate::base::OutOfMemory;
use crate::base::guard::{defuse, guard, half_way};
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::{Checked, fresh_cost_nothing};
use crate::snapshot::format::{Load, Refused, migrate, serde_of_pool};
use crate::snapshot::state::sealed::State;
use crate::snapshot::{MigrateError, OldPool};

/// The parts of a pool.
pub(crate) type Unused<T, R, L, P, G> = (Slotted<T, R, L, P>, G);

/// A kind of pool that is read from a file, by how it gets more slots and where they lie.
#[doc(hidden)]
pub trait FromState<T, R: ReuseOrder, L: HandleLayout, P: PoolPlace<T, R, L>>:
    Growth<T, R, L, P>
{
    /// The pool's name in the saved form.
    const KIND: &'static str;
    /// The reuse order's name, where the pool has several.
    const REUSE: &'static str = R::NAME;
    /// Whether the saved form also has a limit, and how many of its slots exist.
    const GROWS: bool = false;
    /// The parts of a pool to take on this state, as if never used.
    fn unused(state: &Checked<L::Word>) -> Result<Unused<T, R, L, P, Self>, Refused>;
}

serde_of_pool!(SlotPool<T, G, R, H, P>, [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: FromState<T, R, H::Erased, P>], values T);

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: FromState<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Takes over all objects of an old pool, of any kind, with the generations of its slots: a saved game goes on in a
    /// pool that is larger now, or has another name, reuse order or handle layout. Every handle that the old pool accepted
    /// is valid, and no other that it has issued is ever issued again. See [saved games that outlive a
    /// change](crate::snapshot#saved-games-that-outlive-a-change).
    ///
    /// The pool keeps its name, recorder and debug aids. Its own objects are dropped, and as with
    /// [`restore`](Self::restore), handles of theirs must not be used any more. O(slots used in either), and O(capacity) with
    /// a reuse order that keeps a list. Of a pool that is [untouched](crate::PoolBuilder::untouched), slots that were used in
    /// neither stay so.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let mut crew = Pool::new(2);
    /// let cook = crew.insert("cook").unwrap();
    /// let thief = crew.insert("thief").unwrap();
    /// crew.remove(thief);
    /// let file = serde_json::to_string(&crew).unwrap();
    ///
    /// // A year later, the crew has a name, and there is room for more.
    /// let old: Pool<&str> = serde_json::from_str(&file).unwrap();
    /// let mut crew = Pool::builder().capacity(4).name("crew").build();
    /// crew.migrate_from(old)?;
    /// assert_eq!(crew[cook], "cook");
    /// for _ in 0..3 {
    ///     assert_ne!(crew.insert("sailor").unwrap(), thief);
    /// }
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool cannot keep all generations; the [error](MigrateError) says what to change.
    ///
    /// # Panics
    ///
    /// If the drop of one of the pool's own values panics. Those not yet dropped stay, and the old pool's are dropped.
    pub fn migrate_from(&mut self, old: impl OldPool<Value = T>) -> Result<(), MigrateError> {
        self.migrate_with(old, |_, value| value)
    }

    /// Like [`migrate_from`](Self::migrate_from), for values of a type that has changed: `convert` makes each value from its
    /// handle in this pool and the old value.
    ///
    /// ```
    /// use millpond::{Handle, Handle32, Pool};
    ///
    /// struct OldShip {
    ///     leader: Option<Handle<OldShip>>,
    /// }
    /// struct Ship {
    ///     leader: Option<Handle32<Ship>>, // four bytes each
    /// }
    /// let mut old = Pool::new(8);
    /// let tug = old.insert(OldShip { leader: None }).unwrap();
    /// old.insert(OldShip { leader: Some(tug) }).unwrap();
    ///
    /// let narrow = |old: Handle<OldShip>| Handle32::from_parts(old.index(), old.generation());
    /// let mut ships = Pool::builder().capacity(8).handle::<Handle32<Ship>>().build();
    /// ships.migrate_with(old, |_, ship| Ship { leader: ship.leader.and_then(narrow) })?;
    /// let tug = narrow(tug).unwrap();
    /// assert!(ships[tug].leader.is_none());
    /// assert_eq!(ships.get_at(1).unwrap().leader, Some(tug));
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `migrate_from` would fail. `convert` is not called then, unless memory runs out.
    ///
    /// # Panics
    ///
    /// If `convert` panics, and the pool is unchanged then; or if `migrate_from` does.
    pub fn migrate_with<Q: OldPool>(
        &mut self,
        old: Q,
        convert: impl FnMut(H, Q::Value) -> T,
    ) -> Result<(), MigrateError> {
        migrate(self, old, convert)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H::Erased, P>>
    OldPool for SlotPool<T, G, R, H, P>
{
    fn leave(self) -> Vec<(usize, T)> {
        self.into_iter().map(|(handle, value)| (handle.index() as usize, value)).collect()
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: FromState<T, R, H::Erased, P>>
    Load for SlotPool<T, G, R, H, P>
{
    const KIND: &'static str = G::KIND;
    const REUSE: &'static str = G::REUSE;
    const GROWS: bool = G::GROWS;
    const FRESH_COST_NOTHING: bool = fresh_cost_nothing::<P::Entry>(Self::ORDER_OF);

    fn slots_there(&self) -> usize {
        self.capacity()
    }

    fn unused(state: &Checked<H::Word>) -> Result<Self, Refused> {
        let (storage, growth) = G::unused(state)?;
        Ok(Self::of_parts(storage, growth))
    }

    fn take_over(
        &mut self,
        state: &Checked<H::Word>,
        values: Vec<(usize, T)>,
    ) -> Result<(), MigrateError> {
        let slots = state.slots;
        let out_of_memory = |OutOfMemory| MigrateError::OutOfMemory { slots };
        let Self { storage, growth, .. } = self;
        growth.make_slots(slots, storage).map_err(out_of_memory)?;
        storage.clear();
        // Half-way between two states, the slots and their order do not agree.
        let mut pool = guard(self, |pool| {
            let _ = pool.growth.set_former(&[]);
            pool.detached.clear();
            pool.storage.renew();
        });
        let Self { storage, growth, detached, .. } = &mut **pool;
        // Only a pool that was just read has some.
        growth.set_former(&state.former).map_err(out_of_memory)?;
        detached.clear();
        half_way();
        for index in 0..storage.words().used().max(state.words.len()) {
            storage.watched().into_iter().for_each(|watch| watch.restored(index));
        }
        storage.forget_used();
        storage.load(&state.words, values, state.inserted, state.peak);
        // First, because the order finds its fresh slots by it.
        storage.mark_used_until(state.words.len() + state.former.len());
        storage.slots_mut().load(state);
        defuse(pool);
        Ok(())
    }
}

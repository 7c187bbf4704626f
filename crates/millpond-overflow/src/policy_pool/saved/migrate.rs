//! Taking over the objects of another pool, and their ages.

use core::mem;

use millpond::__parts::{check_migration, take_over, used_slots};
use millpond::overflow::Lifetimes;
use millpond::reuse::ReuseOrder;
use millpond::snapshot::{MigrateError, OldPool};
use millpond::{HandleLayout, Pool};

use crate::{EvictOldest, PolicyPool};

impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    /// Takes over all objects of an old pool, of any kind and policy, with the generations of its slots; see
    /// [`Pool::migrate_from`](millpond::Pool::migrate_from). All slots that were used there must fit into the capacity
    /// of this pool: what the old one has spilled or grown by comes into the first part. The other parts of this pool
    /// are cleared, and their statistics stay.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let mut old = PolicyPool::new(Overflow::Spill, Pool::builder().capacity(1), 1);
    /// let [oak, elm] = ["oak", "elm"].map(|tree| old.insert_by(tree, |_, _| 0).unwrap().0);
    /// let mut trees = PolicyPool::new(Overflow::EvictOldest, Pool::builder().capacity(9), 0);
    /// trees.migrate_from(old)?;
    /// assert_eq!((trees[oak], trees[elm], trees.is_spilled(elm)), ("oak", "elm", false));
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool cannot keep all generations; the [error](MigrateError) says what to change. The pool is unchanged
    /// then.
    ///
    /// # Panics
    ///
    /// If the drop of one of the pool's own values panics.
    pub fn migrate_from(&mut self, old: impl Into<OldPool<T>>) -> Result<(), MigrateError> {
        let mut old = old.into();
        let ages = mem::take(&mut old.ages);
        let state = check_migration(self.first(), &old)?;
        let places = Lifetimes::capacity_max(&self.pools);
        let list = self.ages.as_ref().map(|_| EvictOldest::try_new(places)).transpose();
        let list = list.map_err(|_| MigrateError::OutOfMemory { slots: places })?;
        self.pools.first_mut().second_mut().clear();
        self.pools.second_mut().clear();
        let Self { pools, .. } = self;
        take_over(pools.first_mut().first_mut(), &state, old, |_, value| value)?;
        if let Some(mut list) = list {
            let first: &Pool<T, R, H> = self.pools.first().first();
            let handles =
                ages.into_iter().filter_map(|(slot, generation)| H::from_parts(slot, generation));
            handles.filter(|handle| first.contains(*handle)).for_each(|handle| list.note(handle));
            self.ages = Some(list);
        }
        Ok(())
    }
}

/// Its parts as one pool: they were built with one name.
impl<T, R: ReuseOrder, H: HandleLayout> From<PolicyPool<T, R, H>> for OldPool<T> {
    fn from(pool: PolicyPool<T, R, H>) -> Self {
        let mut old = Self::of(&pool);
        let listed = pool.ages.iter().flat_map(|ages| ages.listed());
        old.ages = listed.map(|handle| (handle.index(), handle.generation())).collect();
        // Not those of a pool that has taken over one of another name, whose other parts have stayed as they were.
        let first = pool.first().generations().first();
        let (second, grown) = (pool.second(), pool.pools.second());
        old.begins_alike = (second.generations().first() == first || used_slots(second) == 0)
            && (grown.generations().first() == first || used_slots(grown) == 0);
        let of_second = pool.first().capacity();
        let of_grown = of_second + second.capacity();
        let (fixed, grown) = pool.pools.into_inner();
        let (first, second) = fixed.into_inner();
        let behind =
            |slots: usize| move |(handle, value): (H, T)| (handle.index() as usize + slots, value);
        let values =
            first.into_iter().map(behind(0)).chain(second.into_iter().map(behind(of_second)));
        old.with(values.chain(grown.into_iter().map(behind(of_grown))))
    }
}

//! Taking over the objects of two other pools that act as one.

use millpond::__parts::{NewPool, check_migration, take_over};
use millpond::overflow::{Bounded, Lifetimes};
use millpond::snapshot::{MigrateError, OldPool};

use crate::spill::Spill;
use crate::spill::snapshot::{HandleOf, ValueOf};

impl<A, B> Spill<A, B>
where
    A: Bounded + NewPool<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: Bounded<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: NewPool<Value = ValueOf<A>, Handle = HandleOf<A>>,
{
    /// Takes over all objects of both parts of an old pool, with the generations of their slots; see
    /// [`Pool::migrate_from`](millpond::Pool::migrate_from). The first part must be as large as it was if the second
    /// was ever used, because the slots of the second follow its own.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::Spill;
    ///
    /// let mut old = Spill::new(Pool::new(1), Pool::new(1));
    /// let [fish, soup] = ["fish", "soup"].map(|dish| old.insert(dish).unwrap());
    /// let mut orders = Spill::new(Pool::new(1), Pool::new(10));
    /// orders.migrate_from(old)?;
    /// assert_eq!((orders[fish], orders[soup]), ("fish", "soup"));
    /// # Ok::<(), millpond::snapshot::MigrateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a part cannot keep all generations; the [error](MigrateError) says what to change. Both parts are then
    /// unchanged, unless memory runs out.
    ///
    /// # Panics
    ///
    /// If the drop of one of the pool's own values panics.
    pub fn migrate_from<C, D>(&mut self, old: Spill<C, D>) -> Result<(), MigrateError>
    where
        C: Lifetimes + Into<OldPool<ValueOf<A>>>,
        D: Into<OldPool<ValueOf<A>>>,
    {
        let (old_slots, new_slots) = (old.first.capacity_max(), self.first.capacity_max());
        let (old_first, old_second) = (old.first.into(), old.second.into());
        if old_slots != new_slots && old_second.used() > 0 {
            return Err(MigrateError::OtherFirstPart { old: old_slots, new: new_slots });
        }
        let first = check_migration(&self.first, &old_first)?;
        let second = check_migration(&self.second, &old_second)?;
        take_over(&mut self.second, &second, old_second, |_, value| value)?;
        take_over(&mut self.first, &first, old_first, |_, value| value)
    }
}

//! Combined pools as subjects of a soak: a pool with a side table, or two pools as one.

use millpond::reuse::Lifo;
use millpond::side_table::join;
use millpond::{Handle, HandleLayout, PackedPool, Pool, SideTable, Stats};
use millpond_overflow::{Overflow, PolicyPool, Spill};

use super::payload::Payload;
use super::pools::sound;
use super::subject::{Subject, WrittenOver};

/// A pool, and a table with the number of each of its objects.
///
/// Every other object leaves its entry behind when it dies. The next object of the slot must not get this entry, and
/// must be able to replace it.
pub(super) struct WithTable<H: HandleLayout, const WORDS: usize> {
    pool: Pool<Payload<WORDS>, Lifo, H>,
    table: SideTable<H, u64>,
    /// A wrong answer of the table, which the next check reports.
    fault: Option<String>,
}

impl<H: HandleLayout, const WORDS: usize> WithTable<H, WORDS> {
    pub(super) fn new(pool: Pool<Payload<WORDS>, Lifo, H>) -> Self {
        let table = SideTable::with_capacity(pool.capacity());
        Self { pool, table, fault: None }
    }

    fn born(&mut self, handle: H, number: u64) {
        if self.table.contains(handle) {
            self.wrong("a new object has an entry", handle);
        }
        if self.table.insert(handle, number).is_err() {
            self.wrong("a new object's entry was refused", handle);
        }
    }

    /// Loses an entry, as a broken table would.
    #[cfg(test)]
    pub(super) fn forget_entry(&mut self, handle: H) {
        self.table.remove(handle);
    }

    #[cold]
    fn wrong(&mut self, what: &str, handle: H) {
        self.fault.get_or_insert(format!("SideTable: {what}, {handle}"));
    }

    /// The number of live objects with an entry in the table.
    fn joined(&self) -> usize {
        join(&self.pool, &self.table)
            .filter(|(_, payload, number)| payload.number() == Some(**number))
            .count()
    }
}

impl<H: HandleLayout, const WORDS: usize> Subject for WithTable<H, WORDS> {
    type Handle = H;

    fn insert(&mut self, number: u64) -> Option<H> {
        let handle = self.pool.insert(Payload::new(number)).ok()?;
        self.born(handle, number);
        Some(handle)
    }

    fn insert_at(&mut self, handle: H, number: u64) -> bool {
        let inserted = self.pool.insert_at(handle, Payload::new(number)).is_ok();
        if inserted {
            self.born(handle, number);
        }
        inserted
    }

    fn remove(&mut self, handle: H) -> Option<Result<u64, WrittenOver>> {
        let number = self.pool.remove(handle).map(|payload| sound(&payload))?;
        if self.table.get(handle).copied().ok_or(WrittenOver) != number {
            self.wrong("a removed object's entry is not its own", handle);
        }
        if number.is_ok_and(|number| number % 2 == 0) && self.table.remove(handle).is_none() {
            self.wrong("an entry that was there cannot be removed", handle);
        }
        Some(number)
    }

    fn number(&self, handle: H) -> Option<Result<u64, WrittenOver>> {
        let number = self.pool.get(handle).map(sound)?;
        // An object without its own entry counts as overwritten.
        Some(number.and_then(|number| match self.table.get(handle) {
            Some(entry) if *entry == number => Ok(number),
            _ => Err(WrittenOver),
        }))
    }

    fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        self.pool.retain(|_, payload| payload.number().is_none_or(&mut keep));
        self.table.retain(|handle, _| self.pool.contains(handle));
    }

    fn clear(&mut self) {
        self.pool.clear();
        self.table.clear();
    }

    fn visit(&self, mut see: impl FnMut(H, Option<u64>)) {
        self.pool.iter().for_each(|(handle, payload)| see(handle, payload.number()));
    }

    fn live(&self) -> usize {
        self.pool.len()
    }

    fn stats(&self) -> Option<Stats> {
        Some(self.pool.stats())
    }

    fn validate(&self) -> Result<(), String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.pool.validate().map_err(|violation| violation.to_string())?;
        self.table.validate().map_err(|violation| violation.to_string())?;
        let (joined, live) = (self.joined(), self.pool.len());
        if joined != live {
            return Err(format!("the join shows {joined} objects with their entry, {live} live"));
        }
        Ok(())
    }
}

type Halves<const WORDS: usize> = Spill<Pool<Payload<WORDS>>, PackedPool<Payload<WORDS>>>;

/// A pool of this many slots, half of which are those that it spills into.
pub(super) fn spilling<const WORDS: usize>(capacity: usize) -> PolicyPool<Payload<WORDS>> {
    let first = capacity / 2;
    PolicyPool::new(Overflow::Spill, Pool::builder().capacity(first), capacity - first)
}

/// Two pools as one; the function inserts a payload.
macro_rules! two_pools {
    ($pools:ty, $insert:expr) => {
        impl<const WORDS: usize> Subject for $pools {
            type Handle = Handle<Payload<WORDS>>;
            /// Two pools as one have no insertion at a known handle.
            const CLAIMS: bool = false;

            fn insert(&mut self, number: u64) -> Option<Self::Handle> {
                let insert: fn(&mut Self, Payload<WORDS>) -> Option<Self::Handle> = $insert;
                insert(self, Payload::new(number))
            }

            fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
                <$pools>::remove(self, handle).map(|payload| sound(&payload))
            }

            fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>> {
                self.get(handle).map(sound)
            }

            fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
                <$pools>::retain(self, |_, payload| payload.number().is_none_or(&mut keep));
            }

            fn clear(&mut self) {
                <$pools>::clear(self);
            }

            fn visit(&self, mut see: impl FnMut(Self::Handle, Option<u64>)) {
                self.iter().for_each(|(handle, payload)| see(handle, payload.number()));
            }

            fn live(&self) -> usize {
                self.len()
            }

            fn stats(&self) -> Option<Stats> {
                Some(<$pools>::stats(self))
            }

            fn validate(&self) -> Result<(), String> {
                self.first().validate().map_err(|violation| violation.to_string())?;
                self.second().validate().map_err(|violation| violation.to_string())
            }
        }
    };
}

two_pools!(Halves<WORDS>, |pools, payload| pools.insert(payload).ok());
// This policy evicts nothing, so the key is never used.
two_pools!(PolicyPool<Payload<WORDS>>, |pools, payload| {
    pools.insert_by(payload, |_, _| 0).ok().map(|(handle, _)| handle)
});

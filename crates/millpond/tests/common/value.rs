//! Values that count themselves, notice being overwritten, and panic when told to.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use millpond::snapshot::{Checksum, ToChecksum};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::panicked::quiet_panic;

/// Keeps count of its values, and panics when one is dropped twice.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Rc<Accounts>);

#[derive(Default)]
struct Accounts {
    /// What each value says that was ever made; `None`: it was dropped.
    values: RefCell<Vec<Option<u64>>>,
    alive: Cell<usize>,
    drop_panics_at: Cell<Option<u64>>,
    clone_panics_at: Cell<Option<u64>>,
    /// How much more the clone of a value says.
    clones_say_more: Cell<u64>,
}

impl Ledger {
    /// An empty one that takes no memory for its first values, so many.
    pub(crate) fn with_room(values: usize) -> Self {
        let ledger = Self::default();
        ledger.0.values.borrow_mut().reserve(values);
        ledger
    }

    /// A new value that says `id`.
    pub(crate) fn value(&self, id: u64) -> Counted {
        let mut values = self.0.values.borrow_mut();
        let place = values.len();
        values.push(Some(id));
        self.0.alive.set(self.0.alive.get() + 1);
        Counted { id, ledger: self.clone(), place }
    }

    /// How many values have not been dropped.
    pub(crate) fn alive(&self) -> usize {
        self.0.alive.get()
    }

    /// How many values that say `id` have not been dropped.
    pub(crate) fn count(&self, id: u64) -> usize {
        self.0.values.borrow().iter().filter(|alive| **alive == Some(id)).count()
    }

    /// The next drop of a value that says `id` panics, after it was counted.
    pub(crate) fn panic_in_drop_of(&self, id: impl Into<Option<u64>>) {
        self.0.drop_panics_at.set(id.into());
    }

    /// The clone of a value says so much more.
    pub(crate) fn let_clones_say_more(&self, more: u64) {
        self.0.clones_say_more.set(more);
    }

    /// Each clone of a value that says `id` panics.
    pub(crate) fn panic_in_clone_of(&self, id: impl Into<Option<u64>>) {
        self.0.clone_panics_at.set(id.into());
    }
}

/// A value that is counted in its ledger until it is dropped.
pub(crate) struct Counted {
    /// Where the links of an intrusive list would be.
    id: u64,
    ledger: Ledger,
    /// Of the value in its ledger.
    place: usize,
}

impl Counted {
    pub(crate) fn id(&self) -> u64 {
        let written = self.ledger.0.values.borrow().get(self.place).copied().flatten();
        assert_eq!(written, Some(self.id), "the value was overwritten, or dropped before");
        self.id
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "value {}", self.id)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        if self.ledger.0.clone_panics_at.get() == Some(self.id) {
            quiet_panic();
        }
        self.ledger.value(self.id + self.ledger.0.clones_say_more.get())
    }
}

impl ToChecksum for Counted {
    fn add_to(&self, sum: &mut Checksum) {
        sum.add(&self.id());
    }
}

thread_local! {
    /// The ledger of the value that was written last.
    static WRITTEN: RefCell<Option<Ledger>> = const { RefCell::new(None) };
}

/// As what it says.
impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.set(Some(self.ledger.clone()));
        self.id().serialize(serializer)
    }
}

/// In the ledger of the value that this thread has written last; in a new one if it has written none.
impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = u64::deserialize(deserializer)?;
        Ok(WRITTEN.with_borrow_mut(|ledger| ledger.get_or_insert_default().value(id)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // A second panic while unwinding aborts the test, which is as good as failing.
        let id = self.id();
        self.ledger.0.values.borrow_mut()[self.place] = None;
        self.ledger.0.alive.set(self.ledger.0.alive.get() - 1);
        if self.ledger.0.drop_panics_at.get() == Some(id) {
            self.ledger.0.drop_panics_at.set(None);
            quiet_panic();
        }
    }
}

//! What a contender has to offer to take part, and what it may lack.

use serde::{Deserialize, Serialize};

use crate::object::Value;

/// What sort of thing a contender is. Bars compare with some of them only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A pool of this project.
    Millpond,
    /// Generational, stable address: a stale handle is refused, and a live value moves only when its store grows.
    Generational,
    /// Generational, dense: a stale handle is refused, and values move to stay adjacent.
    GenerationalDense,
    /// Stable address, not generational: plain indices, and a stale one reads another object.
    Index,
    /// An array of the program's own, without handles.
    Array,
    /// One allocation per object.
    Allocator,
    /// Gives memory back all at once only.
    Arena,
    /// C++, raw pointers, checks nothing.
    Native,
    /// C++, iterators instead of handles.
    #[cfg_attr(not(feature = "cpp"), allow(dead_code, reason = "only a C++ contender is one"))]
    NativeContainer,
    /// Not a contender: what the machine allows.
    Limit,
}

/// A way to keep objects. The types are named by a unit type, and the operations are functions, so that
/// a store may hold values that contain its own keys (the quadtree's nodes do).
///
/// A contender that lacks an optional operation leaves the default, which answers `false` and gets a dash.
pub(crate) trait Contender: 'static {
    /// As in the tables.
    const NAME: &'static str;
    const KIND: Kind;
    /// A key survives the removal of other objects.
    const KEYS_LAST: bool = true;
    /// Objects can be removed one by one, and their room is used again.
    const REMOVES: bool = true;
    /// Takes part in walks and checks like the others. Off for what copies instead of updating.
    const UPDATES: bool = true;
    /// The store knows its objects. Off where the program has to keep the keys to reach them.
    const WALKS_WITHOUT_KEYS: bool = true;

    /// What names an object.
    type Key<T: Value>: Copy + 'static;
    /// What holds the objects.
    type Store<T: Value>: 'static;

    /// A store with room for `capacity` objects, or `None` if its keys cannot name so many.
    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>>;

    /// A store with little room that grows to `capacity` objects, or, of a pool that does not grow, one with all of it.
    fn new_growing<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        let grows = Self::KIND != Kind::Millpond;
        Self::new(if grows { capacity.min(16) } else { capacity })
    }

    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T>;

    /// Panics if the key names no object, as do `get` and `get_mut`: no work has stale keys.
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T;

    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T;

    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T;

    /// The object, or `None` if the key is stale. Works call it only if the contender has [`Self::walk_shared`],
    /// and a contender has that only if it recognises a stale key.
    fn find<T: Value>(_store: &Self::Store<T>, _key: Self::Key<T>) -> Option<&T> {
        None
    }

    /// A copy of the store with all its objects, or `None` if the contender makes none.
    fn duplicate<T: Value>(_store: &Self::Store<T>) -> Option<Self::Store<T>> {
        None
    }

    /// Removes every object; the memory stays, if the contender can do that.
    fn clear<T: Value>(_store: &mut Self::Store<T>) -> bool {
        false
    }

    /// `for` over all objects. `keys` is for contenders that do not know their objects.
    fn walk_for<T: Value>(
        _store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        _visit: impl FnMut(&mut T),
    ) -> bool {
        false
    }

    /// `for_each` over all objects.
    fn walk_for_each<T: Value>(_store: &mut Self::Store<T>, _visit: impl FnMut(&mut T)) -> bool {
        false
    }

    /// Loops over slices of adjacent objects.
    fn walk_runs<T: Value>(_store: &mut Self::Store<T>, _visit: impl FnMut(&mut T)) -> bool {
        false
    }

    /// `for` over all objects, without changing them.
    fn walk_shared<T: Value>(_store: &Self::Store<T>, _visit: impl FnMut(&T)) -> bool {
        false
    }

    /// Visits all objects and removes those for which `keep` is false.
    fn retain<T: Value>(_store: &mut Self::Store<T>, _keep: impl FnMut(&mut T) -> bool) -> bool {
        false
    }

    /// Takes back what dropping the store would leak.
    fn dispose<T: Value>(_store: &mut Self::Store<T>, _keys: &[Self::Key<T>]) {}
}

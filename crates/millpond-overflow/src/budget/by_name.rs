use alloc::string::String;
use alloc::vec::Vec;

/// Values by name, in alphabetical order.
///
/// A sorted vector: a budget has some dozens of names, and the standard library's trees, one for each type of value,
/// were half of what this crate has to compile to code of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByName<V> {
    entries: Vec<(String, V)>,
}

impl<V> ByName<V> {
    pub(super) fn get(&self, name: &str) -> Option<(&str, &V)> {
        let (name, value) = &self.entries[self.find(name).ok()?];
        Some((name, value))
    }

    /// Returns the value of `name`, a new one if there was none.
    pub(super) fn or_insert(&mut self, name: &str, new: V) -> &mut V {
        let at = self.find(name).unwrap_or_else(|at| {
            self.entries.insert(at, (name.into(), new));
            at
        });
        &mut self.entries[at].1
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Where the name is, or where it belongs.
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(of, _)| of.as_str().cmp(name))
    }
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

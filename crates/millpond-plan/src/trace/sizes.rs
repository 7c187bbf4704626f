//! The classes of a recording of the heap, which are the sizes that the program requests.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::CLASSES_MAX;

/// Numbers sizes in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    classes: HashMap<u64, u32, foldhash::fast::RandomState>,
    sizes: Vec<u64>,
}

impl Sizes {
    /// The class of a size.
    ///
    /// # Errors
    /// If there are too many different sizes.
    pub(super) fn class(&mut self, bytes: u64) -> Result<u32, String> {
        match self.classes.entry(bytes) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(_) if self.sizes.len() == CLASSES_MAX => {
                Err(format!("more than {CLASSES_MAX} different sizes"))
            }
            Entry::Vacant(place) => {
                let class = self.sizes.len() as u32;
                self.sizes.push(bytes);
                Ok(*place.insert(class))
            }
        }
    }

    /// The size of a class.
    #[inline]
    pub(super) fn bytes(&self, class: u32) -> u64 {
        self.sizes[class as usize]
    }

    /// The size of each class.
    pub(super) fn into_sizes(self) -> Vec<u64> {
        self.sizes
    }
}

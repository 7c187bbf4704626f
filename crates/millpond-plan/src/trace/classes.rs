//! Class names and their numbers.

use std::collections::HashMap;

use super::CLASSES_MAX;
use crate::input::decoded;

/// The maximum length of a class's name in bytes.
pub(super) const NAME_BYTES_MAX: usize = 255;

/// Numbers class names in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Classes {
    numbers: HashMap<Box<[u8]>, u32, foldhash::fast::RandomState>,
    names: Vec<Box<[u8]>>,
}

impl Classes {
    /// The number of a known or new name; the reason if it cannot have one.
    #[inline]
    pub(super) fn number(&mut self, name: &[u8]) -> Result<u32, String> {
        match self.numbers.get(name) {
            Some(&number) => Ok(number),
            None => self.add(name),
        }
    }

    #[cold]
    fn add(&mut self, name: &[u8]) -> Result<u32, String> {
        if name.is_empty() {
            return Err("the class is empty, expected a name".to_owned());
        }
        if name.first() == Some(&b'"') {
            // Taken literally, `"a,b"` would be two columns and a wrong class.
            return Err(format!(
                "the class `{}` is quoted, expected a name without quotes and commas",
                crate::error::shown(name)
            ));
        }
        if name.len() > NAME_BYTES_MAX {
            return Err(format!(
                "the class has {} bytes, expected at most {NAME_BYTES_MAX}",
                name.len()
            ));
        }
        if self.names.len() == CLASSES_MAX {
            return Err(format!(
                "more than {CLASSES_MAX} classes; a class is a type of object, not a single object"
            ));
        }
        if std::str::from_utf8(name).is_err() {
            // The same class may be written both ways, in a file that was put together from two.
            let number = self.number(decoded(name).as_bytes())?;
            self.numbers.insert(name.into(), number);
            return Ok(number);
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.into(), number);
        self.names.push(name.into());
        Ok(number)
    }

    /// The name with a number that [`number`](Self::number) has returned.
    #[inline]
    pub(super) fn name(&self, number: u32) -> &[u8] {
        &self.names[number as usize]
    }

    /// All names in the order of their numbers.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names.into_iter().map(|name| decoded(&name).into_owned()).collect()
    }
}

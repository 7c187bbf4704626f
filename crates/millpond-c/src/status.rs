//! Status codes, and what they mean. A test compares their words with those of the library (`reports/errors.rs`,
//! `handle/refusal.rs`) where both have them.

use core::ffi::{CStr, c_char};

use millpond::{BuildError, InsertAtErrorKind, Refusal};

/// One of the header's `MP_` codes.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(i32);

macro_rules! statuses {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        impl Status {
            $(#[allow(dead_code, reason = "some are of the header's own functions")]
            pub(crate) const $name: Self = Self($code);)*

            /// Every code with its name, for the test that reads the header.
            pub(crate) const ALL: &'static [(&'static CStr, i32)] = &[
                $((match CStr::from_bytes_with_nul(concat!("MP_", stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                }, $code),)*
            ];

            fn text(self) -> &'static CStr {
                match self.0 {
                    $($code => $text,)*
                    _ => c"not a status of this library",
                }
            }
        }
    };
}

statuses! {
    OK = 0, c"all is well";
    NULL_POINTER = 1, c"an argument is null that must not be";
    BAD_OPTIONS = 2, c"an option has an invalid value";
    OTHER_VERSION = 3, c"the program was compiled with the header of another version of the library";
    UNKNOWN_OPTIONS = 4, c"an option is set that only a later version of the library has";
    TOO_MANY_SLOTS = 5, c"the handles have too few index bits for that many slots";
    SMALL_MEMORY = 6, c"the memory has too few bytes";
    OUT_OF_MEMORY = 7, c"there is not enough memory";
    OUT_OF_RANGE = 9, c"the pool has no such slot";
    STALE = 10, c"stale: the slot has already had that lifetime";
    NEVER_ISSUED = 11, c"never issued: its slot has not reached that generation; it may be another pool's";
    OTHER_POOL = 12, c"it is another pool's, because this one has never issued such a generation";
    OCCUPIED = 13, c"the slot is live: remove its object first";
    RETIRED = 14, c"the slot is retired: its generations are used up";
    BEYOND_LIFETIMES = 15, c"the generation is beyond the slot's lifetimes";
    OTHER_SHAPE = 16, c"the state is of a pool with other options";
    BAD_STATE = 17, c"the bytes are not the state of a pool";
    BROKEN = 18, c"an invariant does not hold: the pool was overwritten";
    NOT_KEPT = 19, c"the pool was created without an option that this needs";
    WRITE_FAILED = 20, c"the recording could not be written";
    OTHER_VALUES = 21, c"the pool has values of another size or alignment";
    OTHER_HANDLES = 22, c"the pool has other index bits";
    TOO_FAR = 23, c"the slot is far beyond the others of a pool that grows: reserve slots first";
    DETACHED = 24, c"an object is out of the pool: reattach it, or free its slot, before the pool is saved";
    TOO_FEW_SLOTS = 25, c"the state has more slots in use than the pool may have";
}

impl From<BuildError> for Status {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::CapacityTooLarge { .. } => Self::TOO_MANY_SLOTS,
            BuildError::OutOfMemory { .. } => Self::OUT_OF_MEMORY,
            _ => Self::BAD_OPTIONS,
        }
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Stale => Self::STALE,
            Refusal::NeverIssued => Self::NEVER_ISSUED,
            Refusal::OtherPool => Self::OTHER_POOL,
            _ => Self::OUT_OF_RANGE,
        }
    }
}

impl From<InsertAtErrorKind> for Status {
    fn from(kind: InsertAtErrorKind) -> Self {
        match kind {
            InsertAtErrorKind::Occupied => Self::OCCUPIED,
            InsertAtErrorKind::Retired => Self::RETIRED,
            InsertAtErrorKind::Stale => Self::STALE,
            InsertAtErrorKind::BeyondLifetimes => Self::BEYOND_LIFETIMES,
            InsertAtErrorKind::OutOfMemory => Self::OUT_OF_MEMORY,
            _ => Self::OUT_OF_RANGE,
        }
    }
}

/// The status of what may fail.
pub(crate) fn status_of(result: Result<(), Status>) -> Status {
    match result {
        Ok(()) => Status::OK,
        Err(status) => status,
    }
}

/// What a status means.
#[unsafe(no_mangle)]
pub extern "C" fn mp_status_text(status: Status) -> *const c_char {
    status.text().as_ptr()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Some words stand here and in the library, and C has fewer codes than the library has reasons: what is the same
    /// there is the same here.
    #[test]
    fn the_words_are_those_of_the_library() {
        let text = |status: Status| status.text().to_str().unwrap();
        for refusal in [Refusal::NeverIssued, Refusal::OtherPool] {
            assert_eq!(text(refusal.into()), refusal.to_string());
        }
        for kind in [InsertAtErrorKind::Occupied, InsertAtErrorKind::Retired] {
            assert_eq!(text(kind.into()), kind.to_string());
        }
        // Of a lookup and of an insertion at a handle.
        assert_eq!(Status::from(Refusal::Stale), Status::from(InsertAtErrorKind::Stale));
        assert!(
            Refusal::Stale.to_string().starts_with("stale: ")
                && text(Status::STALE).starts_with("stale: ")
        );
    }
}

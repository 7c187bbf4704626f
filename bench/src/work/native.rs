//! Contenders in C++: Boost.Pool, plf::colony, foonathan/memory. The loops are in C++ too, in `cpp/works.hpp`;
//! this side makes them, runs them and compares their checksums.

use std::ffi::c_uint;
use std::ptr::NonNull;
use std::time::Duration;

use super::Case;
use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Timed};

/// A `Lap` of the C++ side.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

#[repr(C)]
struct NativeTimed {
    nanoseconds: u64,
    operations: u64,
}

#[repr(C)]
struct NativeCase {
    slots: usize,
    percent: usize,
    operations: usize,
}

type Make = unsafe extern "C" fn(c_uint, usize, NativeCase) -> *mut Opaque;

unsafe extern "C" {
    fn bench_lap(lap: *mut Opaque) -> NativeTimed;
    fn bench_checksum(lap: *mut Opaque) -> u64;
    fn bench_free(lap: *mut Opaque);
    #[cfg(boost_pool)]
    fn bench_boost_pool(work: c_uint, payload_words: usize, case: NativeCase) -> *mut Opaque;
    #[cfg(plf_colony)]
    fn bench_plf_colony(work: c_uint, payload_words: usize, case: NativeCase) -> *mut Opaque;
    #[cfg(foonathan_memory)]
    fn bench_foonathan_memory(work: c_uint, payload_words: usize, case: NativeCase) -> *mut Opaque;
}

/// Those whose headers were installed when this was built. plf::colony has iterators that nothing checks, but
/// it walks and keeps more in order than a free list, so it is no bar for churn.
const CONTENDERS: &[(&str, Kind, Make)] = &[
    #[cfg(boost_pool)]
    ("Boost.Pool (C++)", Kind::Native, bench_boost_pool),
    #[cfg(foonathan_memory)]
    ("foonathan/memory (C++)", Kind::Native, bench_foonathan_memory),
    #[cfg(plf_colony)]
    ("plf::colony (C++)", Kind::NativeContainer, bench_plf_colony),
];

/// The C++ contenders at a work that has a number on their side.
pub(crate) fn candidates(
    work: c_uint,
    payload_words: usize,
    case: Case,
    operations: usize,
) -> impl Iterator<Item = Candidate> {
    CONTENDERS.iter().map(move |&(name, kind, make)| Candidate {
        name,
        kind,
        prepare: Box::new(move || {
            let case = NativeCase { slots: case.slots, percent: case.percent, operations };
            // SAFETY: `make` takes any numbers, and answers null to those that it does not know.
            let lap = NonNull::new(unsafe { make(work, payload_words, case) })?;
            Some(Box::new(NativeLap(lap)))
        }),
    })
}

struct NativeLap(NonNull<Opaque>);

impl Lap for NativeLap {
    fn lap(&mut self) -> Timed {
        // SAFETY: the pointer is to a live `Lap` that only this owns.
        let timed = unsafe { bench_lap(self.0.as_ptr()) };
        Timed::whole(Duration::from_nanos(timed.nanoseconds), timed.operations as usize)
    }

    fn checksum(&mut self) -> Option<u64> {
        // SAFETY: as in `lap`.
        Some(unsafe { bench_checksum(self.0.as_ptr()) })
    }
}

impl Drop for NativeLap {
    fn drop(&mut self) {
        // SAFETY: as in `lap`, and it is not used after this.
        unsafe { bench_free(self.0.as_ptr()) }
    }
}

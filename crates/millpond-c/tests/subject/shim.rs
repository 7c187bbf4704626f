//! The shared library of `shim.c`, made of the header and the static library that C programs get.
//!
//! # Invariant
//!
//! The functions are `shim.c`'s, with the types that they have there, and stay loaded.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::process::Command;
use std::ptr;
use std::sync::OnceLock;

use crate::support::{here, library, made, run, strict};

/// `mp_options`.
#[repr(C)]
pub(super) struct Options {
    pub(super) size: u32,
    pub(super) slots: u32,
    pub(super) value_bytes: u32,
    pub(super) value_align: u32,
    pub(super) order: u32,
    pub(super) index_bits: u32,
    pub(super) full: u32,
    pub(super) lifetimes: u32,
    pub(super) flags: u32,
    pub(super) slots_max: u32,
    pub(super) salt: u64,
    pub(super) name: *const c_char,
    pub(super) memory: *mut c_void,
    pub(super) memory_bytes: usize,
    pub(super) take: *mut c_void,
    pub(super) give: *mut c_void,
    pub(super) user: *mut c_void,
}

/// `mp_stats`.
#[repr(C)]
pub(super) struct StatsInC {
    pub(super) capacity: u64,
    pub(super) live: u64,
    pub(super) peak: u64,
    pub(super) retired: u64,
    pub(super) inserted: u64,
    pub(super) removed: u64,
    pub(super) refused: u64,
    pub(super) evicted: u64,
}

pub(super) type Pool = *mut c_void;
pub(super) type InsertOrEvict =
    unsafe extern "C" fn(Pool, u32, *mut i64, *mut u64, *mut u64, *mut c_void) -> *mut c_void;
pub(super) type StateBytes = unsafe extern "C" fn(Pool) -> usize;
pub(super) type WriteState = unsafe extern "C" fn(Pool, *mut c_void, usize) -> i32;
pub(super) type Validate = unsafe extern "C" fn(Pool, *mut c_char, usize) -> i32;

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

macro_rules! functions {
    ($($name:ident($($type:ty),*) $(-> $result:ty)?;)+) => {
        /// The functions.
        pub(super) struct Shim {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)+
        }

        impl Shim {
            fn load(path: &CStr) -> Self {
                const RTLD_NOW: c_int = 2;
                // SAFETY: the path is text; what the library does when it is loaded is nothing.
                let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
                assert!(!library.is_null(), "{path:?}");
                let find = |name: &CStr| {
                    // SAFETY: the library is loaded, and the name is text.
                    let found = unsafe { dlsym(library, name.as_ptr()) };
                    assert!(!found.is_null(), "{name:?}");
                    found
                };
                Self {
                    $($name: {
                        let name = CString::new(concat!("shim_", stringify!($name))).unwrap();
                        // SAFETY: it has this type in `shim.c`.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($type),*) $(-> $result)?,
                            >(find(&name))
                        }
                    },)+
                }
            }
        }
    };
}

functions! {
    create(*const Options, *mut Pool) -> i32;
    insert(Pool, u32, *mut u64) -> *mut c_void;
    remove(Pool, u32, u64) -> bool;
    get(Pool, u32, u64) -> *mut c_void;
    contains(Pool, u32, u64) -> bool;
    live(Pool) -> usize;
    capacity(Pool) -> usize;
    capacity_max(Pool) -> usize;
    runs(Pool, *mut [usize; 2]) -> usize;
    handle_at(Pool, u32, usize) -> u64;
    next_handle(Pool, u32) -> u64;
    insert_at(Pool, u32, u64, *mut *mut c_void) -> i32;
    check(Pool, u32, u64) -> i32;
    insert_or_evict(Pool, u32, *mut i64, *mut u64, *mut u64, *mut c_void) -> *mut c_void;
    pool_destroy(Pool);
    pool_clear(Pool);
    pool_refresh(Pool);
    pool_index_of(Pool, *const c_void) -> usize;
    pool_stats(Pool) -> StatsInC;
    pool_validate(Pool, *mut c_char, usize) -> i32;
    pool_checksum(Pool) -> u64;
    snapshot_create(*const Options, *mut *mut c_void) -> i32;
    snapshot_destroy(*mut c_void);
    pool_save(Pool, *mut c_void) -> i32;
    pool_restore(Pool, *mut c_void) -> i32;
    detach(Pool, u32, u64) -> i32;
    reattach(Pool, u32, u64, *mut *mut c_void) -> i32;
    free_detached(Pool, u32, u64) -> bool;
    pool_state_bytes(Pool) -> usize;
    pool_write_state(Pool, *mut c_void, usize) -> i32;
    pool_migrate(Pool, *const c_void, usize) -> i32;
    packed_create(*const Options, *mut Pool) -> i32;
    packed_insert(Pool, u32, *mut u64) -> *mut c_void;
    packed_remove(Pool, u32, u64) -> bool;
    packed_get(Pool, u32, u64) -> *mut c_void;
    packed_handle_at(Pool, u32, usize) -> u64;
    packed_next_handle(Pool, u32) -> u64;
    packed_insert_at(Pool, u32, u64, *mut *mut c_void) -> i32;
    packed_insert_or_evict(Pool, u32, *mut i64, *mut u64, *mut u64, *mut c_void) -> *mut c_void;
    packed_slots(Pool) -> Pool;
    packed_count(Pool) -> usize;
    packed_values(Pool) -> *mut c_void;
    packed_destroy(Pool);
    packed_clear(Pool);
    packed_validate(Pool, *mut c_char, usize) -> i32;
    packed_checksum(Pool) -> u64;
    packed_copy(Pool, Pool) -> i32;
    packed_detach(Pool, u32, u64) -> i32;
    packed_reattach(Pool, u32, u64, *mut *mut c_void) -> i32;
    packed_free_detached(Pool, u32, u64) -> bool;
    packed_state_bytes(Pool) -> usize;
    packed_write_state(Pool, *mut c_void, usize) -> i32;
    packed_migrate(Pool, *const c_void, usize) -> i32;
}

impl Options {
    /// All that is not chosen is 0.
    pub(super) fn of(slots: u32, value_bytes: u32, value_align: u32) -> Self {
        Self {
            size: size_of::<Self>() as u32,
            slots,
            value_bytes,
            value_align,
            order: 0,
            index_bits: 0,
            full: 0,
            lifetimes: 0,
            flags: 0,
            slots_max: 0,
            salt: 0,
            name: ptr::null(),
            memory: ptr::null_mut(),
            memory_bytes: 0,
            take: ptr::null_mut(),
            give: ptr::null_mut(),
            user: ptr::null_mut(),
        }
    }
}

/// The library, made once for each program of tests.
pub(super) fn shim() -> &'static Shim {
    static SHIM: OnceLock<Shim> = OnceLock::new();
    SHIM.get_or_init(|| {
        let library = library().expect("gcc and the binutils (apt-get install gcc binutils)");
        let path = made("subject").join(format!("shim-{}.so", env!("CARGO_CRATE_NAME")));
        let mut compile: Command = strict("gcc");
        compile.args(["-std=c99", "-O2", "-shared", "-fPIC"]);
        compile.arg(here().join("tests/subject/shim.c")).arg(library).arg("-o").arg(&path);
        run(&mut compile);
        Shim::load(&CString::new(path.into_os_string().into_encoded_bytes()).unwrap())
    })
}

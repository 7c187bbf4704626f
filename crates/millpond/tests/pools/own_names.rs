//! The library's macros in a module whose own items have the names that the macros use.

#![allow(
    dead_code,
    non_camel_case_types,
    unused_imports,
    unused_macros,
    reason = "the names are there to be in the way"
)]

/// Derives that are not those of their names.
use core::prelude::v1::{
    Debug as Clone, Debug as Copy, Debug as Eq, Debug as Hash, Debug as Ord, Debug as PartialEq,
    Debug as PartialOrd,
};

macro_rules! types {
    ($($name:ident)*) => { $(struct $name {})* };
}
types! { Option Result Some None Ok Err Default FromStr Display Formatter Serialize Serializer Deserialize }
types! { Handle Handle32 HandleType Checksum ToChecksum Saved SnapshotError Pooled CoercesFrom Error String str }
types! { bool u32 u64 usize }

macro_rules! write {
    ($($any:tt)*) => {
        compile_error!("the program's own")
    };
}
macro_rules! stringify {
    ($($any:tt)*) => {
        compile_error!("the program's own")
    };
}
macro_rules! concat {
    ($($any:tt)*) => {
        compile_error!("the program's own")
    };
}
macro_rules! matches {
    ($($any:tt)*) => {
        compile_error!("the program's own")
    };
}

struct Concrete {}
struct T {}
trait Hears<Input> {
    fn hear(&self, input: Input) -> i8;
}
impl Hears<Concrete> for i8 {
    fn hear(&self, _: Concrete) -> i8 {
        *self
    }
}
impl Hears<T> for i8 {
    fn hear(&self, _: T) -> i8 {
        -*self
    }
}
millpond::any_pool_trait!(dyn Hears<Concrete>);
millpond::any_pool_trait!(dyn Hears<T> + Send);

millpond::handle_type! {
    struct S;
    struct D;
    struct Small: Handle32<20>;
}

type Look = for<'a> fn(&'a i8) -> &'a i8;
millpond::saved_struct! {
    struct World as Frame {
        ships: millpond::Pool<i8>,
        look: Look => kept,
        twin: for<'a> fn(&'a i8) -> &'a i8 => unsaved,
        names: millpond::Pool<i8> => cloned,
        sum: i8 => kept,
    }
}

struct Shot {
    sum: i8,
    value: i8,
    next: i8,
}
millpond::checksum_fields!(Shot { sum, value } without { next });

enum Voice<T> {
    Playing(T),
    Unused { next: core::option::Option<core::primitive::u32> },
}
millpond_classic::pooled!(<T> Voice<T>, Unused);

#[test]
fn macros_do_not_take_a_programs_own_items_for_theirs() {
    let mut any = millpond::AnyPool::<dyn Hears<Concrete>, 16>::new(1);
    let handle = any.insert(millpond::AnyValue::new(7_i8)).unwrap();
    assert_eq!(any[handle].hear(Concrete {}), 7);

    let mut keys = millpond::Pool::<i8, millpond::reuse::Lifo, S>::with_capacity(2);
    let key = keys.insert(1).unwrap();
    assert_eq!(format!("{key:?} {key}"), "S(0v1) 0v1");
    assert!(
        key == "0v1".parse().unwrap()
            && S::from_bits(key.to_bits()) == core::option::Option::Some(key)
    );

    let mut sums = [millpond::snapshot::Checksum::new(), millpond::snapshot::Checksum::new()];
    sums[0].add(&Shot { sum: 1, value: 2, next: 3 });
    sums[1].add(&Shot { sum: 1, value: 2, next: 4 });
    assert_eq!(sums[0].finish(), sums[1].finish());

    let mut voices = millpond_classic::ObjectPool::<Voice<i8>, 2>::new();
    voices.create(Voice::Playing(1)).map_err(drop).unwrap();
    assert_eq!(voices.len(), 1);

    let names = millpond::debug::forgotten_fields(
        [Shot { sum: 1, value: 1, next: 1 }, Shot { sum: 2, value: 2, next: 2 }],
        |shot| shot.sum = 0,
        &millpond::fields!(Shot: sum, value),
    );
    assert_eq!(names, ["value"]);
}

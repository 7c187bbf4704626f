//! Finding the parts of an object that an initialiser leaves unchanged.

use alloc::vec::Vec;

/// The names of the fields that `init` leaves to the past: those in which two objects still differ after `init` has run
/// on each. The two objects in `fills` have to differ in every field before.
///
/// Reused memory holds a past life, and a past life looks right: an initialiser that forgets a field goes unnoticed
/// until the object before was of another kind. Two fills tell what it wrote from what was there; with one, a value that
/// happens to be that of the fill would look forgotten. A field that is changed by what was there, as by `+=`, is named
/// too, and so is one that is set to NaN, which does not equal itself.
///
/// [`fields!`](crate::fields) makes the list of fields. For plain bytes, `forgotten_bytes` (feature `bytemuck`) needs
/// neither fills nor fields.
///
/// ```
/// use millpond::debug::forgotten_fields;
///
/// struct Enemy {
///     health: i32,
///     name: String,
///     target: Option<u32>,
/// }
///
/// fn make_orc(enemy: &mut Enemy) {
///     enemy.health = 30;
///     enemy.name.replace_range(.., "orc");
/// }
///
/// let fills = [
///     Enemy { health: i32::MIN, name: "?".into(), target: None },
///     Enemy { health: i32::MAX, name: "!".into(), target: Some(u32::MAX) },
/// ];
/// let forgotten = forgotten_fields(fills, make_orc, &millpond::fields!(Enemy: health, name, target));
/// assert_eq!(forgotten, ["target"]); // an orc hunts what somebody else hunted
/// ```
///
/// # Panics
///
/// If the two fills have equal values in a field: then nothing could be said about it.
#[track_caller]
pub fn forgotten_fields<T>(
    mut fills: [T; 2],
    mut init: impl FnMut(&mut T),
    fields: &[Field<T>],
) -> Vec<&'static str> {
    for (name, are_equal) in fields {
        assert!(!are_equal(&fills[0], &fills[1]), "the two fills have the same `{name}`");
    }
    fills.iter_mut().for_each(&mut init);
    let forgotten = fields.iter().filter(|(_, are_equal)| !are_equal(&fills[0], &fills[1]));
    forgotten.map(|(name, _)| *name).collect()
}

/// The name of a field, and whether two objects have equal values in it.
pub type Field<T> = (&'static str, fn(&T, &T) -> bool);

/// The list of fields for [`debug::forgotten_fields`](crate::debug::forgotten_fields): `fields!(Type: field, field, …)`.
#[macro_export]
macro_rules! fields {
    ($type:ty: $($field:ident),+ $(,)?) => {
        [$((
            ::core::stringify!($field),
            (|one: &$type, other: &$type| one.$field == other.$field) as fn(&$type, &$type) -> bool,
        )),+]
    };
}

/// The bytes of a `T` that `init` leaves to the past, as ranges: those in which two objects differ after `init` has run on
/// each, one of which was filled with `0x1deadb0b` before, the other with the complement. Compare with
/// [`offset_of!`](core::mem::offset_of).
///
/// ```
/// use std::mem::offset_of;
///
/// use millpond::debug::forgotten_bytes;
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Spark {
///     x: f32,
///     y: f32,
///     frames_left: u32,
/// }
/// // SAFETY: numbers without padding, for which all bits are good. (bytemuck's derives check that.)
/// unsafe impl bytemuck::Zeroable for Spark {}
/// // SAFETY: as above.
/// unsafe impl bytemuck::Pod for Spark {}
///
/// let forgotten = forgotten_bytes(|spark: &mut Spark| (spark.x, spark.frames_left) = (5.0, 60));
/// let y = offset_of!(Spark, y);
/// assert_eq!(forgotten, [y..y + 4]);
/// ```
#[cfg(feature = "bytemuck")]
pub fn forgotten_bytes<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    mut init: impl FnMut(&mut T),
) -> Vec<core::ops::Range<usize>> {
    let mut after = |flip: u8| {
        let mut object = T::zeroed();
        for (at, byte) in bytemuck::bytes_of_mut(&mut object).iter_mut().enumerate() {
            *byte = super::fill::DEAD[at % 4] ^ flip;
        }
        init(&mut object);
        object
    };
    let (one, other) = (after(0), after(0xff));
    let pairs = bytemuck::bytes_of(&one).iter().zip(bytemuck::bytes_of(&other));
    let mut forgotten: Vec<core::ops::Range<usize>> = Vec::new();
    for (at, _) in pairs.enumerate().filter(|(_, (one, other))| one != other) {
        match forgotten.last_mut() {
            Some(range) if range.end == at => range.end += 1,
            _ => forgotten.push(at..at + 1),
        }
    }
    forgotten
}

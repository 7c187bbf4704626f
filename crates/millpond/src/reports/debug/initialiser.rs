//! Finding the parts of an object that an initialiser leaves unchanged.

use alloc::vec::Vec;

/// Returns the names of the fields that `init` does not initialise: those in which the two objects
/// in `fills` still differ after `init` has run on each. The two objects must differ in every field
/// before.
///
/// A reused object still holds plausible values of its last lifetime, so an initialiser that
/// forgets a field goes unnoticed until the previous object was of another kind. Two fills
/// distinguish what `init` wrote from what was there before; with one, a value that happens to
/// equal the fill would look forgotten. A field whose new value depends on the old one, as with
/// `+=`, is also listed, and so is a field set to NaN, which does not equal itself.
///
/// [`fields!`](crate::fields) builds the list of fields. For plain bytes, `forgotten_bytes`
/// (feature `bytemuck`) needs neither fills nor fields.
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
/// If the two fills have equal values in a field, because that field could not be checked.
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

/// The name of a field, and a function that compares it in two objects.
pub type Field<T> = (&'static str, fn(&T, &T) -> bool);

/// Builds the list of fields for [`debug::forgotten_fields`](crate::debug::forgotten_fields):
/// `fields!(Type: field, field, …)`.
#[macro_export]
macro_rules! fields {
    ($type:ty: $($field:ident),+ $(,)?) => {
        [$((
            ::core::stringify!($field),
            (|one: &$type, other: &$type| one.$field == other.$field) as fn(&$type, &$type) -> ::core::primitive::bool,
        )),+]
    };
}

/// Returns the bytes of a `T` that `init` does not initialise, as ranges. `init` runs on two
/// objects, one filled with `0x1deadb0b` and the other with its complement; the ranges are the
/// bytes that still differ. Compare them with [`offset_of!`](core::mem::offset_of).
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

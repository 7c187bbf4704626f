//! The colours of the panel: bright on dark, and distinguishable with red-green colour blindness.

use egui::Color32;

/// The background of the plots and the map.
pub(crate) const GROUND: Color32 = Color32::from_rgb(20, 22, 28);
/// A slot that is dead, or was never used.
pub(crate) const DEAD: Color32 = Color32::from_rgb(38, 40, 46);
/// A slot that died just now.
pub(crate) const FRESHLY_DEAD: Color32 = Color32::from_rgb(120, 40, 40);
/// For warnings.
pub(crate) const WARNING: Color32 = Color32::from_rgb(230, 90, 70);
/// The bar that shows how full a pool is, and the same for a nearly full pool; white text is
/// legible on both.
pub(crate) const BAR: Color32 = Color32::from_rgb(28, 110, 98);
pub(crate) const WARNING_BAR: Color32 = Color32::from_rgb(176, 58, 42);
pub(crate) const LIVE: Color32 = Color32::from_rgb(53, 183, 158);
pub(crate) const PEAK: Color32 = Color32::from_rgb(226, 178, 76);

/// Colours from one end to the other.
pub(crate) type Scale = [Color32; 4];

/// From new to old.
pub(crate) const AGES: Scale = [
    Color32::from_rgb(255, 244, 140),
    Color32::from_rgb(94, 201, 98),
    Color32::from_rgb(33, 145, 140),
    Color32::from_rgb(68, 80, 160),
];

/// From the first lifetime to the latest of the busiest slot.
pub(crate) const GENERATIONS: Scale = [
    Color32::from_rgb(74, 52, 128),
    Color32::from_rgb(170, 62, 132),
    Color32::from_rgb(240, 120, 92),
    Color32::from_rgb(255, 226, 150),
];

/// The colour at a place from 0 to 1.
pub(crate) fn at(scale: &Scale, share: f32) -> Color32 {
    let place = share.clamp(0.0, 1.0) * (scale.len() - 1) as f32;
    let below = (place as usize).min(scale.len() - 2);
    scale[below].lerp_to_gamma(scale[below + 1], place - below as f32)
}

/// Where a number from 0 to a largest one is on a scale: most steps for the small ones.
pub(crate) fn place(number: f32, largest: f32) -> f32 {
    if largest > 0.0 { number.max(0.0).ln_1p() / largest.ln_1p() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_scale_are_its_ends() {
        assert_eq!(at(&AGES, place(0.0, 7.0)), AGES[0]);
        assert_eq!(at(&AGES, place(7.0, 7.0)), AGES[3]);
        assert_eq!(at(&AGES, place(0.0, 0.0)), AGES[0]);
        assert_eq!(at(&AGES, 1.0 / 3.0), AGES[1]);
    }
}

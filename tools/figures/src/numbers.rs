//! How numbers are written.

/// With about three digits.
pub(crate) fn short(figure: f64) -> String {
    if figure < 10.0 {
        format!("{figure:.2}")
    } else if figure < 100.0 {
        format!("{figure:.1}")
    } else {
        thousands(figure)
    }
}

pub(crate) fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

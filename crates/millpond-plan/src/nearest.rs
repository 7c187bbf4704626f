//! The names that a user may have meant by a pattern that fits none.

use std::cmp::Reverse;

use crate::error::shown;
use crate::pattern::Pattern;

/// How many names are told.
const TOLD_MAX: usize = 3;

/// How alike a name has to be, from 0 to 1.
const ALIKE_MIN: f64 = 0.6;

/// A class by its name, and the functions that request its objects.
#[derive(Debug, Clone)]
pub struct Known<'n> {
    /// The class, or the size in bytes.
    pub name: String,
    /// The functions.
    pub functions: Vec<&'n str>,
}

/// What to say if `--class` fits none of the classes: the nearest of them, by their names, by their numbers if they are sizes, or
/// by the functions that request them. `None` if it fits one.
///
/// ```
/// use millpond_plan::nearest::{Known, fits_nothing};
/// use millpond_plan::pattern::Pattern;
///
/// let known = |name: &str| Known { name: name.to_owned(), functions: Vec::new() };
/// let classes = [known("Bullet"), known("Imp")];
/// assert_eq!(fits_nothing(&Pattern::new("Bul*"), &classes), None);
/// let told = fits_nothing(&Pattern::new("bulet"), &classes);
/// assert_eq!(told.as_deref(), Some("--class: `bulet` fits no class; the nearest is Bullet"));
/// ```
#[must_use]
pub fn fits_nothing(pattern: &Pattern, classes: &[Known<'_>]) -> Option<String> {
    if classes.iter().any(|class| pattern.matches(&class.name)) {
        return None;
    }
    let wanted = shown(pattern.text().as_bytes());
    Some(format!("--class: `{wanted}` fits no class{}", nearest(pattern, classes)))
}

fn nearest(pattern: &Pattern, classes: &[Known<'_>]) -> String {
    let sizes: Option<Vec<u64>> = classes.iter().map(|class| class.name.parse().ok()).collect();
    let names = match (sizes.filter(|sizes| !sizes.is_empty()), pattern.text().parse::<u64>()) {
        (None, _) => alike(pattern, classes.iter().map(|class| class.name.as_str())),
        (Some(mut sizes), Ok(wanted)) => {
            sizes.sort_by_key(|&size| (size.abs_diff(wanted), size));
            sizes.dedup();
            sizes.iter().map(u64::to_string).collect()
        }
        (Some(_), Err(_)) => return nearest_function(pattern, classes),
    };
    told(&names)
}

fn told(names: &[String]) -> String {
    let names: Vec<String> =
        names.iter().take(TOLD_MAX).map(|name| shown(name.as_bytes())).collect();
    match &names[..] {
        [] => String::new(),
        [only] => format!("; the nearest is {only}"),
        [others @ .., last] => format!("; the nearest are {} and {last}", others.join(", ")),
    }
}

/// Classes of a recording of the heap are sizes: one asked for a type or a function has that of its blocks.
fn nearest_function(pattern: &Pattern, classes: &[Known<'_>]) -> String {
    let wanted = plain(pattern.text());
    let has = |class: &&Known<'_>| {
        !wanted.is_empty()
            && class.functions.iter().any(|function| plain(function).contains(&wanted))
    };
    let mut sizes: Vec<&str> = Vec::new();
    for class in classes.iter().filter(has) {
        if !sizes.contains(&class.name.as_str()) && sizes.len() < TOLD_MAX {
            sizes.push(&class.name);
        }
    }
    let what = ", which are sizes in bytes here";
    match &sizes[..] {
        [] => what.to_owned(),
        sizes => format!("{what}; a function of that name requests {}", sizes.join(", ")),
    }
}

/// The names that are alike, the most alike first: those that differ in letters' case or contain it, then by their letters.
fn alike<'n>(pattern: &Pattern, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted = plain(pattern.text());
    let mut alike: Vec<(Reverse<u32>, &str)> = names
        .filter_map(|name| {
            let plain = plain(name);
            let likeness = match () {
                () if wanted.is_empty() => return None,
                () if plain == wanted => 1.0,
                () if plain.contains(&wanted) => 0.99,
                () => strsim::jaro_winkler(&plain, &wanted),
            };
            (likeness >= ALIKE_MIN).then_some((Reverse((likeness * 1e6) as u32), name))
        })
        .collect();
    alike.sort_unstable();
    alike.dedup();
    alike.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// A name without what is easily mistyped.
fn plain(text: &str) -> String {
    text.chars().filter(|&c| c != '*').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pattern: &str, names: &[&str]) -> Option<String> {
        let known = |name: &&str| Known {
            name: (*name).to_owned(),
            functions: vec!["new<Bullet> in shoot"],
        };
        let classes: Vec<Known<'_>> = names.iter().map(known).collect();
        let prefix = format!("--class: `{}` fits no class", shown(pattern.as_bytes()));
        fits_nothing(&Pattern::new(pattern), &classes)
            .map(|said| said.strip_prefix(&prefix).expect(&said).to_owned())
    }

    #[test]
    fn names_that_are_alike_are_told_the_most_alike_first() {
        let names = ["Imp", "Bullet", "BulletPuff", "Blood", "bullets"];
        assert_eq!(said("Imp", &names), None);
        let near = |names: &str| Some(format!("; the nearest {names}"));
        assert_eq!(said("imp", &names), near("is Imp"));
        assert_eq!(said("*puff", &names), near("is BulletPuff"));
        assert_eq!(said("bullet", &names), near("are Bullet, BulletPuff and bullets"));
        assert_eq!(said("zzz", &names), Some(String::new()));
        assert_eq!(said("**", &[]), Some(String::new()));
        assert_eq!(said("\x1b", &[]), Some(String::new()));
    }

    #[test]
    fn sizes_are_told_by_their_numbers_or_by_who_requests_them() {
        let sizes = ["200", "48", "56", "1"];
        assert_eq!(said("200", &sizes), None);
        assert_eq!(said("50", &sizes).as_deref(), Some("; the nearest are 48, 56 and 1"));
        let type_name = said("*bullet*", &sizes);
        assert_eq!(
            type_name.as_deref(),
            Some(", which are sizes in bytes here; a function of that name requests 200, 48, 56")
        );
        assert_eq!(said("Imp", &sizes).as_deref(), Some(", which are sizes in bytes here"));
    }
}

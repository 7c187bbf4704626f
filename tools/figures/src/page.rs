//! The places of a page that have figures of records, and what lies outside of them.

const TABLE: &str = "<!-- figures: ";
const TABLE_END: &str = "<!-- end -->";
const SINGLE: &str = "<!-- = ";
const SINGLE_END: &str = "<!-- = -->";
const CLOSING: &str = " -->";

/// A place with a figure: its name, where its text begins and ends, and where the page goes on.
struct Place<'a> {
    name: &'a str,
    begins: usize,
    ends: usize,
    after: usize,
}

/// The first place from `from` on.
fn next(text: &str, from: usize) -> Result<Option<Place<'_>>, String> {
    let rest = &text[from..];
    let found = [(TABLE, TABLE_END), (SINGLE, SINGLE_END)]
        .into_iter()
        .filter_map(|(opening, end)| Some((rest.find(opening)?, opening, end)))
        .min();
    let Some((at, opening, end)) = found else { return Ok(None) };
    let name = &rest[at + opening.len()..];
    let line = text[..from + at].lines().count();
    let length =
        name.find(CLOSING).ok_or_else(|| format!("line {line}: '{opening}' has no name"))?;
    let begins = from + at + opening.len() + length + CLOSING.len();
    let until = text[begins..]
        .find(end)
        .ok_or_else(|| format!("line {line}: no '{end}' after '{}'", &name[..length]))?;
    let ends = begins + until;
    Ok(Some(Place { name: &name[..length], begins, ends, after: ends + end.len() }))
}

/// The page with the figures that `figure` gives for the names.
pub(crate) fn fill(
    text: &str,
    figure: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut filled = String::new();
    let mut from = 0;
    while let Some(place) = next(text, from)? {
        filled += &text[from..place.begins];
        let figure = figure(place.name)?;
        // A table is lines of its own.
        filled += &if figure.contains('\n') { format!("\n\n{figure}\n") } else { figure };
        filled += &text[place.ends..place.after];
        from = place.after;
    }
    Ok(filled + &text[from..])
}

/// The page without its figures of records: as many lines, with blanks in their place.
pub(crate) fn without_figures(text: &str) -> String {
    let mut rest = String::new();
    let mut from = 0;
    while let Ok(Some(place)) = next(text, from) {
        rest += &text[from..place.begins];
        rest.extend(
            text[place.begins..place.ends].chars().map(|c| if c == '\n' { c } else { ' ' }),
        );
        rest += &text[place.ends..place.after];
        from = place.after;
    }
    rest + &text[from..]
}

/// The numbers of the first lines that differ, one for each stretch of them.
pub(crate) fn differences(old: &str, new: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut differed = false;
    let longest = old.lines().count().max(new.lines().count());
    let (mut old, mut new) = (old.lines(), new.lines());
    for number in 1..=longest {
        let differs = old.next() != new.next();
        if differs && !differed {
            lines.push(number);
        }
        differed = differs;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n<!-- figures: t -->\n\n| 1 |\n\n<!-- end -->\n\nTakes <!-- = s -->7 ns<!-- = -->, not 8 ns.\n<!-- = s -->1<!-- = -->\n";

    fn figure(name: &str) -> Result<String, String> {
        match name {
            "t" => Ok("| 2 |\n".to_owned()),
            "s" => Ok("9 ns".to_owned()),
            _ => Err(format!("no figure '{name}'")),
        }
    }

    #[test]
    fn a_page_gets_the_figures_of_its_names() {
        let filled = fill(PAGE, &figure).unwrap();
        assert_eq!(
            filled,
            "# A\n\n<!-- figures: t -->\n\n| 2 |\n\n<!-- end -->\n\nTakes <!-- = s -->9 ns<!-- = -->, not 8 ns.\n<!-- = s -->9 ns<!-- = -->\n"
        );
        assert_eq!(fill(&filled, &figure).unwrap(), filled, "a second time changes nothing");
        assert_eq!(differences(PAGE, &filled), [5, 9]);
        assert!(differences(&filled, &filled).is_empty());
    }

    #[test]
    fn places_without_an_end_and_unknown_names_are_told() {
        for (page, why) in [
            ("a\n<!-- figures: t -->", "line 1: no '<!-- end -->' after 't'"),
            ("<!-- = s -->7", "line 0: no '<!-- = -->' after 's'"),
            ("<!-- = s", "line 0: '<!-- = ' has no name"),
            ("<!-- = x -->7<!-- = -->", "no figure 'x'"),
        ] {
            assert_eq!(fill(page, &figure).unwrap_err(), why, "{page}");
        }
    }

    #[test]
    fn what_is_outside_of_figures_keeps_its_lines() {
        let rest = without_figures(PAGE);
        assert_eq!(rest.lines().count(), PAGE.lines().count());
        assert!(!rest.contains("| 1 |") && !rest.contains("7 ns") && rest.contains("not 8 ns"));
    }
}

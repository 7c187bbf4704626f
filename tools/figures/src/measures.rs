//! What looks like a measurement in a text: a number with a unit of time or memory, or a factor.

use crate::page::without_figures;

const UNITS: &[&str] = &[
    "ns",
    "µs",
    "ms",
    "s",
    "seconds",
    "minutes",
    "hours",
    "%",
    "×",
    "times",
    "instructions",
    "KiB",
    "MiB",
    "GiB",
    "MB",
    "KB",
];

/// Those lines of the list of pages' own figures that are of this page: after its name and a colon.
pub(crate) fn of_page<'a>(list: &'a str, page: &str) -> Vec<&'a str> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.strip_prefix(page)?.strip_prefix(": ")).collect()
}

/// The measurements of a page that are neither in a place for figures of records nor among those listed, with their lines.
pub(crate) fn without_a_record(text: &str, own: &[&str]) -> Vec<(usize, String)> {
    let text = without_figures(text);
    let mut found = Vec::new();
    let mut is_code = false;
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let measures =
                of_line(line).into_iter().filter(|measure| !own.contains(&measure.as_str()));
            found.extend(measures.map(|measure| (n + 1, measure)));
        }
    }
    found
}

/// The numbers of a line that have a unit after them, with the unit.
fn of_line(line: &str) -> Vec<String> {
    let words: Vec<&str> =
        line.split([' ', '|', '(', ')']).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let word = word.trim_start_matches(['<', '×', '~', '+', '−', '*']);
        let number: String =
            word.chars().take_while(|&c| c.is_ascii_digit() || matches!(c, ',' | '.')).collect();
        let number = number.trim_end_matches([',', '.']);
        if number.is_empty() || !number.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let is_unit =
            |unit: &str| UNITS.contains(&unit.trim_end_matches([',', '.', ';', ':', '*']));
        let rest = &word[number.len()..];
        if is_unit(rest) {
            found.push(format!("{number} {}", rest.trim_end_matches([',', '.', ';', ':', '*'])));
        } else if let Some(unit) = words.get(n + 1).filter(|unit| rest.is_empty() && is_unit(unit))
        {
            found.push(format!("{number} {}", unit.trim_end_matches([',', '.', ';', ':', '*'])));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_unit_is_a_measurement() {
        let found = of_line(
            "It takes 0.5 ns, 1,024 KiB (12 %) and **3 ms**; 7 pools, 64 bytes, version 1.2.",
        );
        assert_eq!(found, ["0.5 ns", "1,024 KiB", "12 %", "3 ms"]);
        let page = "5 ns\n```\n6 ns\n```\n<!-- = x -->7 ns<!-- = --> and 8 ns\n";
        assert_eq!(without_a_record(page, &["5 ns"]), [(5, "8 ns".to_owned())]);
    }

    #[test]
    fn a_page_has_its_own_lines_of_the_list() {
        let list = "# why\nREADME.md: 1 ms\ndocs/a.md: 2 ms\n";
        assert_eq!(of_page(list, "README.md"), ["1 ms"]);
        assert!(of_page(list, "docs/b.md").is_empty());
    }
}

//! What a command's help says at its end, as sections of its manual page: `--help` has examples and exit codes in columns,
//! which a manual page would fill to lines or break, so there each becomes an entry of its own.

use clap_mangen::roff::{Roff, bold, roman};

/// A line of text, or what it is about and what is said of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// A heading of one or two words.
    Section(&'a str),
    Paragraph(&'a str),
    Entry {
        of: &'a str,
        text: Vec<&'a str>,
    },
}

/// Lines that are indented farther go on with the text of the entry before.
const ENTRY_INDENT: usize = 2;

/// The parts of a text whose headings begin in the first column, and whose entries are indented by two: the subject, and
/// what is said of it after at least two blanks.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let content = line.trim_start();
        match (line.len() - content.len(), parts.last_mut()) {
            (0, _) => parts.push(match content.strip_suffix(':') {
                Some(heading) if heading.split(' ').count() <= 2 => Part::Section(heading),
                _ => Part::Paragraph(content),
            }),
            (indent, Some(Part::Entry { text, .. })) if indent > ENTRY_INDENT => text.push(content),
            _ => {
                let (of, said) = content.split_once("  ").unwrap_or((content, ""));
                let said = said.trim_start();
                let text = if said.is_empty() { Vec::new() } else { vec![said] };
                parts.push(Part::Entry { of, text });
            }
        }
    }
    parts
}

/// The parts as sections of a manual page, without the lines with which a page begins.
pub(crate) fn sections(text: &str) -> String {
    let mut page = Roff::new();
    let mut is_filled = true;
    for part in parts(text) {
        // Commands of which nothing is said stand in lines as they are: filled ones would be broken and stretched.
        let fills = !matches!(&part, Part::Entry { text, .. } if text.is_empty());
        match (is_filled, fills) {
            (true, false) => _ = page.control("PP", []).control("nf", []),
            (false, true) => _ = page.control("fi", []),
            _ => {}
        }
        is_filled = fills;
        match part {
            Part::Section(heading) => _ = page.control("SH", [heading.to_uppercase().as_str()]),
            Part::Paragraph(words) => _ = page.control("PP", []).text([roman(words)]),
            Part::Entry { of, text } if text.is_empty() => _ = page.text([bold(of)]),
            Part::Entry { of, text } => {
                _ = page.control("TP", []).text([bold(of)]).text([roman(text.join(" "))]);
            }
        }
    }
    if !is_filled {
        page.control("fi", []);
    }
    page.render().split_off(Roff::new().render().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_entries() {
        let text = "Exit codes:\n  0  done\n  1  a check failed,\n     and which one\n\nExamples:\n  pool plan x\n\nOf many, \
                    one by one:\n  pool merge";
        let entry = |of, text: &[&'static str]| Part::Entry { of, text: text.to_vec() };
        let expected = [
            Part::Section("Exit codes"),
            entry("0", &["done"]),
            entry("1", &["a check failed,", "and which one"]),
            Part::Section("Examples"),
            entry("pool plan x", &[]),
            Part::Paragraph("Of many, one by one:"),
            entry("pool merge", &[]),
        ];
        assert_eq!(parts(text), expected);
        let page = sections(text);
        assert!(page.starts_with(".SH \"EXIT CODES\"\n.TP\n\\fB0\\fR\ndone\n.TP\n"), "{page}");
        assert!(page.contains("a check failed, and which one\n.SH EXAMPLES\n.PP\n.nf\n"), "{page}");
        assert!(page.contains("\n.fi\n.PP\nOf many, one by one:\n.PP\n.nf\n"), "{page}");
        assert!(page.ends_with("\n.fi\n"), "{page}");
    }
}

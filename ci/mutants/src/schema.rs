//! A file with all of its mutants at once, each behind a switch.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use crate::list::Mutant;
use crate::places::{Body, Place, Places};

/// One file of the library and the places of its mutants.
pub struct Schema {
    pub file: String,
    text: String,
    /// An outer place before those inside it.
    hosts: Vec<Host>,
}

/// A place and its mutants. Their numbers follow each other, so that one question finds the active one.
struct Host {
    bytes: Range<usize>,
    body: Option<Body>,
    first: u32,
    mutants: Vec<Change>,
}

/// One mutant of a place.
struct Change {
    bytes: Range<usize>,
    replacement: String,
    dropped: bool,
}

/// A schema as text, and where in it things are.
#[derive(Default)]
pub struct Written {
    pub text: String,
    /// What stands only there for a mutant of this number.
    mutants: Vec<(Range<usize>, u32)>,
    /// The places, with the original in them, and the numbers of their mutants.
    hosts: Vec<(Range<usize>, Vec<u32>)>,
}

impl Schema {
    /// The file's mutants get numbers from `next` on; with the list of them by number, and those that
    /// no running program can switch on.
    pub fn new<'a>(
        file: &str,
        text: String,
        mutants: &[&'a Mutant],
        next: u32,
    ) -> (Self, Vec<&'a Mutant>, Vec<&'a Mutant>) {
        let places = Places::of(&text);
        let mut unswitchable = Vec::new();
        let mut by_host = BTreeMap::new();
        for mutant in mutants {
            let changed = mutant.span.bytes_in(&text);
            let (bytes, body) = match places.find(mutant.genre, &changed) {
                Some(Place::Expression(bytes)) => (bytes, None),
                Some(Place::Body(body)) => (body.block.clone(), Some(body)),
                None => {
                    unswitchable.push(*mutant);
                    continue;
                }
            };
            let outer_first = (bytes.start, usize::MAX - bytes.end);
            let (_, _, of_host) =
                by_host.entry(outer_first).or_insert_with(|| (bytes, body, Vec::new()));
            of_host.push((changed, *mutant));
        }

        let mut numbered = Vec::new();
        let hosts = by_host.into_values().map(|(bytes, body, of_host)| {
            let first = next + numbered.len() as u32;
            let change = |(bytes, mutant): (Range<usize>, &'a Mutant)| {
                numbered.push(mutant);
                Change { bytes, replacement: mutant.replacement.clone(), dropped: false }
            };
            Host { bytes, body, first, mutants: of_host.into_iter().map(change).collect() }
        });
        let hosts = hosts.collect();
        (Self { file: file.to_owned(), text, hosts }, numbered, unswitchable)
    }

    /// Leaves a mutant out of what is written.
    pub fn drop_mutant(&mut self, number: u32) {
        let host = self.hosts.iter_mut().find(|host| host.numbers().contains(&number));
        let host = host.expect("a number of this file");
        host.mutants[(number - host.first) as usize].dropped = true;
    }

    /// The first number of the place of a mutant of this file: that which the switch writes down.
    pub fn place_of(&self, number: u32) -> Option<u32> {
        self.hosts
            .iter()
            .map(Host::numbers)
            .find(|numbers| numbers.contains(&number))
            .map(|it| it.start)
    }

    pub fn write(&self, before: &str) -> Written {
        let mut written = Written { text: before.to_owned(), ..Written::default() };
        written.section(&self.text, 0..self.text.len(), &self.hosts);
        written
    }
}

impl Host {
    fn numbers(&self) -> Range<u32> {
        self.first..self.first + self.mutants.len() as u32
    }

    /// The number and the whole text of each mutant that is not left out.
    fn alternatives(&self, text: &str) -> Vec<(u32, String)> {
        let kept = self.numbers().zip(&self.mutants).filter(|(_, mutant)| !mutant.dropped);
        let alternative = |(number, mutant): (u32, &Change)| {
            let text = match self.body {
                Some(_) => mutant.replacement.clone(),
                None => [
                    &text[self.bytes.start..mutant.bytes.start],
                    &mutant.replacement,
                    &text[mutant.bytes.end..self.bytes.end],
                ]
                .concat(),
            };
            (number, text)
        };
        kept.map(alternative).collect()
    }
}

impl Written {
    /// The mutant whose text is at this byte, if any.
    pub fn mutants_at(&self, byte: usize) -> Vec<u32> {
        let there = self.mutants.iter().filter(|(range, _)| range.contains(&byte));
        there.map(|(_, number)| *number).collect()
    }

    /// All mutants of the innermost place around this byte.
    pub fn mutants_around(&self, byte: usize) -> Vec<u32> {
        let around = self.hosts.iter().filter(|(range, _)| range.contains(&byte));
        let innermost = around.min_by_key(|(range, _)| range.len());
        innermost.map_or(Vec::new(), |(_, numbers)| numbers.clone())
    }

    /// These bytes of the file, with the places that are in them.
    fn section(&mut self, text: &str, bytes: Range<usize>, mut hosts: &[Host]) {
        let mut done = bytes.start;
        while let Some((host, rest)) = hosts.split_first() {
            let inside = rest.partition_point(|inner| inner.bytes.start < host.bytes.end);
            self.text += &text[done..host.bytes.start];
            self.host(text, host, &rest[..inside]);
            done = host.bytes.end;
            hosts = &rest[inside..];
        }
        self.text += &text[done..bytes.end];
    }

    fn host(&mut self, text: &str, host: &Host, inside: &[Host]) {
        let start = self.text.len();
        let alternatives = host.alternatives(text);
        let active =
            format!("match crate::__mutants::active({}, {})", host.first, host.numbers().end - 1,);
        if alternatives.is_empty() {
            return self.section(text, host.bytes.clone(), inside);
        }
        match &host.body {
            None => {
                // In parentheses as it may be an operand; but a `match` may be a statement.
                let is_match = text[host.bytes.clone()].starts_with("match ");
                let (open, close) = if is_match { ("", "") } else { ("(", ")") };
                self.text += &format!("{open}{active} {{ 0 => (");
                self.section(text, host.bytes.clone(), inside);
                self.text.push(')');
                self.arms(&alternatives, |_| ("(".into(), ")".into()));
                self.text += &format!("}}{close}");
            }
            Some(body) if body.returns_impl => {
                const ONE_OF: &str = "crate::__mutants::OneOf";
                self.text += &format!("{{ {active} {{ 0 => {ONE_OF}::First(");
                self.section(text, host.bytes.clone(), inside);
                self.text.push(')');
                let last = alternatives.len() - 1;
                self.arms(&alternatives, |n| {
                    let first = if n < last { format!("{ONE_OF}::First(") } else { "(".into() };
                    let others = format!("{ONE_OF}::Other(").repeat(n + 1);
                    (others + &first, ")".repeat(n + 2))
                });
                self.text += "} }";
            }
            Some(_) => {
                self.text += &format!("{{ {active} {{ 0 => {{}}");
                self.arms(&alternatives, |_| ("return ".into(), String::new()));
                self.text.push('}');
                self.section(text, host.bytes.start + 1..host.bytes.end, inside);
            }
        }
        let numbers = alternatives.iter().map(|(number, _)| *number).collect();
        self.hosts.push((start..self.text.len(), numbers));
    }

    /// The arms of the mutants, the last for any other number, each between what `around` says.
    fn arms(&mut self, alternatives: &[(u32, String)], around: impl Fn(usize) -> (String, String)) {
        for (n, (number, alternative)) in alternatives.iter().enumerate() {
            match n + 1 < alternatives.len() {
                true => write!(self.text, ", {number} => "),
                false => write!(self.text, ", _ => "),
            }
            .expect("a string takes any text");
            let start = self.text.len();
            let (before, after) = around(n);
            self.text += &before;
            self.text += alternative;
            self.text += &after;
            self.mutants.push((start..self.text.len(), *number));
        }
    }
}

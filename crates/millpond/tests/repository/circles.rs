//! In no crate of the workspace do files use each other in a circle.
//!
//! A file *uses* another one if a path in its code, behind `use` or elsewhere, leads to what the other file defines, or to
//! its module. Where a module only hands a name on (`use child::Name;`), the file that defines the name is the one that is
//! used. A *circle* is a set of files each of which uses each of the others, directly or through others.
//!
//! A module and what lies within it are one part, seen from outside. So a file may use what the modules around it define,
//! such as a type for which it has methods, or constants of the crate; that makes no circle with a parent that uses its
//! children. A `mod` line is no use, nor is a call of a method, which has no path. Tests may use all of their crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn slashed(path: &Path) -> String {
    path.to_str().unwrap().replace('\\', "/")
}

/// A path without `..`, so that a file has one name however it is reached.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Names, punctuation, and strings with a quotation mark in front; without comments, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let raw = rest.trim_start_matches(['b', 'c']).strip_prefix('r').unwrap_or("");
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if raw[hashes..].starts_with('"') {
            let begin = rest.len() - raw.len() + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            begin + rest[begin..].find(&end).unwrap() + end.len()
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.unwrap() + 1;
            tokens.push(rest[..end].to_owned());
            end + 1
        } else if first == '\'' {
            let mut characters = rest.char_indices().skip(1);
            match (characters.next(), characters.next()) {
                (Some((_, '\\')), Some((at, escaped))) => {
                    let behind = at + escaped.len_utf8();
                    behind + rest[behind..].find('\'').unwrap() + 1
                }
                (_, Some((at, '\''))) => at + 1,
                _ => 1, // a lifetime: its name follows, and stands alone
            }
        } else if is_name(first) {
            // A raw name is no keyword.
            let begin = if rest.starts_with("r#") { 2 } else { 0 };
            let end = rest[begin..].find(|c| !is_name(c)).map_or(rest.len(), |end| begin + end);
            tokens.push(rest[..end].to_owned());
            end
        } else {
            let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            if !first.is_whitespace() {
                tokens.push(rest[..length].to_owned());
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// A path as it is written, by its names. The last one is `*` for all that a module has.
type Names = Vec<String>;

/// A module of a program: a file, or a part of one.
#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    /// The names that `use` brings in, and what they stand for.
    imported: BTreeMap<String, Names>,
    /// The modules of which `use` brings in all.
    globs: Vec<Names>,
    /// All paths in the code.
    paths: BTreeSet<Names>,
}

/// The modules of a program, by their paths from the crate's root.
#[derive(Debug, Default)]
struct Program(BTreeMap<Names, Module>);

/// Where the item ends that begins here: behind its `;`, `,` or block, or in front of the end of what it is in.
fn end_of_item(tokens: &[String], from: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => return at,
            "}" | ")" | "]" => {
                depth -= 1;
                if depth == 0 && token == "}" {
                    return at + 1;
                }
            }
            ";" | "," if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Whether an attribute leaves its item to tests: `cfg(test)`, or `cfg(all(test, …))`.
fn is_for_tests(attribute: &[String]) -> bool {
    let [cfg, open, first, rest @ ..] = attribute else { return false };
    let all_with_test = || {
        first == "all"
            && rest.windows(3).any(|three| {
                let is_denied = three[0] == "(" && three[1] == "test" && three[2] == ")";
                !is_denied && three[1] == "test"
            })
    };
    cfg == "cfg" && open == "(" && (first == "test" || all_with_test())
}

impl Program {
    /// Reads a program from its main file, with all files that it names.
    fn read(main: &Path, text_of: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut program = Self::default();
        let directory = main.parent().unwrap().to_owned();
        program.file(main, Vec::new(), &directory, text_of);
        program
    }

    fn file(
        &mut self,
        file: &Path,
        path: Names,
        directory: &Path,
        text_of: &dyn Fn(&Path) -> Option<String>,
    ) {
        let text = text_of(file).unwrap_or_else(|| panic!("{file:?} is not there"));
        self.module(&tokens(&text), file, path, directory, text_of);
    }

    /// Reads a module; `directory` is where the files of its children are.
    fn module(
        &mut self,
        tokens: &[String],
        file: &Path,
        path: Names,
        directory: &Path,
        text_of: &dyn Fn(&Path) -> Option<String>,
    ) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let (mut at, mut depth, mut place) = (0, 0_usize, None);
        while at < tokens.len() {
            match token(at) {
                "#" if token(at + 1) == "[" => {
                    let end = end_of_brackets(tokens, at + 1);
                    let attribute = &tokens[at + 2..end - 1];
                    if is_for_tests(attribute) {
                        let mut item = end;
                        while token(item) == "#" {
                            item = end_of_brackets(tokens, item + 1);
                        }
                        at = end_of_item(tokens, item);
                        continue;
                    }
                    if let [name, equals, text] = attribute
                        && (name.as_str(), equals.as_str()) == ("path", "=")
                    {
                        place = Some(text[1..].to_owned());
                    }
                    at = end;
                }
                "mod" if [";", "{"].contains(&token(at + 2)) => {
                    let name = token(at + 1);
                    let child = [&path[..], &[name.to_owned()]].concat();
                    module.children.insert(name.to_owned());
                    if token(at + 2) == ";" {
                        let own = directory.join(name);
                        let (file, below) = match place.take() {
                            Some(place) => {
                                let file = plain(&file.parent().unwrap().join(place));
                                let below = file.parent().unwrap().to_owned();
                                (file, below)
                            }
                            None if text_of(&own.with_extension("rs")).is_some() => {
                                (own.with_extension("rs"), own)
                            }
                            None => (own.join("mod.rs"), own),
                        };
                        self.file(&file, child, &below, text_of);
                        at += 3;
                    } else {
                        let end = end_of_item(tokens, at + 2);
                        let inner = &tokens[at + 3..end - 1];
                        self.module(inner, file, child, &directory.join(name), text_of);
                        at = end;
                    }
                }
                "use" if token(at + 1) != "<" => {
                    let end = (at..tokens.len()).find(|&end| token(end) == ";").unwrap();
                    module.import(&tokens[at + 1..end], &[]);
                    at = end + 1;
                }
                "struct" | "enum" | "fn" | "const" | "static" | "trait" | "type" | "union"
                    if depth == 0 =>
                {
                    module.defined.insert(token(at + 1).to_owned());
                    at += 1;
                }
                "macro_rules" => {
                    module.defined.insert(token(at + 2).to_owned());
                    at += 1;
                }
                name if token(at + 1) == "::"
                    && !["::", "$"].contains(&token(at.wrapping_sub(1)))
                    && name.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
                {
                    let mut names = vec![name.to_owned()];
                    while token(at + 1) == "::" && token(at + 2).starts_with(char::is_alphanumeric)
                    {
                        names.push(token(at + 2).to_owned());
                        at += 2;
                    }
                    module.paths.insert(names);
                    at += 1;
                }
                other => {
                    depth += usize::from(other == "{");
                    depth -= usize::from(other == "}");
                    at += 1;
                }
            }
        }
        self.0.insert(path, module);
    }
}

/// Where the bracket that opens here is closed, and one further.
fn end_of_brackets(tokens: &[String], from: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        depth += usize::from(token == "[");
        depth -= usize::from(token == "]");
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

impl Module {
    /// Reads what stands between `use` and `;`, behind names that are known.
    fn import(&mut self, tokens: &[String], before: &[String]) {
        let mut names = before.to_vec();
        let mut tokens = tokens;
        while let [name, rest @ ..] = tokens {
            match name.as_str() {
                "::" => {}
                "{" => {
                    let mut from = 1;
                    while from < tokens.len() - 1 {
                        let end = end_of_item(tokens, from);
                        let one = &tokens[from..end];
                        let one = one.strip_suffix(&[",".to_owned()]).unwrap_or(one);
                        if !one.is_empty() {
                            self.import(one, &names);
                        }
                        from = end;
                    }
                    return;
                }
                "*" => {
                    self.paths.insert([&names[..], &["*".to_owned()]].concat());
                    self.globs.push(names);
                    return;
                }
                "as" => {
                    self.paths.insert(names.clone());
                    self.imported.insert(rest[0].clone(), names);
                    return;
                }
                "self" if names.len() > before.len().min(1) && !before.is_empty() => {}
                name => names.push(name.to_owned()),
            }
            tokens = rest;
        }
        self.paths.insert(names.clone());
        if let Some(last) = names.last() {
            self.imported.insert(last.clone(), names);
        }
    }
}

/// Chains of names that are handed on are no longer.
const HANDED_ON_MAX: usize = 16;

impl Program {
    /// The module whose file has what these names lead to from `own`; `None` if that is of another crate.
    fn target(&self, own: &[String], names: &[String], depth: usize) -> Option<Names> {
        let first = names.first()?;
        let module = self.0.get(own)?;
        let skipped = match first.as_str() {
            "crate" => return self.within(Vec::new(), &names[1..], depth),
            "self" => return self.within(own.to_vec(), &names[1..], depth),
            "super" => names.iter().take_while(|name| *name == "super").count(),
            name if module.children.contains(name) => {
                return self.within(own.to_vec(), names, depth);
            }
            name => {
                let stands_for = module.imported.get(name)?;
                let is_itself = stands_for.len() == 1 || depth == HANDED_ON_MAX;
                let names = [&stands_for[..], &names[1..]].concat();
                return if is_itself { None } else { self.target(own, &names, depth + 1) };
            }
        };
        self.within(own[..own.len().checked_sub(skipped)?].to_vec(), &names[skipped..], depth)
    }

    /// The same for names that are looked up in a module.
    fn within(&self, mut at: Names, mut names: &[String], depth: usize) -> Option<Names> {
        while let [name, rest @ ..] = names
            && self.0[&at].children.contains(name)
        {
            at.push(name.clone());
            names = rest;
        }
        let module = &self.0[&at];
        let Some(name) = names.first().filter(|name| !module.defined.contains(*name)) else {
            return Some(at);
        };
        if depth == HANDED_ON_MAX {
            return Some(at);
        }
        if let Some(stands_for) = module.imported.get(name)
            && let Some(found) =
                self.target(&at, &[&stands_for[..], &names[1..]].concat(), depth + 1)
        {
            return Some(found);
        }
        // What a module has all of may be anything of it; what it does not have is looked for no further.
        let from_globs = module.globs.iter().find_map(|glob| {
            let other = self.target(&at, glob, depth + 1)?;
            let has = |module: &Module| {
                [module.defined.contains(name), module.children.contains(name)].contains(&true)
                    || module.imported.contains_key(name)
            };
            if other == at || !has(&self.0[&other]) {
                return None;
            }
            self.within(other, names, depth + 1)
        });
        Some(from_globs.unwrap_or(at))
    }

    /// Which file uses which, and the names by which it does.
    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (own, module) in &self.0 {
            for names in &module.paths {
                let Some(target) = self.target(own, names, 0) else { continue };
                let file = &self.0[&target].file;
                // The modules around this one: the names of theirs are the first of its own.
                let is_around = self.0.iter().any(|(path, module)| {
                    module.file == *file && own.len() > path.len() && own.starts_with(path)
                });
                if *file != module.file && !is_around {
                    let used = uses.entry(module.file.clone()).or_default();
                    used.entry(file.clone()).or_default().insert(names.join("::"));
                }
            }
        }
        uses
    }
}

/// By file, the files that it uses, and the paths by which it does.
type Uses = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// The circles, each as its files.
fn circles(uses: &Uses) -> Vec<BTreeSet<&PathBuf>> {
    let reached = |from: &PathBuf| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<_> = uses.get(from).into_iter().flat_map(BTreeMap::keys).collect();
        while let Some(file) = next.pop() {
            if reached.insert(file) {
                next.extend(uses.get(file).into_iter().flat_map(BTreeMap::keys));
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = uses.keys().map(|file| (file, reached(file))).collect();
    let mut circles: Vec<BTreeSet<&PathBuf>> = Vec::new();
    for (file, others) in &reached {
        if others.contains(file) && !circles.iter().any(|circle| circle.contains(file)) {
            let returns = |other: &&PathBuf| reached.get(other).is_some_and(|r| r.contains(file));
            circles.push(others.iter().copied().filter(returns).collect());
        }
    }
    circles
}

/// The circles as messages: their files, and what ties them.
fn messages(uses: &Uses) -> Vec<String> {
    let mut messages = Vec::new();
    for circle in circles(uses) {
        let mut message = format!("{} files use each other in a circle:", circle.len());
        for file in &circle {
            for (other, names) in uses[*file].iter().filter(|(other, _)| circle.contains(other)) {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let names = names.join(", ");
                message += &format!("\n  {} uses {}: {names}", slashed(file), slashed(other));
            }
        }
        messages.push(message);
    }
    messages
}

/// The folders of the workspace's crates.
fn members() -> Vec<String> {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let list = text.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let mut members = Vec::new();
    for member in list.split('"').skip(1).step_by(2) {
        match member.strip_suffix("/*") {
            None => members.push(member.to_owned()),
            Some(folder) => {
                members.extend(fs::read_dir(root().join(folder)).unwrap().map(|at| {
                    format!("{folder}/{}", at.unwrap().file_name().into_string().unwrap())
                }))
            }
        }
    }
    members
}

/// The main files of a crate's library and programs.
fn main_files(member: &Path) -> Vec<PathBuf> {
    let mut files = vec!["src/lib.rs".into(), "src/main.rs".into()];
    for folder in ["src/bin", "examples"] {
        for entry in fs::read_dir(root().join(member).join(folder)).into_iter().flatten() {
            let name = entry.unwrap().file_name();
            files.push(Path::new(folder).join(&name));
            files.push(Path::new(folder).join(&name).join("main.rs"));
        }
    }
    let manifest = fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap();
    let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \""));
    files.extend(named.map(|line| PathBuf::from(line.trim_end_matches('"'))));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let files: BTreeSet<_> = files.into_iter().map(|file| member.join(file)).collect();
    files.into_iter().filter(|file| root().join(file).is_file()).collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let text_of = |file: &Path| fs::read_to_string(root().join(file)).ok();
    let mut all = Vec::new();
    let members = members();
    assert!(members.iter().any(|member| member == "crates/millpond"), "{members:?}");
    for member in &members {
        let mut uses = Uses::new();
        let mains = main_files(Path::new(member));
        assert!(!mains.is_empty(), "{member}: neither a library nor a program was found");
        for main in mains {
            for (file, used) in Program::read(&main, &text_of).uses() {
                let others = uses.entry(file).or_default();
                for (other, names) in used {
                    others.entry(other).or_default().extend(names);
                }
            }
        }
        all.extend(messages(&uses));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The circles of a program of these files, the first of which is `src/lib.rs`; each as the files' names.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let text_of = |file: &Path| {
        let found = files.iter().find(|(name, _)| Path::new("src").join(name) == file);
        found.map(|(_, text)| (*text).to_owned())
    };
    let uses = Program::read(Path::new("src/lib.rs"), &text_of).uses();
    let name = |file: &&PathBuf| slashed(file.strip_prefix("src").unwrap());
    let circles = circles(&uses);
    circles.iter().map(|circle| circle.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn circles_are_found() {
    let lib = ("lib.rs", "mod a;\nmod b;\npub mod c;");
    for (a, b, c) in [
        ("use crate::b::B;", "use crate::a::A;", ""),
        ("use crate::{b::{self, B}, c};", "fn f() { super::a::g(); }", ""),
        ("fn f(b: &crate::b::B) {}", "use super::a as other;", ""),
        ("use crate::b;", "use crate::c::C;", "use crate::a::*;"),
        ("use crate::b; mod inner { use super::b::B; }", "mod inner { use crate::a::A; }", ""),
        ("const A: &str = \"a \\\n \\\" b\"; use crate::b::B;", "use crate::a::A;", ""),
        ("const A: &[char] = &['\"', '\\'', 'a'];\nuse crate::b::B;", "use crate::a::A;", ""),
        ("const A: &str = r#\"\"\"#; fn f<'a>() { crate::b::g::<&'a u8>() }", "use crate::a;", ""),
        ("fn f() -> impl Sized + use<> {} fn g() { use crate::b::B; }", "use crate::a::A;", ""),
        ("#[cfg(not(test))] use crate::b::B;", "#[cfg(all(not(test)))] use crate::a::A;", ""),
    ] {
        let found = circles_of(&[lib, ("a.rs", a), ("b.rs", b), ("c.rs", c)]);
        let expected = if c.is_empty() { "a.rs b.rs" } else { "a.rs b.rs c.rs" };
        assert_eq!(found, [expected], "{a} / {b} / {c}");
    }
}

#[test]
fn a_name_that_is_handed_on_leads_to_where_it_is_defined() {
    // `a` and `b` take each other's names from their parent, which has types of these names in a trait.
    let circle = [
        ("lib.rs", "mod part;"),
        (
            "part/mod.rs",
            "mod a;\nmod b;\npub use a::A;\nuse b::*;\nconst OWN: u8 = 0; trait T { type A; type B; }",
        ),
        ("part/a.rs", "use super::B;\npub struct A;"),
        ("part/b.rs", "use crate::part::A;\npub struct B;"),
    ];
    assert_eq!(circles_of(&circle), ["part/a.rs part/b.rs"]);
    let mut none = circle;
    none[3].1 = "use super::OWN;\npub struct B;";
    assert_eq!(circles_of(&none), [""; 0]);
}

#[test]
fn a_raw_name_is_one_token() {
    assert_eq!(tokens("fn f(r#use: u8) { r#use; }")[3..9].concat(), "r#use:u8){r#use");
    assert_eq!(tokens("r#\"use\"# + r"), ["+", "r"]);
}

#[test]
fn what_is_no_use_makes_no_circle() {
    let lib = ("lib.rs", "mod a;\nmod b;\nuse a::A;\npub struct Own;");
    for (a, b) in [
        ("use crate::b::B;", "use std::a::A;"),
        (
            "use crate::b::B;",
            "// use crate::a::A;\n/* crate::a::A */ const B: &str = \"crate::a::A\";",
        ),
        ("use crate::b::B;", "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}"),
        (
            "use crate::b::B;",
            "#[cfg(all(test, unix))] #[inline] fn f() { crate::a::f() } fn b() {}",
        ),
        ("use crate::b::B;", "macro_rules! b { () => { $crate::a::A } }"),
        ("use crate::Own;", "use super::Own;"),
    ] {
        assert_eq!(circles_of(&[lib, ("a.rs", a), ("b.rs", b)]), [""; 0], "{a} / {b}");
    }
}

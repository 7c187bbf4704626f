//! The functions of the tests, and what they call.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What each function without parameters of a file of `tests/coming_from` calls, by the function's name: names in front of
/// parentheses, also within macros.
///
/// # Panics
///
/// If there is no such file, or it is no Rust.
#[must_use]
pub fn functions(file: &str) -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coming_from");
    let text =
        fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let tokens: TokenStream = text.parse().expect("a file of the tests");
    let tokens: Vec<_> = tokens.into_iter().collect();
    let functions = tokens.windows(4).filter_map(|window| match window {
        [
            TokenTree::Ident(word),
            TokenTree::Ident(name),
            TokenTree::Group(_),
            TokenTree::Group(body),
        ] if word == "fn" => {
            let mut calls = Vec::new();
            collect(body.stream(), &mut calls);
            Some((name.to_string(), calls))
        }
        _ => None,
    });
    functions.collect()
}

fn collect(tokens: TokenStream, calls: &mut Vec<String>) {
    let mut before = None;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => before = Some(name.to_string()),
            TokenTree::Group(group) => {
                let name = before.take();
                if group.delimiter() == Delimiter::Parenthesis {
                    calls.extend(name);
                }
                collect(group.stream(), calls);
            }
            _ => before = None,
        }
    }
}

//! How assets are baked: the kinds of assets, and the rules that they name, of files that a project has of its own.

use std::ffi::OsStr;
use std::path::Path;

use crate::{PLAIN, Result, is_name, is_plain};

/// A line of the kinds.
pub(crate) struct Kind {
    directory: String,
    extension: String,
    platform: String,
    pub(crate) rule: String,
    /// The output's extension.
    pub(crate) output: String,
    /// What the rule runs beside the baker: if one changes, the asset is baked again.
    pub(crate) tools: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Kinds {
    kinds: Vec<Kind>,
    included: Vec<String>,
    ignored: Vec<String>,
}

impl Kinds {
    /// Reads the text of `file`. Its rules are those of `rules`.
    pub(crate) fn parse(file: &str, text: &str, rules: &[String]) -> Result<Self> {
        let mut all = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let wrong = |why: &str| Err(format!("{file}:{number}: {why}"));
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                ["include", extension] => all.included.push(extension.into()),
                ["ignore", pattern] => all.ignored.push(pattern.into()),
                [directory, extension, platform, rule, output, ref tools @ ..] => {
                    if let Some(word) = words.iter().find(|word| **word != "*" && !is_plain(word)) {
                        return wrong(&format!("{word:?}: {PLAIN}"));
                    }
                    if output.contains(['/', '*']) {
                        return wrong(&format!("{output:?} is no extension"));
                    }
                    if !rules.iter().any(|known| known == rule) {
                        return wrong(&format!("there is no rule {rule:?}"));
                    }
                    let [directory, extension, platform, rule, output] =
                        [directory, extension, platform, rule, output].map(String::from);
                    let tools = tools.iter().copied().map(String::from).collect();
                    all.kinds.push(Kind { directory, extension, platform, rule, output, tools });
                }
                _ => {
                    return wrong(
                        "expected DIRECTORY EXTENSION PLATFORM RULE OUTPUT, \"include EXTENSION\" or \
                         \"ignore PATTERN\"",
                    );
                }
            }
        }
        Ok(all)
    }

    /// The platform of this name, or the first one.
    pub(crate) fn platform(&self, name: Option<String>) -> Result<String> {
        let mut known: Vec<&str> = Vec::new();
        for kind in self.kinds.iter().filter(|kind| kind.platform != "*") {
            if !known.contains(&kind.platform.as_str()) {
                known.push(&kind.platform);
            }
        }
        match name {
            Some(name) if known.contains(&name.as_str()) => Ok(name),
            Some(_) => Err(format!("--platform: expected {}", known.join(" or "))),
            None => Ok(known.first().copied().unwrap_or("*").into()),
        }
    }

    /// How the file at this place below the assets is baked.
    pub(crate) fn of(&self, below: &Path, platform: &str) -> Option<&Kind> {
        let extension = below.extension()?;
        self.kinds.iter().find(|kind| {
            (kind.directory == "." || below.starts_with(&kind.directory))
                && extension == kind.extension.as_str()
                && (kind.platform == "*" || kind.platform == platform)
        })
    }

    pub(crate) fn is_included(&self, below: &Path) -> bool {
        let extension = below.extension().unwrap_or_default();
        self.included.iter().any(|included| extension == included.as_str())
    }

    pub(crate) fn is_ignored(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy();
        self.ignored.iter().any(|pattern| match pattern.strip_prefix('*') {
            Some(end) => match end.strip_suffix('*') {
                Some(middle) => name.contains(middle),
                None => name.ends_with(end),
            },
            None => match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == pattern.as_str(),
            },
        })
    }
}

/// The names of the rules of a Ninja file that has rules and variables only. Ninja would report what is wrong with them in
/// several lines, and only when it builds.
pub(crate) fn rules(file: &str, text: &str) -> Result<Vec<String>> {
    const OF_A_RULE: [&str; 10] = [
        "command",
        "depfile",
        "deps",
        "description",
        "generator",
        "msvc_deps_prefix",
        "pool",
        "restat",
        "rspfile",
        "rspfile_content",
    ];
    let mut rules: Vec<(String, usize, bool)> = Vec::new();
    let (mut is_continued, mut is_in_rule) = (false, false);
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |why: String| Err(format!("{file}:{number}: {why}"));
        let was_continued = is_continued;
        is_continued = line.trim_end_matches("$$").ends_with('$');
        if was_continued || line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let variable = line.split_once('=').map(|(name, _)| name.trim());
        match line.strip_prefix("rule ").map(str::trim) {
            Some(name) if !is_name(name) => {
                return wrong(format!("{name:?} is no name of a rule"));
            }
            Some(name) if rules.iter().any(|(known, ..)| known == name) => {
                return wrong(format!("there is a rule {name:?} already"));
            }
            Some(name) => {
                rules.push((name.into(), number, false));
                is_in_rule = true;
            }
            None if line.starts_with('\t') => return wrong("tabs are not allowed here".into()),
            None if line.starts_with(' ') && is_in_rule => match (variable, rules.last_mut()) {
                (Some(name), Some((.., has_command))) if OF_A_RULE.contains(&name) => {
                    *has_command |= name == "command";
                }
                _ => return wrong(format!("expected one of {}, and =", OF_A_RULE.join(", "))),
            },
            None => match variable {
                Some(name) if is_name(name) && !line.starts_with(' ') => is_in_rule = false,
                _ => return wrong("expected \"rule NAME\" or \"NAME = VALUE\"".into()),
            },
        }
    }
    match rules.iter().find(|(.., has_command)| !has_command) {
        Some((name, number, _)) => Err(format!("{file}:{number}: rule {name:?} has no command")),
        None => Ok(rules.into_iter().map(|(name, ..)| name).collect()),
    }
}

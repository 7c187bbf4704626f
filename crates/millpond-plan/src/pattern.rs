//! Patterns for names: `*` matches any text, every other character itself.

/// A pattern that a user has typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Parses a pattern.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The pattern as it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether the whole of `name` fits the pattern.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut name) = name.strip_prefix(head) else { return false };
        let mut parts: Vec<&str> = rest.split('*').collect();
        let tail = parts.pop().unwrap_or_default();
        for part in parts {
            // The leftmost place leaves the most for what follows.
            let Some(at) = name.find(part) else { return false };
            name = &name[at + part.len()..];
        }
        name.ends_with(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("Imp", "Imp"),
            ("Bullet*", "BulletPuff"),
            ("*Puff", "BulletPuff"),
            ("*", ""),
            ("*a*b*", "xaxbx"),
            ("a*a", "aba"),
            ("*alloc*", "sqlite3_malloc64"),
            ("é*", "été"),
        ] {
            assert!(Pattern::new(pattern).matches(name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("Imp", "Imps"), ("Imp", ""), ("a*a", "a"), ("*b*a", "ab"), ("24", "240"), ("", "x")]
        {
            assert!(!Pattern::new(pattern).matches(name), "{pattern} {name}");
        }
    }
}

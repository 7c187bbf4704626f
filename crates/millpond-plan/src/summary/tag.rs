//! The user's own facts about a session: its level, its platform, the program's version.

use super::{COLUMNS, TEXT_BYTES_MAX};

/// A column of the user's own, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name of the column.
    pub column: String,
    /// Its value.
    pub value: String,
}

impl Tag {
    /// Parses `COLUMN=VALUE`.
    ///
    /// # Errors
    /// If the text has another form, or the name cannot be that of a column in a database.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (column, value) = text.split_once('=').ok_or("expected COLUMN=VALUE")?;
        if !is_name(column) {
            return Err("expected a column of a-z, 0-9 and _, a letter first".to_owned());
        }
        if COLUMNS.contains(&column) {
            return Err(format!("`{column}` is a column of every summary, expected another name"));
        }
        if value.len() > TEXT_BYTES_MAX || value.contains(char::is_control) {
            return Err(format!("expected a value of one line and at most {TEXT_BYTES_MAX} bytes"));
        }
        Ok(Self { column: column.to_owned(), value: value.to_owned() })
    }
}

/// Whether a database accepts this as a column's name without quotes.
fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_columns_that_a_database_can_have() {
        let tag = Tag::parse("level=map 01, north").unwrap();
        assert_eq!((tag.column.as_str(), tag.value.as_str()), ("level", "map 01, north"));
        assert_eq!(Tag::parse("version=").unwrap().value, "");
        for text in ["level", "=map01", "Level=1", "1st=1", "a b=1", "births=1", "level=a\nb", ""] {
            assert!(Tag::parse(text).is_err(), "{text}");
        }
        assert!(Tag::parse(&format!("level={}", "x".repeat(256))).is_err());
    }
}

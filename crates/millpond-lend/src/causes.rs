//! [`with_causes`]: an error with everything that led to it.

use std::error::Error;
use std::fmt;

/// Returns a value that displays an error and all its causes, joined by `: `.
///
/// The errors of many crates display only their own part: that of tokio-postgres is `db error`, and
/// its [`source`](Error::source) is the server's message. A cause that the text contains already is
/// not repeated.
///
/// ```
/// use millpond_lend::with_causes;
///
/// let cause = std::io::Error::other("connection reset");
/// let error = std::io::Error::other(cause);
/// assert_eq!(with_causes(&error).to_string(), "connection reset");
/// ```
#[must_use]
pub fn with_causes<'a>(error: &'a (dyn Error + 'static)) -> WithCauses<'a> {
    WithCauses(error)
}

/// Displays an error and all its causes; returned by [`with_causes`].
#[derive(Debug, Clone, Copy)]
pub struct WithCauses<'a>(&'a (dyn Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        let causes = std::iter::successors(self.0.source(), |error| (*error).source());
        for cause in causes.take(CAUSES_MAX).map(ToString::to_string) {
            if !text.contains(&cause) {
                text.push_str(": ");
                text.push_str(&cause);
            }
        }
        f.write_str(&text)
    }
}

/// An error may name itself as its cause.
const CAUSES_MAX: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with what led to it, which may be itself.
    #[derive(Debug)]
    struct Told(&'static str, Option<Box<Told>>);

    impl fmt::Display for Told {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Told {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            match &self.1 {
                Some(cause) => Some(cause.as_ref()),
                None if self.0 == "a circle" => Some(self),
                None => None,
            }
        }
    }

    #[test]
    fn every_cause_is_told_once() {
        let refused = Told("Connection refused (os error 111)", None);
        let wrapped = Told("io: Connection refused (os error 111)", Some(Box::new(refused)));
        let error = Told("error connecting to server", Some(Box::new(wrapped)));
        let all = "error connecting to server: io: Connection refused (os error 111)";
        assert_eq!(with_causes(&error).to_string(), all);
        assert_eq!(with_causes(&Told("a circle", None)).to_string(), "a circle");
    }
}

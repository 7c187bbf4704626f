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

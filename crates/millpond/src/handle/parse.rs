use core::fmt;

use super::HandleLayout;

/// The error of parsing a handle. A handle's text is an index, `v` and a generation: `3v7`.
///
/// ```
/// use millpond::{Handle, Handle32, ParseHandleError};
///
/// let handle: Handle<u8> = "3v7".parse()?;
/// assert_eq!((handle.index(), handle.generation()), (3, 7));
///
/// let error = "3-7".parse::<Handle<u8>>().unwrap_err();
/// assert_eq!(error, ParseHandleError::Malformed);
/// let error = "3v300".parse::<Handle32<u8, 24>>().unwrap_err();
/// assert_eq!(error.to_string(), "no handle of this layout has such an index and generation");
/// # Ok::<(), ParseHandleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseHandleError {
    /// The text is not two decimal numbers with a `v` between them, without signs or leading zeros.
    Malformed,
    /// The layout cannot hold the index or the generation, or the generation is 0 and the handle is
    /// not [`DANGLING`](HandleLayout::DANGLING).
    OutOfRange,
}

impl fmt::Display for ParseHandleError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseHandleError::Malformed => {
                "not a handle: expected an index, `v` and a generation, such as `3v7`"
            }
            ParseHandleError::OutOfRange => {
                "no handle of this layout has such an index and generation"
            }
        })
    }
}

impl core::error::Error for ParseHandleError {}

/// The handle that prints as `text`. Each handle has exactly one text.
pub(crate) fn parse<H: HandleLayout>(text: &str) -> Result<H, ParseHandleError> {
    let (index, generation) = text.split_once('v').ok_or(ParseHandleError::Malformed)?;
    H::from_parts(number(index)?, number(generation)?).ok_or(ParseHandleError::OutOfRange)
}

#[inline]
fn number(digits: &str) -> Result<u32, ParseHandleError> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(ParseHandleError::Malformed);
    }
    digits.parse().map_err(|_| ParseHandleError::OutOfRange)
}

//! The sources of traces: files, the bundled traces and pipes, plain or compressed, read as blocks of whole lines.

mod bytes;
mod cut;
mod decompress;
mod encoding;
pub(crate) mod known;
mod lines;
mod source;
mod spool;

pub(crate) use bytes::{Bytes, LineBegins};
pub use cut::{Cut, CutIn};
pub use encoding::decoded;
pub use lines::lines_of;
pub use lines::{LINE_BYTES_MAX, Lines};
pub use source::{Input, Source};
pub use spool::Spool;

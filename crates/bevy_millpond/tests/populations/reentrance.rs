//! reentrance

//! noticing

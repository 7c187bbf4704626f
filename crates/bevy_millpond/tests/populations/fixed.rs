//! fixed

//! away

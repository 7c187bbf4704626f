//! Makers for databases, and adapters for other pools' managers, each behind the feature of its crate.

#[cfg(feature = "bb8")]
pub mod bb8;
#[cfg(feature = "deadpool")]
pub mod deadpool;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "postgres", feature = "tokio-postgres"))]
mod postgres_common;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "rusqlite")]
pub mod rusqlite;
#[cfg(feature = "tokio-postgres")]
pub mod tokio_postgres;

//! What the makers for PostgreSQL have in common, whichever crate they connect by.

/// Whether an SQLSTATE means that a further attempt is pointless: class 28 (the password, the role),
/// 3D000 (no such database).
pub(super) fn is_final(sqlstate: &str) -> bool {
    sqlstate.starts_with("28") || sqlstate == "3D000"
}

/// A maker that keeps a configuration and how to encrypt.
macro_rules! postgres_maker {
    ($(#[$doc:meta])* $config:ty) => {
        $(#[$doc])*
        pub struct Postgres<T = NoTls> {
            config: $config,
            tls: T,
        }

        impl Postgres<NoTls> {
            /// Connections without TLS.
            #[must_use]
            pub fn new(config: $config) -> Self {
                Self { config, tls: NoTls }
            }
        }

        impl<T> Postgres<T> {
            /// Connections with this TLS.
            pub fn with_tls(config: $config, tls: T) -> Self {
                Self { config, tls }
            }
        }

        impl<T> std::fmt::Debug for Postgres<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Postgres").finish_non_exhaustive()
            }
        }
    };
}

pub(super) use postgres_maker;

#[cfg(test)]
mod tests {
    use super::is_final;

    #[test]
    fn a_wrong_password_is_final_and_a_server_that_starts_is_not() {
        for sqlstate in ["28P01", "28000", "3D000"] {
            assert!(is_final(sqlstate), "{sqlstate}");
        }
        for sqlstate in ["57P03", "53300", "08006", "57P01"] {
            assert!(!is_final(sqlstate), "{sqlstate}");
        }
    }
}

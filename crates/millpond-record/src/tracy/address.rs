//! Where a client listens.

use std::fmt;
use std::str::FromStr;

/// The port at which Tracy's client listens unless it is told another, or another program has it: then the next that is
/// free.
pub const PORT: u16 = 8086;

/// A host and a port: `127.0.0.1:8086`, `localhost`, `[::1]:8087`, `::1`.
///
/// ```
/// use millpond_record::tracy::Address;
///
/// let address: Address = "192.168.0.7".parse()?;
/// assert_eq!(address.to_string(), "192.168.0.7:8086");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl Default for Address {
    /// This machine, and Tracy's port.
    fn default() -> Self {
        Self { host: "127.0.0.1".to_owned(), port: PORT }
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or("expected `[HOST]:PORT`")?;
                (host, port.strip_prefix(':').or((port.is_empty()).then_some("")))
            }
            // An address of version 6 without brackets has no port.
            None if text.matches(':').count() > 1 => (text, Some("")),
            None => {
                text.split_once(':').map_or((text, Some("")), |(host, port)| (host, Some(port)))
            }
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:%".contains(c);
        if host.is_empty() || host.len() > 253 || !host.chars().all(is_host) {
            return Err("expected a host, as in `HOST` or `HOST:PORT`".to_owned());
        }
        let port = match port {
            Some("") if !text.ends_with(':') => Some(PORT),
            Some(port) => port.parse().ok().filter(|&port| port != 0),
            None => None,
        };
        let port = port.ok_or("expected a port from 1 to 65535, as in `HOST:8086`")?;
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_a_port() {
        for (text, said) in [
            ("localhost", "localhost:8086"),
            ("192.168.0.7:90", "192.168.0.7:90"),
            ("::1", "[::1]:8086"),
            ("[::1]", "[::1]:8086"),
            ("[fe80::1%eth0]:1234", "[fe80::1%eth0]:1234"),
        ] {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), said);
        }
        assert_eq!(Address::default().to_string(), "127.0.0.1:8086");
        for text in [
            "",
            ":80",
            "a:",
            "a:0",
            "a:65536",
            "a:b",
            "[::1",
            "[::1]x",
            "[::1]:",
            "a b",
            "a/b",
            "\u{1b}[1m",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}

use core::fmt;
use core::str::FromStr;

/// An overflow policy by name, as a budget specifies it.
///
/// ```
/// use millpond_overflow::Overflow;
///
/// assert_eq!("evict-oldest".parse(), Ok(Overflow::EvictOldest));
/// assert_eq!(Overflow::EvictOldest.to_string(), "evict-oldest");
/// assert_eq!(
///     "panic".parse::<Overflow>().unwrap_err().to_string(),
///     "unknown overflow policy, expected one of refuse, evict-least, evict-oldest, spill, grow",
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overflow {
    /// `refuse`: the error returns the value. See [`Refuse`](super::Refuse).
    #[default]
    Refuse,
    /// `evict-least`: the object with the smallest key is evicted. See
    /// [`EvictLeast`](super::EvictLeast).
    EvictLeast,
    /// `evict-oldest`: the oldest object is evicted. See
    /// [`EvictOldest`](crate::EvictOldest).
    EvictOldest,
    /// `spill`: the value goes to a second pool. See [`Spill`](super::Spill).
    Spill,
    /// `grow`: the pool allocates more slots, up to a limit. See
    /// [`PolicyPool`](crate::PolicyPool#growth).
    Grow,
}

impl Overflow {
    /// All policies.
    pub const ALL: &[Self] =
        &[Self::Refuse, Self::EvictLeast, Self::EvictOldest, Self::Spill, Self::Grow];

    /// Returns the policy's name, as in budgets.
    #[must_use]
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::EvictLeast => "evict-least",
            Self::EvictOldest => "evict-oldest",
            Self::Spill => "spill",
            Self::Grow => "grow",
        }
    }
}

impl fmt::Display for Overflow {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Overflow {
    type Err = UnknownOverflow;

    #[inline]
    fn from_str(name: &str) -> Result<Self, UnknownOverflow> {
        Self::ALL.iter().copied().find(|policy| policy.name() == name).ok_or(UnknownOverflow)
    }
}

/// The error of parsing a name that no overflow policy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownOverflow;

impl fmt::Display for UnknownOverflow {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown overflow policy, expected one of ")?;
        for (place, policy) in Overflow::ALL.iter().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            write!(f, "{separator}{policy}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownOverflow {}

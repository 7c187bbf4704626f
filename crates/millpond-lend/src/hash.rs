//! Jitter without randomness: the same handle always has the same share.

/// The bits of a number, mixed (the finaliser of SplitMix64).
fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// `time` less a share of it: at most `percent_max` per cent, by `seed`.
pub(crate) fn jittered(time: u64, percent_max: u64, seed: u64) -> u64 {
    if time == u64::MAX {
        return time;
    }
    let thousandths = mix(seed) % 1_001;
    let less = u128::from(time) * u128::from(percent_max) * u128::from(thousandths) / 100_000;
    time - u64::try_from(less).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::jittered;

    #[test]
    fn stays_within_its_share_and_spreads() {
        let times: Vec<u64> = (0..1_000).map(|seed| jittered(1_000_000, 10, seed)).collect();
        assert!(times.iter().all(|time| (900_000..=1_000_000).contains(time)));
        assert!(times.iter().any(|time| *time < 910_000));
        assert!(times.iter().any(|time| *time > 990_000));
        assert_eq!(jittered(u64::MAX, 10, 7), u64::MAX);
        assert_eq!(jittered(1_000, 0, 7), 1_000);
    }
}

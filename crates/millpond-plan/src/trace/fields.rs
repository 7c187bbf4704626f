//! The numbers in traces.

/// A decimal number without a sign.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    if text.len() < 20 {
        // Nineteen digits cannot overflow.
        let mut value = 0_u64;
        for &byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        return Some(value);
    }
    std::str::from_utf8(text).ok().filter(|t| !t.starts_with('+'))?.parse().ok()
}

/// A hexadecimal number without a sign or prefix.
pub fn hexadecimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    let mut value = 0_u64;
    for &byte in text {
        let digit = HEX_DIGITS[byte as usize];
        if digit > 15 {
            return None;
        }
        value = value << 4 | u64::from(digit);
    }
    Some(value)
}

/// The value of each hexadecimal digit; 16 for every other byte.
const HEX_DIGITS: [u8; 256] = {
    let mut table = [16; 256];
    let mut digit = 0;
    while digit < 16 {
        table[b"0123456789abcdef"[digit] as usize] = digit as u8;
        table[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_reads_what_fits_and_nothing_else() {
        for good in [0, 7, 4_294_967_296, 9_999_999_999_999_999_999, u64::MAX] {
            assert_eq!(decimal(good.to_string().as_bytes()), Some(good));
        }
        assert_eq!(decimal(b"0007"), Some(7));
        for bad in ["", "-1", "+1", " 1", "1 ", "1.0", "1e3", "x", "18446744073709551616"] {
            assert_eq!(decimal(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(decimal(b"+1844674407370955161"), None);
        assert_eq!(decimal(b"000000000000000000001"), None);
    }

    #[test]
    fn hexadecimal_reads_what_fits_and_nothing_else() {
        for good in [0, 15, 0xdead_beef, u64::MAX] {
            assert_eq!(hexadecimal(format!("{good:x}").as_bytes()), Some(good));
            assert_eq!(hexadecimal(format!("{good:X}").as_bytes()), Some(good));
        }
        for bad in ["", "-1", "0x1", "g", "1 ", "10000000000000000"] {
            assert_eq!(hexadecimal(bad.as_bytes()), None, "{bad}");
        }
    }
}

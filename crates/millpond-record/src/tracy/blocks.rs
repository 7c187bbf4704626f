//! The stream as blocks of events, decompressed.
//!
//! A block is a number of bytes and so many bytes of LZ4, which may refer to the 64 KiB that came before it.

use lz4_flex::block::decompress_into_with_dict;

/// A block has at most this many bytes, before and after it is decompressed, by Tracy's own limits.
pub(super) const STORED_BYTES_MAX: usize = 263_188;
const BLOCK_BYTES_MAX: usize = 256 << 10;

/// How far back a block may refer.
const HISTORY_BYTES: usize = 64 << 10;

/// Decompresses one block after the other.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The blocks behind each other, of which the newest 64 KiB are the history of the next one.
    memory: Vec<u8>,
    /// The end of the newest block, and how much before it is history.
    end: usize,
    history: usize,
}

impl Blocks {
    pub(super) fn new() -> Self {
        // Blocks are small, as a rule, so that the history is moved once in many of them.
        Self { memory: vec![0; HISTORY_BYTES + 2 * BLOCK_BYTES_MAX], end: 0, history: 0 }
    }

    /// The next block.
    pub(super) fn decompress(&mut self, stored: &[u8]) -> Result<&[u8], String> {
        if self.memory.len() - self.end < BLOCK_BYTES_MAX {
            self.memory.copy_within(self.end - self.history..self.end, 0);
            self.end = self.history;
        }
        let (before, room) = self.memory.split_at_mut(self.end);
        let history = &before[self.end - self.history..];
        let bytes = decompress_into_with_dict(stored, &mut room[..BLOCK_BYTES_MAX], history)
            .map_err(|_| "a block is not LZ4 as Tracy compresses".to_owned())?;
        let begin = self.end;
        self.end += bytes;
        self.history = HISTORY_BYTES.min(self.history + bytes);
        Ok(&self.memory[begin..self.end])
    }
}

/// The length of a block from the number before it.
pub(super) fn stored_bytes(length: [u8; 4]) -> Result<usize, String> {
    let bytes = u32::from_le_bytes(length) as usize;
    if (1..=STORED_BYTES_MAX).contains(&bytes) {
        return Ok(bytes);
    }
    Err(format!("a block of {bytes} bytes, expected 1 to {STORED_BYTES_MAX}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of literals only.
    fn literals(bytes: &[u8]) -> Vec<u8> {
        let mut block = vec![(bytes.len().min(15) << 4) as u8];
        if bytes.len() >= 15 {
            let more = bytes.len() - 15;
            block.extend(std::iter::repeat_n(255, more / 255));
            block.push((more % 255) as u8);
        }
        block.extend(bytes);
        block
    }

    #[test]
    fn a_block_refers_to_those_before_it_and_not_beyond() {
        let mut blocks = Blocks::new();
        assert_eq!(blocks.decompress(&literals(b"hello ")), Ok(&b"hello "[..]));
        assert_eq!(blocks.decompress(&literals(b"world ")), Ok(&b"world "[..]));
        // Twelve bytes from twelve bytes before, and six at the end, which LZ4 asks for.
        let reference = [&[0x08, 12, 0][..], &literals(b"again!")].concat();
        assert_eq!(blocks.decompress(&reference), Ok(&b"hello world again!"[..]));
        let far = [&[0x08, 255, 0][..], &literals(b"again!")].concat();
        assert!(blocks.decompress(&far).is_err());
    }

    #[test]
    fn the_history_is_the_last_64_kib_however_large_the_blocks_are() {
        let mut blocks = Blocks::new();
        let mut all = Vec::new();
        for (turn, &bytes) in
            [70_000, 3, 65_000, 40_000, 1, 262_144, 30, 262_144, 262_144, 9, 262_144, 262_144]
                .iter()
                .enumerate()
        {
            let block: Vec<u8> = (0..bytes).map(|at| (at * 7 + turn * 13) as u8).collect();
            all.extend(&block);
            assert_eq!(blocks.decompress(&literals(&block)), Ok(&block[..]));
            let history = &blocks.memory[blocks.end - blocks.history..blocks.end];
            assert!(all.ends_with(history) && blocks.history == all.len().min(HISTORY_BYTES));
        }
    }

    #[test]
    fn a_block_is_not_larger_than_tracys() {
        let mut blocks = Blocks::new();
        assert!(blocks.decompress(&literals(&vec![1; BLOCK_BYTES_MAX])).is_ok());
        assert!(blocks.decompress(&literals(&vec![1; BLOCK_BYTES_MAX + 1])).is_err());
        assert!(stored_bytes([0; 4]).is_err() && stored_bytes([255; 4]).is_err());
        assert_eq!(stored_bytes([1, 2, 0, 0]), Ok(513));
    }
}

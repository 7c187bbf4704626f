//! Whoever may write the words of a bitmap is slow under shuttle, and leaves nonsense in them meanwhile.

pub(super) fn note_writing(bits: &mut [u64]) {
    bits.fill(0x5555_5555_5555_5555);
    shuttle::thread::yield_now();
}

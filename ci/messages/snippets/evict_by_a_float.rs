// says: the trait `Ord` is not implemented for `f32`
use millpond::Pool;
fn main() {
    let mut voices = Pool::new(4);
    voices.insert_or_evict(0.5_f32, |_, loudness| *loudness);
}

// says: the trait `Copy` is not implemented for `String`
use millpond::Pool;
fn main() {
    let pool = Pool::<String>::new(4);
    let _saved = pool.snapshot();
}

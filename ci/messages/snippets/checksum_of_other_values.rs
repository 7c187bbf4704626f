// says: write `millpond::checksum_fields!(Ship { field, … });`
use millpond::Pool;
struct Ship;
fn main() {
    let pool = Pool::<Ship>::new(4);
    let _sum = pool.checksum();
}

//! Takes a stream that was kept, and says how fast: `cargo run --release -p millpond-record --example reread -- FILE`.

use std::io::sink;
use std::time::Instant;

use millpond_record::tracy::reread;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("expected the file of a stream, as ci/tracy/keep writes it")?;
    let stream = std::fs::read(path)?;
    let begun = Instant::now();
    let ended = reread(&stream[..], sink())?;
    let (events, seconds) =
        (ended.counts.births + ended.counts.deaths, begun.elapsed().as_secs_f64());
    println!(
        "{events} events in {seconds:.3} s, {:.1} million a second",
        events as f64 / seconds / 1e6
    );
    Ok(())
}

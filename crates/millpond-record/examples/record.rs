//! Records a program with Tracy's client, uncompressed, and says how fast: `cargo run --release -p millpond-record --example
//! record -- 127.0.0.1:8086 game.heap`.

use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use millpond_record::tracy::{Address, Go, connect, record};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address: Address = arguments.next().as_deref().unwrap_or("127.0.0.1:8086").parse()?;
    let path = arguments.next().unwrap_or_else(|| "game.heap".to_owned());
    let Some(client) = connect(&address, &mut || true)? else { return Ok(()) };
    let begun = Instant::now();
    let recording = record(client, BufWriter::new(File::create(path)?), &mut |_| Go::On)?;
    let (events, seconds) =
        (recording.counts.births + recording.counts.deaths, begun.elapsed().as_secs_f64());
    println!(
        "{events} events in {seconds:.2} s, {:.1} million a second",
        events as f64 / seconds / 1e6
    );
    Ok(())
}

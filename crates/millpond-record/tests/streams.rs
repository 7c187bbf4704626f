//! Streams of real clients that were kept (`ci/tracy/keep`), whole, cut, damaged, and from peers that are none.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use millpond_record::Counts;
use millpond_record::tracy::{Address, End, Ended, Fault, Go, connect, record, reread};
use millpond_testkit::allocations::{Counting, refusing};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PROTOCOLS: [u32; 4] = [82, 76, 74, 69];

fn stream(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams").join(name);
    let mut stored = flate2::read::GzDecoder::new(std::fs::File::open(path).expect("a stream"));
    let mut stream = Vec::new();
    stored.read_to_end(&mut stream).expect("gzip");
    stream
}

/// What comes of a stream, and its recording.
fn recorded(stream: &[u8]) -> (Counts, End, String) {
    let Ended { out, counts, end, .. } = reread(stream, Vec::new()).expect("a beginning");
    (counts, end, String::from_utf8(out).expect("text"))
}

fn lines<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(start)).collect()
}

#[test]
fn a_skirmish_on_boxes() {
    let (counts, end, text) = recorded(&stream("on_boxes.82.stream.gz"));
    assert_eq!(end, End::Program);
    assert_eq!((counts.births, counts.deaths, counts.alive), (6323, 6322, 1));
    assert_eq!((counts.from_before, counts.twice, counts.beyond, counts.frames), (0, 0, 0, 1200));
    assert!(text.starts_with("millpond heap 1 tracy\nx on_boxes\n") && text.ends_with("e 0\n"));
    let births = lines(&text, "+ ");
    let of =
        |bytes: &str| births.iter().filter(|line| line.split(' ').nth(2) == Some(bytes)).count();
    // Puffs of 56 bytes, shells of 40 and units of 92, in hexadecimal.
    assert_eq!((of("38"), of("28"), of("5c")), (5262, 914, 120));
    assert_eq!(lines(&text, "f ").len(), 1200);
    for name in ["new<tracy_program_82::Puff>", "::Shell>", "::Unit>"] {
        assert!(lines(&text, "n ").iter().any(|line| line.contains(name)), "{name}");
    }
    // The library of each function, and no file for those whose name is what one wants to read.
    assert!(lines(&text, "n ").iter().all(|line| line.split('\t').count() == 4));
    assert!(text.contains("__libc_start_main_impl"));
}

/// Two pools in a block of the heap, whose addresses are theirs as well.
#[test]
fn pools_by_name_in_each_protocol() {
    for protocol in PROTOCOLS {
        let (counts, end, text) = recorded(&stream(&format!("pools.{protocol}.stream.gz")));
        assert_eq!((end, counts.births, counts.alive), (End::Program, 358, 151), "{protocol}");
        for (pool, bytes, births) in [("bullets", "40", 300), ("level", "20", 50)] {
            let names = lines(&text, "n ");
            let named: Vec<_> = names.iter().filter(|line| line.contains(pool)).collect();
            let [named] = named[..] else { panic!("{protocol}: {named:?}") };
            let address = named.split(['\t', ' ']).nth(1).expect("an address");
            // The pool is the innermost function of its blocks.
            let stacks: Vec<_> = lines(&text, "t ")
                .iter()
                .filter_map(|line| {
                    let mut words = line.split(' ').skip(1);
                    let number = words.next()?;
                    (words.next()? == address).then_some(number)
                })
                .collect();
            let of_pool = lines(&text, "+ ")
                .iter()
                .filter(|line| {
                    let words: Vec<_> = line.split(' ').collect();
                    words[2] == bytes && stacks.contains(&words[3])
                })
                .count();
            assert_eq!(of_pool, births, "{protocol}: {pool}");
        }
    }
}

#[test]
fn a_stream_that_is_cut_is_recorded_as_far_as_it_goes() {
    let whole = stream("pools.76.stream.gz");
    let (all, _, _) = recorded(&whole);
    let mut before = Counts::default();
    for end in (0..whole.len()).step_by(29) {
        match reread(&whole[..end], Vec::new()) {
            Ok(Ended { out, counts, end, .. }) => {
                assert!(counts.births >= before.births && counts.births <= all.births);
                before = counts;
                let is_whole = out.ends_with(b"e 0\n");
                assert_eq!(is_whole, end == End::Program);
                assert!(matches!(end, End::Program | End::Lost), "{end:?}");
            }
            Err(Fault::Stream(what)) => {
                assert!(what.contains("ends within its beginning"), "{what}")
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(before.births, all.births);
}

#[test]
fn a_stream_that_is_damaged_ends_the_recording_with_a_word() {
    let whole = stream("pools.82.stream.gz");
    let mut broken = 0;
    for at in (4..whole.len()).step_by(11) {
        for bit in [0, 3, 7] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            if let Ok(Ended { end: End::Broken(what), .. }) = reread(&damaged[..], Vec::new()) {
                assert!(!what.is_empty() && !what.contains('\n'));
                broken += 1;
            }
        }
    }
    assert!(broken > 100, "{broken}");
}

#[test]
fn what_no_client_says_is_refused_in_plain_words() {
    let whole = stream("pools.82.stream.gz");
    let said = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut stream = whole.clone();
        damage(&mut stream);
        match reread(&stream[..], Vec::new()) {
            Ok(Ended { end: End::Broken(what), .. }) | Err(Fault::Stream(what)) => what,
            other => panic!("{other:?}"),
        }
    };
    let welcome = 4 + 1170;
    assert_eq!(
        said(&|stream| stream[0] = 83),
        "protocol 83, expected 82 (Tracy 0.14), 76 (Tracy 0.13), 74 (Tracy 0.12), 69 (Tracy 0.11.1)"
    );
    assert!(said(&|stream| stream[4..12].fill(0)).starts_with("a clock of 0e0 ns"));
    assert!(said(&|stream| stream[4..12].fill(255)).starts_with("a clock of NaN ns"));
    assert!(
        said(&|stream| stream[welcome..welcome + 4].fill(255))
            .starts_with("a block of 4294967295 bytes")
    );
    assert!(said(&|stream| stream[welcome..welcome + 4].fill(0)).starts_with("a block of 0 bytes"));
    let a_block = |events: &[u8]| {
        said(&|stream| {
            stream.truncate(welcome);
            stream.extend(literals(events));
        })
    };
    assert_eq!(a_block(&[200]), "event 200, expected 0 to 131 in protocol 82");
    assert_eq!(a_block(&[35, 0, 0]), "a block ends within an event: 3 bytes, expected 27");
    assert_eq!(a_block(&[112, 255, 255]), "a block ends within an event: 0 bytes, expected 65791");
}

/// A peer that does as told with the first connections that it gets; it listens at this address.
fn peer(
    mut connection: impl FnMut(TcpStream) -> bool + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one").to_string();
    let thread =
        thread::spawn(move || while connection(listener.accept().expect("a connection").0) {});
    (address.parse().expect("an address"), thread)
}

/// The number of the protocol that the recorder speaks.
fn greeting(stream: &mut TcpStream) -> u32 {
    let mut greeting = [0; 12];
    stream.read_exact(&mut greeting).expect("a greeting");
    assert_eq!(&greeting[..8], b"TracyPrf");
    u32::from_le_bytes([greeting[8], greeting[9], greeting[10], greeting[11]])
}

/// A client that speaks one protocol, says what was kept, and then waits to be told that it may go.
fn client(protocol: u32, stream: Vec<u8>) -> (Address, JoinHandle<()>) {
    peer(move |mut connection| {
        if greeting(&mut connection) != protocol {
            connection.write_all(&[2]).expect("it is there");
            return true;
        }
        connection.write_all(&[1]).expect("it is there");
        connection.write_all(&stream[4..]).expect("it is there");
        let mut queries = Vec::new();
        let mut query = [0; 13];
        while query[0] != 0 || queries.is_empty() {
            connection.read_exact(&mut query).expect("a question");
            queries.push(query);
        }
        // Each of them once, and the end only after them.
        let asked = queries.len();
        queries.sort_unstable();
        queries.dedup();
        assert!(asked == queries.len() && asked > 20, "{asked}");
        false
    })
}

fn connected(address: &Address) -> millpond_record::tracy::Client {
    connect(address, &mut || true).expect("a client").expect("nobody stops it")
}

#[test]
fn each_protocol_is_found_and_its_client_is_let_go() {
    for protocol in PROTOCOLS {
        let kept = stream(&format!("pools.{protocol}.stream.gz"));
        let (address, thread) = client(protocol, kept.clone());
        let found = connected(&address);
        assert_eq!((found.protocol(), found.program()), (protocol, "pools"));
        let Ended { out, counts, end, names } =
            record(found, Vec::new(), &mut |_| Go::On).expect("memory");
        thread.join().expect("the client is content");
        assert_eq!((end, counts.births), (End::Program, 358));
        assert!(names.0 > 20 && names.0 <= names.1, "{names:?}");
        assert_eq!(String::from_utf8(out).expect("text"), recorded(&kept).2);
    }
}

#[test]
fn a_client_that_dies_leaves_what_it_has_said() {
    let kept = stream("ended.82.stream.gz");
    let half = kept.len() / 2;
    let (address, thread) = peer(move |mut connection| {
        greeting(&mut connection);
        connection.write_all(&[1]).expect("it is there");
        connection.write_all(&kept[4..half]).expect("it is there");
        false
    });
    let found = connected(&address);
    thread.join().expect("it has said all");
    let ended = record(found, Vec::new(), &mut |_| Go::On).expect("memory");
    assert!(ended.end == End::Lost && ended.counts.births > 0);
    assert!(!ended.out.ends_with(b"e 0\n"));
}

/// What a peer answers, whatever protocol it is asked for; whether it was heard.
fn answers(mut stream: TcpStream, answer: &[u8]) -> bool {
    greeting(&mut stream);
    stream.write_all(answer).is_ok()
}

#[test]
fn peers_that_are_no_client_are_told_in_one_line() {
    let told = |connection: fn(TcpStream) -> bool| {
        let (address, _) = peer(connection);
        let fault = connect(&address, &mut || true).map(|_| ()).expect_err("no client");
        let text = fault.to_string();
        assert!(text.contains(&address.to_string()) && !text.contains('\n'), "{text}");
        text
    };
    let speaks_another = told(|mut stream| {
        greeting(&mut stream);
        stream.write_all(&[2]).is_ok()
    });
    assert!(speaks_another.contains("none of Tracy's protocols 82 (Tracy 0.14), 76"));
    assert!(told(|stream| answers(stream, &[3])).contains("start the program again"));
    assert!(told(|stream| answers(stream, b"HTTP")).contains("answers 72"));
    assert!(told(|stream| answers(stream, &[])).contains("without a word"));
    assert!(told(|stream| answers(stream, &[1; 500])).contains("ends within its beginning"));
    let nowhere: Address = "no-such-host.invalid".parse().expect("it looks like one");
    let fault = connect(&nowhere, &mut || true).map(|_| ()).expect_err("there is none");
    assert!(fault.to_string().starts_with("no-such-host.invalid is not the name"));
}

#[test]
fn who_waits_for_a_program_may_stop_to_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address: Address =
        listener.local_addr().expect("it has one").to_string().parse().expect("one");
    drop(listener);
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let found = connect(&address, &mut || ASKED.fetch_add(1, Ordering::SeqCst) < 3);
    assert!(found.expect("no fault").is_none());
}

/// The block of one event that ends the talk, in protocol 82.
const LAST_WORD: [u8; 6] = [2, 0, 0, 0, 0x10, 73];

/// A client that goes on until it is told to end: then it does this, says its last word, and waits to be let go.
fn told_to_end(mut then: impl FnMut(&mut TcpStream) + Send + 'static) -> (Address, JoinHandle<()>) {
    let kept = stream("ended.82.stream.gz");
    assert!(kept.ends_with(&LAST_WORD));
    peer(move |mut connection| {
        greeting(&mut connection);
        connection.write_all(&[1]).expect("it is there");
        connection.write_all(&kept[4..kept.len() - LAST_WORD.len()]).expect("it is there");
        let mut query = [0; 13];
        while query[0] != 9 {
            connection.read_exact(&mut query).expect("a question");
        }
        then(&mut connection);
        connection.write_all(&LAST_WORD).expect("it is there");
        connection.read_exact(&mut query).expect("the last one");
        assert_eq!(query[0], 0);
        false
    })
}

/// Records it until there is something; the blocks that there were then.
fn recorded_until_told(client: (Address, JoinHandle<()>)) -> (u64, Ended<Vec<u8>>) {
    let (address, thread) = client;
    let mut births = 0;
    let ended = record(connected(&address), Vec::new(), &mut |progress| {
        births = births.max(progress().counts.births);
        if births == 0 { Go::On } else { Go::End }
    });
    thread.join().expect("the client is content");
    (births, ended.expect("memory"))
}

#[test]
fn who_has_seen_enough_ends_a_recording() {
    let (births, ended) = recorded_until_told(told_to_end(|_| {}));
    assert!(ended.end == End::Asked && births > 0 && ended.counts.births == births);
    assert!(ended.out.ends_with(b"e 0\n"));
}

/// A client may have other things to say before its last word, and take its time.
#[test]
fn a_client_that_answers_late_is_waited_for_and_let_go() {
    let (births, ended) = recorded_until_told(told_to_end(|connection| {
        // Longer than the recorder takes to ask whether it goes on, and far shorter than it waits.
        thread::sleep(Duration::from_millis(400));
        // A birth: it is past the end.
        let birth = [&[35][..], &[0; 26]].concat();
        connection.write_all(&literals(&birth)).expect("it is there");
        thread::sleep(Duration::from_millis(400));
    }));
    assert_eq!((ended.end, ended.counts.births), (End::Asked, births));
    assert!(ended.out.ends_with(b"e 0\n"));
}

/// A block of literals only: its length, and LZ4's head.
fn literals(events: &[u8]) -> Vec<u8> {
    let mut block = vec![(events.len().min(15) << 4) as u8];
    if let Some(more) = events.len().checked_sub(15) {
        block.extend(std::iter::repeat_n(255, more / 255));
        block.push((more % 255) as u8);
    }
    block.extend(events);
    [&(block.len() as u32).to_le_bytes()[..], &block].concat()
}

/// A client that catches the crash of its program says so, and then ends as that of any program does, if it comes so far.
#[test]
fn a_crash_that_is_told_is_no_end_of_a_program() {
    for (protocol, crash, string, welcome) in
        [(69, 63, 100, 1178), (74, 65, 102, 1178), (76, 66, 104, 1170), (82, 79, 119, 1170)]
    {
        let kept = stream(&format!("pools.{protocol}.stream.gz"));
        let (beginning, rest) = kept.split_at(4 + welcome);
        let text = 0x00c0_ffee_u64.to_le_bytes();
        let report = literals(&[&[crash][..], &[0; 8], &text].concat());
        let words = b"Abort signal from abort().\nFault address: 0x1\n";
        let length = (words.len() as u16).to_le_bytes();
        let answer = literals(&[&[string][..], &text, &length, words].concat());
        let (_, whole, recording) = recorded(&kept);
        assert_eq!(whole, End::Program);

        let told = [beginning, &report, rest, &answer].concat();
        let Ended { out, counts, names, end } = reread(&told[..], Vec::new()).expect("a beginning");
        assert_eq!(end, End::Crashed("Abort signal from abort()".to_owned()), "{protocol}");
        assert_eq!(counts.births, 358);
        // All but the last line; the text of the crash is the name of nothing.
        assert_eq!(String::from_utf8(out).expect("text") + "e 0\n", recording);
        assert_eq!(names, reread(&kept[..], Vec::new()).expect("a beginning").names);

        // It breaks off, or says another crash, or something that is no event.
        let cut = [beginning, &report, &rest[..rest.len() / 2]].concat();
        assert_eq!(recorded(&cut).1, End::Crashed(String::new()), "{protocol}");
        let twice = [beginning, &report, &report, rest, &answer, &answer].concat();
        assert_eq!(recorded(&twice).1, End::Crashed("Abort signal from abort()".to_owned()));
        let broken = [beginning, &report, &literals(&[250])].concat();
        assert!(matches!(recorded(&broken).1, End::Broken(_)), "{protocol}");
    }
}

/// Events that no client here sends, by hand, in protocol 82.
#[test]
fn locks_advance_the_clock_and_a_pool_is_discarded_at_once() {
    let mut events = Vec::new();
    let mut event = |number: u8, parts: &[&[u8]]| {
        events.push(number);
        parts.iter().for_each(|part| events.extend_from_slice(part));
    };
    let ms = |ms: i64| (ms * 1_000_000).to_le_bytes();
    let (thread, of) = ([0; 4], |number: u64| number.to_le_bytes());
    let size = [7, 0, 0, 0, 0, 0];
    event(35, &[&ms(0), &thread, &of(0x10), &size]);
    // A thread waits for a lock, obtains it and releases it; then a zone of the graphics card begins.
    event(28, &[&thread, &thread, &ms(3)]);
    event(29, &[&thread, &thread, &ms(4)]);
    event(30, &[&thread, &ms(5)]);
    event(50, &[&ms(8), &thread, &[0; 11]]);
    event(35, &[&ms(1), &thread, &of(0x20), &size]);
    // Three blocks of a pool at the addresses of the others, gone at once.
    for address in [0x10, 0x20, 0x30] {
        event(116, &[&of(0xabc)]);
        event(36, &[&ms(0), &thread, &of(address), &size]);
    }
    event(43, &[&ms(9), &thread, &of(0xabc)]);
    // Nothing is freed, a block from before is, and one is born where one is alive.
    event(37, &[&ms(0), &thread, &of(0)]);
    event(37, &[&ms(0), &thread, &of(0x99)]);
    event(35, &[&ms(0), &thread, &of(0x20), &size]);

    let mut stream = 82_u32.to_le_bytes().to_vec();
    stream.extend(1.0_f64.to_le_bytes());
    stream.resize(4 + 1170, 0);
    stream.extend(literals(&events));

    let (counts, end, text) = recorded(&stream);
    assert_eq!((end, counts.births, counts.deaths, counts.alive), (End::Lost, 6, 4, 2));
    assert_eq!((counts.from_before, counts.twice), (1, 1));
    assert_eq!(lines(&text, "c "), ["c 0", "c 15", "c 1e"], "0, 21 and 30 ms");
    assert_eq!(lines(&text, "- "), ["- 2", "- 3", "- 4", "- 1"]);
    assert_eq!(lines(&text, "u "), ["u 1"]);
}

/// A client whose blocks come and go: so many blocks of events, made as they are read, in each of which a thousand blocks of memory
/// are born, at addresses of their own, and die.
struct ComeAndGo {
    blocks_left: u64,
    stored: std::io::Cursor<Vec<u8>>,
}

impl Read for ComeAndGo {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stored.read(buffer)?;
        if read > 0 || self.blocks_left == 0 {
            return Ok(read);
        }
        self.blocks_left -= 1;
        let mut events = Vec::new();
        for n in 0..1000 {
            let address = (1 << 32) + (self.blocks_left * 1000 + n) * 16;
            for (number, size) in [(35, &[7, 0, 0, 0, 0, 0][..]), (37, &[])] {
                events.push(number);
                events.extend([0; 12]);
                events.extend(u64::to_le_bytes(address));
                events.extend(size);
            }
        }
        self.stored = std::io::Cursor::new(literals(&events));
        self.stored.read(buffer)
    }
}

/// However long a program runs, what is dead takes no memory.
#[test]
fn memory_is_in_proportion_to_what_is_alive() {
    let mut welcome = 82_u32.to_le_bytes().to_vec();
    welcome.extend(1.0_f64.to_le_bytes());
    welcome.resize(4 + 1170, 0);
    let stream = ComeAndGo { blocks_left: 300, stored: std::io::Cursor::new(welcome) };
    let ended = refusing(1 << 20, || reread(stream, std::io::sink()));
    let counts = ended.expect("a stream").counts;
    assert_eq!((counts.births, counts.deaths, counts.alive), (300_000, 300_000, 0));
}

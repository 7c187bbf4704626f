//! An input that can be read twice, whatever it is.

use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::rc::Rc;

use super::cut::{CutIn, Ending};
use super::decompress::decompressed;
use super::encoding::{Encoding, as_utf8};
use super::known;
use super::spool::Spool;
use crate::error::{Fault, reason};
use crate::progress::{Progress, Show, Silent};
use crate::trace::{Beforehand, Frames, Names};

/// A source that can be opened repeatedly and yields the same bytes each time.
#[derive(Debug)]
pub struct Source {
    place: Stored,
    bytes_stored: u64,
    show: Option<Show>,
    accepts_cut: bool,
    names: Option<Rc<dyn Names>>,
    has_profiler: bool,
    beforehand: OnceCell<Beforehand>,
}

#[derive(Debug)]
enum Stored {
    File(File),
    Spooled(Spool),
    Memory(&'static [u8]),
    Elsewhere(Open),
}

/// Opens what is stored, at its beginning.
struct Open(Box<dyn Fn() -> Box<dyn Read>>);

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Open")
    }
}

impl Source {
    /// A trace that is part of the program.
    #[must_use]
    pub fn from_memory(bytes: &'static [u8]) -> Self {
        Self::new(Stored::Memory(bytes), bytes.len() as u64)
    }

    /// What `open` reads, for a program without files: a page in a browser. Each call of `open` must give the same
    /// `bytes_stored` bytes from the beginning.
    ///
    /// ```
    /// use millpond_plan::input::Source;
    ///
    /// let text = b"tick,event,id,class\n".to_vec();
    /// let source = Source::from_opener(20, move || Box::new(std::io::Cursor::new(text.clone())));
    /// assert_eq!(source.bytes_stored(), 20);
    /// ```
    #[must_use]
    pub fn from_opener(bytes_stored: u64, open: impl Fn() -> Box<dyn Read> + 'static) -> Self {
        Self::new(Stored::Elsewhere(Open(Box::new(open))), bytes_stored)
    }

    /// A file by its path, or standard input for `-`.
    ///
    /// A plan reads its input twice. What cannot be read twice (standard input, a pipe) is
    /// first copied to a temporary file that is removed when the source is dropped.
    ///
    /// # Errors
    /// If it does not exist, may not be read, or is neither a file nor a pipe.
    pub fn from_path(path: &Path) -> Result<Self, Fault> {
        Self::from_path_spooling(path, Spool::create)
    }

    /// As [`from_path`](Self::from_path), for a program that must not be interrupted while it creates the temporary
    /// file: `spool` calls [`Spool::create`].
    ///
    /// # Errors
    /// As [`from_path`](Self::from_path), and those of `spool`.
    pub fn from_path_spooling(
        path: &Path,
        spool: impl FnOnce() -> Result<Spool, Fault>,
    ) -> Result<Self, Fault> {
        if path == Path::new("-") {
            return Self::spooled(spool()?, std::io::stdin().lock());
        }
        // Checked before it is opened: opening a pipe blocks, and opening a directory gives a poor message.
        let kind = std::fs::metadata(path).map_err(|e| Fault::whole(reason(&e)))?.file_type();
        if kind.is_dir() {
            return Err(Fault::whole("is a directory, expected a trace file"));
        }
        if !kind.is_file() && !is_pipe(kind) {
            return Err(Fault::whole("is neither a file nor a pipe, expected a trace file"));
        }
        let file = File::open(path).map_err(|e| Fault::whole(reason(&e)))?;
        if !kind.is_file() {
            return Self::spooled(spool()?, file);
        }
        let bytes_stored = file.metadata().map_err(|e| Fault::whole(reason(&e)))?.len();
        Ok(Self::new(Stored::File(file), bytes_stored))
    }

    /// What was written to a temporary file.
    #[must_use]
    pub fn from_spool(spool: Spool) -> Self {
        let bytes_stored = spool.bytes();
        Self::new(Stored::Spooled(spool), bytes_stored)
    }

    fn spooled(mut spool: Spool, pipe: impl Read) -> Result<Self, Fault> {
        spool.fill(pipe)?;
        Ok(Self::from_spool(spool))
    }

    fn new(place: Stored, bytes_stored: u64) -> Self {
        Self {
            place,
            bytes_stored,
            show: None,
            accepts_cut: false,
            names: None,
            has_profiler: false,
            beforehand: OnceCell::new(),
        }
    }

    /// The same source, read up to its end if it is cut short: what comes before is read, and where it ends is noted.
    ///
    /// ```
    /// use millpond_plan::input::Source;
    /// use millpond_plan::plan::{Rules, plan};
    ///
    /// let trace = b"tick,event,id,class\n0,alloc,1,Spark\n0,alloc,2,Spark\n3,fre";
    /// let source = Source::from_memory(trace).up_to_its_end();
    /// let plan = plan("game.csv", &source, &Rules::default())?;
    /// assert_eq!(plan.summary.births, 2);
    /// assert_eq!(plan.summary.cut.map(|cut| cut.line), Some(4));
    /// # Ok::<(), millpond_plan::error::Fault>(())
    /// ```
    #[must_use]
    pub fn up_to_its_end(self) -> Self {
        Self { accepts_cut: true, ..self }
    }

    /// The same source, whose readings are shown.
    #[must_use]
    pub fn shown(self, show: Show) -> Self {
        Self { show: Some(show), ..self }
    }

    /// The same source, with names for the code of the recorded program: a recording by `heaptrack --raw` has none.
    #[must_use]
    pub fn with_names(self, names: Rc<dyn Names>) -> Self {
        Self { names: Some(names), ..self }
    }

    /// The same source, whose blocks of the profiler count as the program's.
    #[must_use]
    pub fn with_profiler(self) -> Self {
        Self { has_profiler: true, ..self }
    }

    /// Whether the profiler's own blocks count.
    pub(crate) fn has_profiler(&self) -> bool {
        self.has_profiler
    }

    /// What is known of it before its events are read, as this function finds out once.
    pub(crate) fn beforehand(
        &self,
        find_out: impl FnOnce(&Self) -> Result<Beforehand, Fault>,
    ) -> Result<&Beforehand, Fault> {
        if let Some(known) = self.beforehand.get() {
            return Ok(known);
        }
        let found = find_out(self)?;
        Ok(self.beforehand.get_or_init(|| found))
    }

    /// Begins to show a reading of this source.
    #[must_use]
    pub fn progress(&self, label: &str) -> Box<dyn Progress> {
        self.show.map_or_else(|| Box::new(Silent) as _, |show| show(label, self.bytes_stored))
    }

    /// The stored size of the input in bytes.
    #[must_use]
    pub fn bytes_stored(&self) -> u64 {
        self.bytes_stored
    }

    /// Whether it can be opened again by its path, so that it need not be kept.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.place, Stored::File(_))
    }

    /// The uncompressed text as UTF-8, from its beginning, without its byte order mark.
    ///
    /// # Errors
    /// If it cannot be read, its compression's header is damaged, or it is known to be another kind of file.
    pub fn open(&self) -> Result<Input<'_>, Fault> {
        let bytes_read = Rc::new(Cell::new(0));
        let stored: Box<dyn Read + '_> = match &self.place {
            Stored::File(file) => Box::new(rewound(file)?),
            Stored::Spooled(spool) => Box::new(rewound(spool.file())?),
            Stored::Memory(bytes) => Box::new(*bytes),
            Stored::Elsewhere(Open(open)) => open(),
        };
        let counted = Counted { inner: stored, bytes_read: Rc::clone(&bytes_read) };
        let ending = Ending { is_accepted: self.accepts_cut, ..Ending::default() };
        let mut text = decompressed(counted, ending.clone())?;
        let beginning = beginning(&mut text)
            .map_err(|error| Fault::at_byte(bytes_read.get(), reason(&error)))?;
        if let Some(what) = known::file(&beginning) {
            return Err(Fault::whole(what));
        }
        let encoding = Encoding::of(&beginning);
        let mut beginning = std::io::Cursor::new(beginning);
        beginning.set_position(encoding.mark() as u64);
        let text = as_utf8(encoding, Box::new(beginning.chain(text)), &ending);
        let (mark_bytes, bytes_stored) = (encoding.mark() as u64, self.bytes_stored);
        let names = self.names.clone();
        let (frames, profilers) = (None, Rc::default());
        Ok(Input { text, bytes_read, bytes_stored, mark_bytes, ending, names, frames, profilers })
    }
}

/// Reads as much as tells what it is.
fn beginning(text: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    text.take(known::BEGINNING_BYTES as u64).read_to_end(&mut beginning)?;
    Ok(beginning)
}

fn rewound(mut file: &File) -> Result<&File, Fault> {
    file.rewind().map_err(|e| Fault::whole(reason(&e)))?;
    Ok(file)
}

#[cfg(unix)]
fn is_pipe(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_: std::fs::FileType) -> bool {
    false
}

/// An open input: uncompressed text, and the progress of reading.
pub struct Input<'a> {
    text: Box<dyn Read + 'a>,
    bytes_read: Rc<Cell<u64>>,
    bytes_stored: u64,
    mark_bytes: u64,
    ending: Ending,
    names: Option<Rc<dyn Names>>,
    frames: Option<Rc<Frames>>,
    profilers: Rc<[bool]>,
}

impl Input<'_> {
    /// The same input, read in these frames: a recording's marks of frames may come later in the file than what happens in
    /// them.
    pub(crate) fn in_frames(self, frames: Option<Rc<Frames>>) -> Self {
        Self { frames, ..self }
    }

    /// The frames in which it is read.
    pub(crate) fn frames(&self) -> Option<Rc<Frames>> {
        self.frames.clone()
    }

    /// The same input, without the blocks of the profiler: those of the call stacks that are marked here, from number 1 on.
    pub(crate) fn without(self, profilers: Rc<[bool]>) -> Self {
        Self { profilers, ..self }
    }

    /// Which call stacks are the profiler's.
    pub(crate) fn profilers(&self) -> Rc<[bool]> {
        Rc::clone(&self.profilers)
    }

    /// Names for the code of the recorded program, if whoever opened it has some.
    pub(crate) fn names(&self) -> Option<Rc<dyn Names>> {
        self.names.clone()
    }

    /// The number of bytes of the mark before the text.
    pub(crate) fn mark_bytes(&self) -> u64 {
        self.mark_bytes
    }

    /// Whether a text that is cut short is read up to its end.
    #[must_use]
    pub fn accepts_cut(&self) -> bool {
        self.ending.is_accepted
    }

    /// At the end: what was cut short, if compressed data or a character was.
    #[must_use]
    pub fn cut_in(&self) -> Option<CutIn> {
        self.ending.met.get()
    }

    /// The number of stored bytes read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// The number of stored bytes.
    #[must_use]
    pub fn bytes_stored(&self) -> u64 {
        self.bytes_stored
    }

    /// The next byte of the uncompressed text, which is read again afterwards; `None` at its end.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn first_byte(&mut self) -> Result<Option<u8>, Fault> {
        let mut byte = [0];
        if self.read(&mut byte)? == 0 {
            return Ok(None);
        }
        let rest = std::mem::replace(&mut self.text, Box::new(std::io::empty()));
        self.text = Box::new(std::io::Cursor::new(byte).chain(rest));
        Ok(Some(byte[0]))
    }

    /// The beginning of the uncompressed text, as much as tells what it is.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn into_beginning(mut self) -> Result<Vec<u8>, Fault> {
        let mut beginning = vec![0; known::BEGINNING_BYTES];
        let mut filled = 0;
        while filled < beginning.len() {
            match self.read(&mut beginning[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        beginning.truncate(filled);
        Ok(beginning)
    }

    /// Reads some uncompressed text; 0 at its end.
    ///
    /// # Errors
    /// If the file cannot be read, or its compression is damaged or cut short.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        loop {
            match self.text.read(buffer) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                other => return other.map_err(|e| Fault::at_byte(self.bytes_read(), reason(&e))),
            }
        }
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Input({} of {} bytes)", self.bytes_read(), self.bytes_stored)
    }
}

/// Counts the bytes that pass through it.
struct Counted<'a> {
    inner: Box<dyn Read + 'a>,
    bytes_read: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.bytes_read.set(self.bytes_read.get() + n as u64);
        Ok(n)
    }
}

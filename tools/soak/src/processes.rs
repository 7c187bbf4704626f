//! The processes of a program: the one that was started, and those that it has started itself.

use std::fs;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use super::memory::resident_bytes_of;
use millpond_plan::error::{Failure, reason};

/// How long a program may take to end when it is asked to.
pub(super) const END_WITHIN: Duration = Duration::from_secs(5);

/// The maximum number of processes that are examined. A pool does not help a program with more.
const PROCESSES_MAX: usize = 4096;

/// How a program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    ByItself(ExitStatus),
    /// When it was asked to.
    Asked,
    /// This ignored the request.
    Killed(&'static str),
}

/// The program, which does not outlive the soak.
pub(super) struct Running {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Running {
    pub(super) fn new(child: Child) -> Self {
        Self { child, ended: None }
    }

    /// Its exit status, if it has ended.
    pub(super) fn poll(&mut self) -> Result<Option<ExitStatus>, Failure> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().map_err(|error| lost(&error))?;
        }
        Ok(self.ended)
    }

    /// The resident memory of the program and of the processes that it has started; `None` if the system does not
    /// report it, and after the program's end.
    pub(super) fn resident_bytes(&self) -> Option<u64> {
        let of_the_program = resident_bytes_of(self.child.id())?;
        let started = family(self.child.id()).into_iter().skip(1);
        Some(started.filter_map(resident_bytes_of).fold(of_the_program, u64::saturating_add))
    }

    /// Ends the program and the processes that it has started.
    pub(super) fn end(mut self) -> Result<End, Failure> {
        if let Some(status) = self.poll()? {
            return Ok(End::ByItself(status));
        }
        // Before the program ends, because they cannot be found afterwards.
        let mut started = Started::by(&self.child);
        ask_to_end(&self.child);
        started.ask_to_end();
        let asked = Instant::now();
        while (self.poll()?.is_none() || started.any_runs()) && asked.elapsed() < END_WITHIN {
            std::thread::sleep(Duration::from_millis(10));
        }
        let end = match (self.poll()?, started.any_runs()) {
            (None, _) => End::Killed("it"),
            (Some(_), true) => End::Killed("a process that it has started"),
            (Some(_), false) => End::Asked,
        };
        started.force_to_end();
        Ok(end)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.is_none() {
            // It may have ended just now; then there is nothing to do.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The process and its descendants, as far as the system reports them (here, only Linux does).
fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut at = 0;
    while at < family.len() && family.len() < PROCESSES_MAX {
        let threads = fs::read_dir(format!("/proc/{}/task", family[at]));
        for thread in threads.into_iter().flatten().flatten() {
            // It may have ended just now.
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            family.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
        at += 1;
    }
    family.truncate(PROCESSES_MAX);
    family
}

/// So that the program can save its state. Other systems have no such request for a program without a window.
fn ask_to_end(child: &Child) {
    #[cfg(unix)]
    if let Some(process) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended just now.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }
    let _ = child;
}

/// The processes that a program has started and that are still running. A later process with the same number is not one
/// of them.
#[cfg(target_os = "linux")]
struct Started(Vec<rustix::fd::OwnedFd>);

#[cfg(target_os = "linux")]
impl Started {
    fn by(child: &Child) -> Self {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};

        let ids = family(child.id()).into_iter().skip(1).filter_map(|id| i32::try_from(id).ok());
        let open = |id| pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok();
        Self(ids.filter_map(open).collect())
    }

    fn signal(&self, signal: rustix::process::Signal) {
        for process in &self.0 {
            // It may have ended just now.
            let _ = rustix::process::pidfd_send_signal(process, signal);
        }
    }

    fn ask_to_end(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn force_to_end(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn any_runs(&mut self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.0.retain(|process| {
            let mut polled = [PollFd::new(process, PollFlags::IN)];
            // It is readable once the process has ended.
            matches!(poll(&mut polled, Some(&now)), Ok(0))
        });
        !self.0.is_empty()
    }
}

/// Other systems do not report the processes that a program starts.
#[cfg(not(target_os = "linux"))]
struct Started;

#[cfg(not(target_os = "linux"))]
impl Started {
    fn by(_child: &Child) -> Self {
        Self
    }

    fn ask_to_end(&self) {}

    fn force_to_end(&self) {}

    fn any_runs(&mut self) -> bool {
        false
    }
}

fn lost(error: &std::io::Error) -> Failure {
    Failure::Output(format!("soak: the program: {}", reason(error)))
}

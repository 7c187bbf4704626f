//! The site in a browser: `ci/web` builds it and runs these tests, which say "not run" with the reason where there is no
//! browser.
//!
//! `MILLPOND_SITE` is the folder of the built site, `MILLPOND_PROGRAM` the command whose results the page must give.

mod figures;
mod planner;
mod player;

use std::path::PathBuf;
use std::sync::Mutex;

/// One browser at a time: each takes two processors for itself.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a test with the site's folder, or says why not.
fn with_site(test: impl FnOnce(PathBuf)) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match millpond_web_tests::site() {
        Ok(site) => test(site),
        Err(reason) => println!("not run: {reason}"),
    }
}

/// The command.
fn program() -> PathBuf {
    std::env::var_os("MILLPOND_PROGRAM").expect("MILLPOND_PROGRAM is the command `millpond`").into()
}

//! The steps of `action.yml` (`ci/action`), in the environment that GitHub gives them and with a program in place of its `gh`.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{Directory, done, millpond};

/// What stands in place of `gh`: it writes down its arguments and the comment, and lists the comment that is there already.
const GH: &str = "#!/bin/sh
printf '%s\\n' \"$*\" >> calls.txt
for argument in \"$@\"; do
    case $argument in body=@*) cat \"${argument#body=@}\" > comment.md ;; esac
done
case \"$*\" in *--paginate*) cat earlier.txt ;; esac
";

/// So many objects of 48 bytes at once, requested by a function.
fn recording(at_once: usize, function: &str) -> String {
    let births: String = (0..at_once).map(|n| format!("+ {n:x} 30 1\n")).collect();
    let deaths: String = (0..at_once).map(|n| format!("- {n:x}\n")).collect();
    let later: String = (1..40).map(|ms| format!("c {ms:x}\n")).collect();
    format!("millpond heap 1\nx game\nt 1 a\nc 0\n{births}{later}{deaths}n a\t{function}\t\ne 0\n")
}

fn step(directory: &Directory, name: &str, more: &[(&str, &str)]) -> Output {
    let steps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/action");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .arg(steps.join(name))
        .current_dir(directory.path())
        .env("PATH", format!("{}:{path}", directory.path().join("bin").display()))
        .env("RUNNER_TEMP", directory.path())
        .env("GITHUB_OUTPUT", directory.path().join("outputs"))
        .env("GITHUB_STEP_SUMMARY", directory.path().join("summary.md"))
        .envs(more.iter().copied())
        .output()
        .unwrap()
}

fn text(directory: &Directory, name: &str) -> String {
    std::fs::read_to_string(directory.path().join(name)).unwrap_or_default()
}

/// A directory with a budget for ten objects, and with the programs that the steps call; `None` without bash.
fn prepared() -> Option<Directory> {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("not run: no bash");
        return None;
    }
    let directory = Directory::new();
    let bin: PathBuf = directory.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let gh = directory.file("bin/gh", GH);
    std::fs::set_permissions(gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink(millpond(&directory).get_program(), bin.join("millpond")).unwrap();
    directory.file("game.heap", recording(10, "new<Spark>"));
    let plan = ["plan", "--no-report", "--all", "--budget", "b.toml", "game.heap"];
    done(&millpond(&directory).args(plan).output().unwrap());
    Some(directory)
}

#[test]
fn the_check_leaves_its_table_and_its_exit_code() {
    let Some(directory) = prepared() else { return };
    directory.file("night-1.heap", recording(9, "new<Spark>"));
    directory.file("night-2.heap", recording(40, "new<Ember>"));
    let all = [("BUDGET", "b.toml"), ("RECORDINGS", "night-*.heap"), ("BEFORE", "game.heap")];
    // The step itself does not fail, so that the next one comments.
    let output = step(&directory, "check", &all);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&directory, "outputs"), "exit_code=1\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "millpond: 1 pool overflows\n");
    let table = text(&directory, "millpond.md");
    assert_eq!(table, text(&directory, "summary.md"));
    assert!(
        table.starts_with("<!-- millpond check -->\n### Pools and their budget\n\n"),
        "{table}"
    );
    assert!(table.contains("too small for 1 of 2 recordings.**"), "{table}");
    assert!(table.contains("\n| night\\-1\\.heap | all 1 pool fit |"), "{table}");
    assert!(table.contains("\n| night\\-2\\.heap | 48 | 13 | 40 | 27 | 27 |"), "{table}");
    assert!(table.contains("new\\<Ember\\>"), "{table}");
    assert!(table.contains("\n### What is different\n\n"), "{table}");

    let fits = [("BUDGET", "b.toml"), ("RECORDINGS", "night-1.heap")];
    assert!(step(&directory, "check", &fits).status.success());
    assert!(text(&directory, "outputs").ends_with("exit_code=0\n"));
    assert!(!text(&directory, "millpond.md").contains("What is different"));

    let none = [("BUDGET", "b.toml"), ("RECORDINGS", "nothing-*.heap")];
    assert!(step(&directory, "check", &none).status.success());
    assert!(text(&directory, "outputs").ends_with("exit_code=2\n"));
    let table = text(&directory, "millpond.md");
    assert!(
        table.contains("The check could not be made:") && table.contains("no such file"),
        "{table}"
    );
}

#[test]
fn the_comment_is_the_table_in_place_of_an_earlier_one() {
    let Some(directory) = prepared() else { return };
    let of = [("GH_REPO", "me/game"), ("PULL_REQUEST", "7")];
    // Without a table there is nothing to say.
    assert!(step(&directory, "comment", &of).status.success());
    assert_eq!(text(&directory, "calls.txt"), "");

    let checked = [("BUDGET", "b.toml"), ("RECORDINGS", "game.heap")];
    assert!(step(&directory, "check", &checked).status.success());
    let calls = |earlier: &str| {
        directory.file("earlier.txt", earlier);
        directory.file("calls.txt", "");
        let output = step(&directory, "comment", &of);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(text(&directory, "comment.md"), text(&directory, "millpond.md"));
        text(&directory, "calls.txt").lines().last().unwrap().to_owned()
    };
    assert!(
        calls("").starts_with("api --method POST repos/me/game/issues/7/comments --field body=@")
    );
    let patch = "api --method PATCH repos/me/game/issues/comments/41 --field body=@";
    // More than a pipe holds.
    let earlier: String = (41..30_000).map(|id| format!("{id}\n")).collect();
    assert!(calls("41\n").starts_with(patch) && calls(&earlier).starts_with(patch));
}

/// A text without quotes ends at `: ` and at ` #`, and the file is none that GitHub reads.
#[test]
fn texts_with_a_colon_are_in_quotes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let mut texts = 0;
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let line = line.trim_start().trim_start_matches("- ");
        let Some((_, text)) = line.split_once(": ") else { continue };
        let is_quoted = text.starts_with('\'') && text.ends_with('\'');
        assert!(is_quoted || !text.contains(": ") && !text.contains(" #"), "{line}");
        texts += 1;
    }
    assert!(texts > 20, "{texts}");
}

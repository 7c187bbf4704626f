//! A command's text as arguments, by the rules of the system that it was written for.

use crate::paths::Paths;

/// Splits a command as a POSIX shell or as Windows does.
pub(crate) fn split(command: &str, windows: bool) -> Result<Vec<String>, String> {
    let words = if windows { split_windows(command) } else { split_posix(command) };
    words.ok_or_else(|| format!("a quote without its end: {command}"))
}

fn split_posix(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Backslashes stand for themselves, but for those before a quote: two make one, and an odd one makes the quote a
/// letter.
fn split_windows(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quoted, mut backslashes) = (false, 0);
    for c in command.chars() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let is_letter = backslashes % 2 == 1;
        let kept = if c == '"' { backslashes / 2 } else { backslashes };
        if kept > 0 || backslashes > 0 {
            word.get_or_insert_default().extend(std::iter::repeat_n('\\', kept));
        }
        backslashes = 0;
        match c {
            '"' if !is_letter => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' | '\t' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    if backslashes > 0 {
        word.get_or_insert_default().extend(std::iter::repeat_n('\\', backslashes));
    }
    words.extend(word);
    (!quoted).then_some(words)
}

/// The command that `cmd /c` was to run: what stands in quotes is split again, and a leading
/// `cd DIRECTORY &&` moves to that directory.
pub(crate) fn without_shell(
    mut words: Vec<String>,
    paths: &mut Paths,
) -> Result<Vec<String>, String> {
    let is_cmd = |word: &String| {
        let name = word.rsplit(['\\', '/']).next().unwrap_or_default().to_ascii_lowercase();
        name == "cmd" || name == "cmd.exe"
    };
    if !words.first().is_some_and(is_cmd) {
        return Ok(words);
    }
    let switch = words.iter().position(|word| word.eq_ignore_ascii_case("/c"));
    let Some(switch) = switch else { return Ok(words) };
    words.drain(..=switch);
    if let [line] = &words[..] {
        words = split(line, true)?;
    }
    while words.first().is_some_and(|word| word.eq_ignore_ascii_case("cd")) {
        let Some(end) = words.iter().position(|word| word == "&&") else { return Ok(words) };
        if let Some(directory) = words[1..end].iter().find(|word| !word.eq_ignore_ascii_case("/d"))
        {
            paths.enter(directory);
        }
        words.drain(..=end);
    }
    let end = words.iter().position(|word| word == "&&").unwrap_or(words.len());
    words.truncate(end);
    Ok(words)
}

//! Paths made absolute, with forward slashes. They are not looked up: a database may be of another machine.

/// Options whose value is a directory, in the same argument or in the next. Not `-include`: its file may be one of
/// these directories'.
const PATH_OPTIONS: [&str; 6] = ["-I", "-isystem", "-iquote", "-idirafter", "--sysroot=", "/I"];

/// The paths of one entry.
#[derive(Debug)]
pub(crate) struct Paths {
    directory: String,
    windows: bool,
}

impl Paths {
    pub(crate) fn new(directory: &str) -> Result<Self, String> {
        let windows = is_windows(directory);
        if !windows && !directory.starts_with('/') {
            return Err(format!("{directory:?}: not an absolute directory"));
        }
        let mut paths = Self { directory: String::new(), windows };
        paths.directory = paths.absolute(directory);
        Ok(paths)
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.windows
    }

    pub(crate) fn directory(&self) -> &str {
        &self.directory
    }

    /// Moves to another directory, as `cd` does.
    pub(crate) fn enter(&mut self, directory: &str) {
        self.directory = self.absolute(directory);
    }

    /// A path without `.`, `..` and backslashes.
    pub(crate) fn absolute(&self, path: &str) -> String {
        let path = if self.windows { path.replace('\\', "/") } else { path.to_owned() };
        let is_absolute = path.starts_with('/') || (self.windows && is_windows(&path));
        let path = if is_absolute { path } else { format!("{}/{path}", self.directory) };
        // What `..` does not leave: `/`, `C:/`, `//server/`.
        let root = match path.find(|c| c != '/') {
            Some(2) if self.windows => "//",
            Some(start) if start > 0 => "/",
            _ if self.windows && path.len() >= 3 => &path[..3],
            _ => "/",
        };
        let mut parts = Vec::new();
        for part in path[root.len()..].split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("{root}{}", parts.join("/"))
    }

    /// A command's arguments with their paths made absolute: those of the source and of [`PATH_OPTIONS`].
    /// The compiler, and on Windows all else but definitions, gets forward slashes only.
    pub(crate) fn in_arguments(&self, arguments: Vec<String>, file: &str) -> Vec<String> {
        let source = self.absolute(file);
        let mut is_value = false;
        let mut changed = Vec::new();
        for (index, argument) in arguments.into_iter().enumerate() {
            let option = PATH_OPTIONS.iter().find(|option| argument.starts_with(*option));
            let joined = option.map(|option| (option, &argument[option.len()..]));
            // `-I=usr/include` begins at the system root.
            let joined = joined.filter(|(_, path)| !path.starts_with('='));
            let path_or_same = if is_value || (index > 0 && self.absolute(&argument) == source) {
                self.absolute(&argument)
            } else if let Some((option, path)) = joined.filter(|(_, path)| !path.is_empty()) {
                format!("{option}{}", self.absolute(path))
            } else if self.windows && !argument.starts_with("-D") && !argument.starts_with("/D") {
                argument.replace('\\', "/")
            } else {
                argument.clone()
            };
            changed.push(path_or_same);
            let awaits_path = joined.is_some_and(|(_, path)| path.is_empty())
                || ["-o", "-MF"].contains(&argument.as_str());
            is_value = !is_value && awaits_path;
        }
        changed
    }
}

/// `C:\…`, `C:/…` or `\\server\…`.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    (drive && matches!(bytes[2], b'\\' | b'/')) || path.starts_with(r"\\")
}

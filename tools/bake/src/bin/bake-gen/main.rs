//! Writes the `build.ninja` that bakes a game's assets and builds the C and C++ programs beside them:
//!
//! ```text
//! bake-gen --build target/bake --assets assets --baker bake.c --programs examples --programs tests
//! ninja -C target/bake
//! ```
//!
//! An asset's directory and extension alone choose how it is baked: `kinds.txt`, or a file of the
//! project's own, as are the rules (`--kinds`, `--rules`). In a folder of
//! programs each source is one, and so is each folder: of its `root.cpp` if it has one, which
//! includes the other sources, else of all its sources. No command needs a shell. When a directory
//! gains or loses a file, Ninja runs `bake-gen` again, with the arguments kept in `bake-gen.args`.

#[path = "../../arguments.rs"]
mod arguments;
mod kinds;
#[path = "../../output.rs"]
mod output;
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use crate::arguments::arguments;
use crate::kinds::Kinds;

type Result<T> = std::result::Result<T, String>;

/// What is above the build statements; how assets are baked unless a project has files of its own.
const RULES: &str = include_str!("rules.ninja");
const BAKERS: &str = include_str!("bakers.ninja");
const KINDS: &str = include_str!("kinds.txt");

const OPTIONS: &str = "--build DIR --assets DIR --baker FILE --kinds FILE --rules FILE --platform NAME \
    --programs DIR --include DIR --link FILE --set NAME=VALUE";
/// The baker, if it is built here; and what clangd reads.
const BAKER: &str = "bake";
const DATABASE: &str = "compile_commands.json";

#[derive(Default)]
struct Graph {
    args: Vec<String>,
    /// From the build directory to the working directory: `../..`.
    up: PathBuf,
    text: String,
    outputs: BTreeSet<String>,
    kinds: Kinds,
    platform: String,
    /// Whether clangd gets its database: `cleandb` is beside this program.
    has_database: bool,
    /// All directories that were read: the graph depends on which files they have.
    directories: Vec<String>,
}

impl Graph {
    fn values(&self, option: &str) -> Vec<String> {
        let pairs = self.args.chunks(2).filter(|pair| pair[0] == option);
        pairs.map(|pair| pair[1].clone()).collect()
    }

    fn value(&self, option: &str) -> Result<String> {
        self.values(option).pop().ok_or_else(|| format!("expected {option}, of {OPTIONS}"))
    }

    /// A path as seen from the build directory, in letters that no command has to quote.
    fn path(&self, path: impl AsRef<Path>) -> Result<String> {
        let path = self.up.join(path).to_string_lossy().replace('\\', "/");
        match is_plain(&path) {
            true if path.contains('/') => Ok(path),
            true => Ok(format!("./{path}")),
            false => Err(format!("{path:?}: {PLAIN}")),
        }
    }

    /// Adds a build statement to the default target.
    fn build(&mut self, output: &str, rule: &str, rest: &str) -> Result<()> {
        self.text += &format!("build {output}: {rule} {rest}\n");
        match self.outputs.insert(output.into()) {
            true => Ok(()),
            false => Err(format!("{output}: two files would be built as this")),
        }
    }

    /// What a directory has, sorted, without hidden files, editors' backups, and what is ignored. What
    /// cannot be named in a command is left out with a warning: a stray file stops nobody's work.
    fn list(&mut self, directory: &Path) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(directory).map_err(at(directory))? {
            let entry = entry.map_err(at(directory))?;
            let (file, name) = (entry.path(), entry.file_name());
            let bytes = name.as_encoded_bytes();
            if bytes.starts_with(b".") || bytes.ends_with(b"~") || self.kinds.is_ignored(&name) {
                continue;
            }
            match (name.to_str().is_some_and(is_plain), fs::metadata(&file)) {
                (false, _) => skip(&file, PLAIN),
                (_, Ok(it)) if it.is_file() || it.is_dir() => files.push(file),
                (_, Ok(_)) => skip(&file, "neither a file nor a directory"),
                (_, Err(error)) => skip(&file, &error.to_string()),
            }
        }
        files.sort();
        self.directories.push(self.path(directory)?);
        Ok(files)
    }

    fn bake(&mut self, assets: &Path, directory: &Path, baker: &str) -> Result<()> {
        for file in self.list(directory)? {
            let below = file.strip_prefix(assets).expect("it is below the assets");
            if file.is_dir() && file.is_symlink() {
                skip(&file, "a link to a directory, which might lead back here");
            } else if file.is_dir() {
                self.bake(assets, &file, baker)?;
            } else if let Some(kind) = self.kinds.of(below, &self.platform) {
                let mut inputs = format!("{} | {baker}", self.path(&file)?);
                for tool in &kind.tools {
                    inputs += &format!(" {}", self.path(tool)?);
                }
                let output = Path::new("baked").join(below).with_extension(&kind.output);
                let (output, rule) =
                    (output.to_string_lossy().replace('\\', "/"), kind.rule.clone());
                self.build(&output, &rule, &inputs)?;
            } else if !self.kinds.is_included(below) {
                skip(&file, "no rule for this extension in this directory");
            }
        }
        Ok(())
    }

    fn programs(&mut self, folder: &Path) -> Result<()> {
        for file in self.list(folder)? {
            let mut sources = if file.is_dir() { self.list(&file)? } else { vec![file.clone()] };
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let root = file.join("root.cpp");
            if sources.contains(&root) {
                if self.has_database {
                    let (database, source) = (self.path(DATABASE)?, self.path(&root)?);
                    let inputs = format!("{database} | {source}\n  sources = {source}");
                    self.text += &format!("build tidy-{name}: tidy {inputs}\n");
                }
                sources = vec![root];
            }
            sources.retain(|source| is_source(source));
            if !sources.is_empty() {
                let place = folder.file_name().unwrap_or_default().to_string_lossy();
                self.program(&format!("bin/{place}/{name}"), &sources, "|| baked")?;
            }
        }
        Ok(())
    }

    /// Builds a program once what stands behind `after` is there.
    fn program(&mut self, program: &str, sources: &[PathBuf], after: &str) -> Result<()> {
        let (mut inputs, mut linker) = (String::new(), "$cc");
        for source in sources {
            let source = self.path(source)?;
            let object = format!("obj/{}.o", source.trim_start_matches("../"));
            let rule = if source.ends_with(".c") { "c" } else { "cxx" };
            self.build(&object, rule, &format!("{source} {after}"))?;
            linker = if rule == "c" { linker } else { "$cxx" };
            inputs += &format!("{object} ");
        }
        for library in self.values(if program == BAKER { "" } else { "--link" }) {
            inputs += &format!("{} ", self.path(&library)?);
        }
        let name = program.rsplit('/').next().unwrap_or("").replace('+', "_");
        let libs = format!("$libs ${{{name}_libs}}");
        self.build(program, "link", &format!("{inputs}\n  linker = {linker}\n  libs = {libs}"))
    }

    /// Reads the rules and the kinds. Returns the files of the project's own, on which the graph depends.
    fn read_kinds(&mut self) -> Result<Vec<String>> {
        let (mut files, mut known) = (Vec::new(), kinds::rules("rules.ninja", RULES)?);
        let mut text = |option: &str, file: &mut String| match self.value(option) {
            Ok(own) => {
                files.push(self.path(&own)?);
                file.clone_from(&own);
                fs::read_to_string(&own).map(Some).map_err(at(Path::new(&own)))
            }
            Err(_) => Ok(None),
        };
        let (mut rules_file, mut kinds_file) = ("bakers.ninja".into(), "kinds.txt".into());
        let rules = text("--rules", &mut rules_file)?;
        let kinds = text("--kinds", &mut kinds_file)?;
        for rule in kinds::rules(&rules_file, rules.as_deref().unwrap_or(BAKERS))? {
            if known.contains(&rule) {
                return Err(format!("{rules_file}: rule {rule:?} is one of bake-gen's own"));
            }
            known.push(rule);
        }
        self.text += &match rules {
            Some(_) => format!("include {}\n", self.path(&rules_file)?),
            None => BAKERS.into(),
        };
        self.kinds = Kinds::parse(&kinds_file, kinds.as_deref().unwrap_or(KINDS), &known)?;
        self.platform = self.kinds.platform(self.value("--platform").ok())?;
        Ok(files)
    }

    fn write(mut self) -> Result<()> {
        let own_files = self.read_kinds()?;
        let (here, this) = (env::current_dir(), env::current_exe());
        let this = this.map_err(at(Path::new("bake-gen")))?;
        let this = this.strip_prefix(here.unwrap_or_default()).unwrap_or(&this);
        for set in self.values("--set") {
            let pair = set.split_once('=').filter(|(name, value)| is_name(name) && is_value(value));
            let (name, value) =
                pair.ok_or(format!("--set: {set:?}: expected NAME=VALUE, each as Ninja reads it"))?;
            self.text += &format!("{name} = {value}\n");
        }
        self.text += "includes = -Ibaked";
        for directory in self.values("--include") {
            self.text += &format!(" -I{}", self.path(&directory)?);
        }
        // With rules of a project's own, there need not be one.
        let baker = match self.values("--rules").is_empty() {
            true => self.value("--baker")?,
            false => self.value("--baker").unwrap_or_default(),
        };
        let is_built = is_source(Path::new(&baker));
        let bake = match (is_built, baker.is_empty()) {
            (true, _) => format!("./{BAKER}"),
            (false, true) => String::new(),
            (false, false) => self.path(&baker)?,
        };
        self.text += &format!("\nbake = {bake}\nrun = {} --run\n", self.path(this)?);
        let compiles = is_built || !self.values("--programs").is_empty();
        let cleandb = this.with_file_name(format!("cleandb{}", env::consts::EXE_SUFFIX));
        self.has_database = compiles && cleandb.is_file();
        if compiles && !self.has_database {
            let why = "is not there: clangd gets no compile_commands.json";
            eprintln!("bake-gen: warning: {} {why}", cleandb.display());
        }
        let assets = PathBuf::from(self.value("--assets")?);
        self.bake(&assets, &assets, &bake)?;
        let baked = self.outputs.iter().fold(String::new(), |all, output| all + " " + output);
        self.text += &format!("build baked: phony{baked}\n");
        if is_built {
            self.program(BAKER, &[baker.into()], "")?;
        }
        for folder in self.values("--programs") {
            self.programs(Path::new(&folder))?;
        }
        if self.has_database {
            let cleandb = self.path(cleandb)?;
            let inputs = format!("{cleandb} build.ninja\n  cleandb = {cleandb}");
            self.build(&self.path(DATABASE)?, "database", &inputs)?;
        }
        let all = self.outputs.iter().fold(String::new(), |all, output| all + " " + output);
        self.text += &format!("build all: phony{all}\ndefault all\n");
        // A directory that goes is no error: it is the output of a statement, too.
        let (this, directories) = (self.path(this)?, self.directories.join(" "));
        self.text += &format!("build {directories}: phony\nbuild build.ninja: regenerate {this}");
        self.text += &format!(" {directories} {}\n  bake_gen = {this}\n", own_files.join(" "));

        let build = PathBuf::from(self.value("--build")?);
        let args = format!("{}\n{}\n", self.up.display(), self.args.join("\n"));
        save(&build.join("bake-gen.args"), &args)?;
        save(&build.join("build.ninja"), &self.text)
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn save(path: &Path, content: &str) -> Result<()> {
    output::save(path, content.as_bytes()).map_err(at(path))
}

/// What [`is_plain`] asks for.
const PLAIN: &str = "expected letters a to z, digits and . _ - + only";

/// Whether no command has to quote these letters, whatever the locale.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c))
}

/// Whether Ninja takes this for the name of a rule or of a variable.
fn is_name(text: &str) -> bool {
    const STATEMENTS: [&str; 6] = ["build", "default", "include", "pool", "rule", "subninja"];
    is_plain(text) && !text.contains(['/', '+']) && !STATEMENTS.contains(&text)
}

/// Whether Ninja can read this value, on one line: what follows each `$` says what it means.
fn is_value(text: &str) -> bool {
    let Some((_, rest)) = text.split_once('$') else { return true };
    match rest.strip_prefix('{').map(|name| name.split_once('}')) {
        Some(Some((name, rest))) => is_plain(name) && !name.contains(['/', '+']) && is_value(rest),
        Some(None) => false,
        None => rest
            .strip_prefix(|c: char| c.is_ascii_alphanumeric() || "$ :_-".contains(c))
            .is_some_and(is_value),
    }
}

/// Says that a file is left out.
fn skip(file: &Path, why: &str) {
    eprintln!("bake-gen: warning: {file:?}: {why}; skipped");
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "c" || it == "cpp" || it == "cc")
}

fn run(mut args: Vec<String>) -> Result<()> {
    if args.first().is_some_and(|arg| arg == "--again") {
        let kept = Path::new("bake-gen.args");
        let kept = fs::read_to_string(kept).map_err(at(kept))?;
        let mut lines = kept.lines().map(String::from);
        let up = lines.next().unwrap_or_default();
        env::set_current_dir(Path::new(".").join(&up)).map_err(at(Path::new(&up)))?;
        args = lines.collect();
    }
    for pair in args.chunks(2) {
        let is_known = OPTIONS.split(' ').any(|word| word.starts_with("--") && word == pair[0]);
        if !is_known || pair.len() == 1 || pair[1].contains(char::is_control) {
            return Err(format!("{:?}: expected options, each with its value: {OPTIONS}", pair[0]));
        }
    }
    let mut graph = Graph { args, text: include_str!("rules.ninja").into(), ..Graph::default() };
    let build = PathBuf::from(graph.value("--build")?);
    let build =
        fs::create_dir_all(&build).and_then(|()| build.canonicalize()).map_err(at(&build))?;
    let here = env::current_dir().map_err(at(&build))?;
    graph.up = match build.strip_prefix(&here) {
        Ok(below) => below.components().map(|_| "..").collect(),
        Err(_) => here.clone(),
    };
    graph.write()
}

fn main() -> ExitCode {
    let args = arguments();
    if let Ok([first, rest @ ..]) = args.as_deref()
        && first == "--run"
    {
        return run::run(rest);
    }
    let done = args.and_then(run).map_err(|error| eprintln!("bake-gen: {error}"));
    ExitCode::from(if done.is_ok() { 0 } else { 2 })
}

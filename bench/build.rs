//! Writes compiler and profile into the program, and compiles the C++ contenders whose headers are installed.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo:rustc-env=BENCH_RUSTC={}", first_line(&compiler));
    println!("cargo:rustc-env=BENCH_PROFILE={}", profile());
    #[cfg(feature = "cpp")]
    cpp::build();
}

/// The name of the profile. `PROFILE` is `release` for every profile that inherits from it; the directory that
/// `OUT_DIR` lies in, `target/<profile>/build/<package>/out`, has the name itself.
fn profile() -> String {
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let profile = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    profile.map_or("unknown".into(), |name| name.to_string_lossy().into_owned())
}

/// The first line of what a compiler says of its version.
fn first_line(compiler: &str) -> String {
    let output = Command::new(compiler).arg("--version").output();
    let text =
        output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    text.lines().next().unwrap_or(compiler).to_owned()
}

#[cfg(feature = "cpp")]
mod cpp {
    use std::path::Path;

    /// Name of the source and of the configuration, header, Debian package, library to link.
    const CONTENDERS: [(&str, &str, &str, Option<&str>); 3] = [
        ("boost_pool", "boost/pool/pool.hpp", "libboost-dev", None),
        ("plf_colony", "plf_colony.h", "libplf-colony-dev", None),
        (
            "foonathan_memory",
            "foonathan_memory/foonathan/memory/memory_pool.hpp",
            "libfoonathan-memory-dev",
            Some("foonathan_memory"),
        ),
    ];

    const INCLUDE: &str = "/usr/include";

    /// Compiles what is there; of the rest, says what to install.
    pub(crate) fn build() {
        println!("cargo:rerun-if-changed=cpp");
        let mut sources = vec!["cpp/lap.cpp".to_owned(), "cpp/designs.cpp".to_owned()];
        let mut libraries = Vec::new();
        for (name, header, package, library) in CONTENDERS {
            println!("cargo:rustc-check-cfg=cfg({name})");
            let header = Path::new(INCLUDE).join(header);
            println!("cargo:rerun-if-changed={}", header.display());
            if header.exists() {
                println!("cargo:rustc-cfg={name}");
                sources.push(format!("cpp/{name}.cpp"));
                libraries.extend(library);
            } else {
                println!("cargo:warning={name} is left out: apt-get install {package}");
            }
        }
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(3).define("NDEBUG", None).warnings(false);
        build.include(format!("{INCLUDE}/foonathan_memory")).files(sources).compile("bench_cpp");
        libraries.iter().for_each(|library| println!("cargo:rustc-link-lib={library}"));
        let compiler = build.get_compiler();
        println!(
            "cargo:rustc-env=BENCH_CXX={}",
            super::first_line(&compiler.path().to_string_lossy())
        );
    }
}

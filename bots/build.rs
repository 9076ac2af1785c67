//! Lists the starter kits, so that the library holds their files: `starters/LANGUAGE/...`, but for what a kit's
//! `.gitignore` names, which is what its build leaves there. A kit's `Cargo.toml` is called `Cargo.toml.kit` here: Cargo
//! packages no directory that has a `Cargo.toml` of its own.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=starters");
    let mut list = String::from("&[\n");
    for kit in entries(Path::new("starters"))?.into_iter().filter(|kit| kit.is_dir()) {
        let language = kit.strip_prefix("starters").expect("it was listed there");
        writeln!(list, "    Starter {{ language: {language:?}, files: &[").expect("a string takes it");
        add_files(&kit, &kit, &ignored(&kit), &mut list)?;
        list.push_str("    ] },\n");
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("starters.rs"), list)
}

fn add_files(kit: &Path, dir: &Path, ignored: &[String], list: &mut String) -> io::Result<()> {
    for entry in entries(dir)? {
        let name = entry.file_name().expect("it was listed").to_string_lossy();
        if ignored.iter().any(|ignored| *ignored == name) {
            continue;
        }
        if entry.is_dir() {
            add_files(kit, &entry, ignored, list)?;
            continue;
        }
        let path = entry.strip_prefix(kit).expect("it was listed there");
        let path = match path.to_str() {
            Some("Cargo.toml.kit") => Path::new("Cargo.toml"),
            _ => path,
        };
        // The package's own path is left to the compiler: the same sources give the same list everywhere.
        writeln!(
            list,
            "        File {{ path: {path:?}, \
             content: include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/\", {entry:?})) }},"
        )
        .expect("a string takes it");
    }
    Ok(())
}

/// What is in a directory, sorted.
fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let mut entries: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// The names in a kit's `.gitignore`, which has no patterns.
fn ignored(kit: &Path) -> Vec<String> {
    let text = fs::read_to_string(kit.join(".gitignore")).unwrap_or_default();
    text.lines().map(|line| line.trim_matches('/').to_owned()).collect()
}

//! `arena report`: a results file as a page, or as a summary in Markdown.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::results::Results;
use super::{Exit, Output};
use crate::gather::Gathered;
use crate::report::MARK;
use crate::store::{Store, StoredPlan};

/// Where the page goes when nothing is said.
const PAGE: &str = "report.html";

/// Write a report: one HTML file with standings, charts, all matches and replays, or a summary in Markdown
///
/// The page asks for no other file and no network, so it can be sent, kept and opened from disk. Markdown goes to standard
/// output, for example into the summary of a build: `arena report --format markdown >> "$GITHUB_STEP_SUMMARY"`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    results: Results,
    /// Write here; `-` is standard output [default: report.html, for Markdown standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// Matches that the page can replay, spread evenly over all, beside those with a fault (at most 100 of these)
    #[arg(long, value_name = "N", default_value_t = 100)]
    matches: u64,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum ReportFormat {
    /// One page, to be opened in a browser.
    #[default]
    Html,
    /// A summary in GitHub's Markdown.
    Markdown,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let output = match (&args.output, args.format) {
        (Some(path), _) if path.as_os_str() == "-" => None,
        (Some(path), _) => Some(path.as_path()),
        (None, ReportFormat::Html) => Some(Path::new(PAGE)),
        (None, ReportFormat::Markdown) => None,
    };
    let place = output.map(|path| Place::of(path, &args.results.db)).transpose()?;
    let store = args.results.open()?;
    let snapshot = store.snapshot()?;
    let plan = args.results.plan(&store)?;
    let matches = plan.matches;
    let text = made(&store, plan, args)?;
    drop(snapshot);
    match place {
        None => out.write_all(text.as_bytes())?,
        Some(place) => {
            place.write(text.as_bytes())?;
            let kib = text.len().div_ceil(1_024);
            writeln!(out, "{}: {kib} KiB, {} matches", place.shown.display(), matches)?;
        }
    }
    Ok(Exit::Done)
}

/// The text of the report on a plan.
fn made(store: &Store, plan: StoredPlan, args: &Args) -> anyhow::Result<String> {
    Ok(match args.format {
        ReportFormat::Html => Gathered::of(store, plan, Some(args.matches))?.report().to_html(),
        ReportFormat::Markdown => Gathered::of(store, plan, None)?.report().to_markdown(),
    })
}

/// A file to be written whole or not at all.
struct Place {
    /// As it was given.
    shown: PathBuf,
    /// With all links followed.
    path: PathBuf,
    /// Whether it is a pipe or a device, in whose place no file can be put.
    special: bool,
}

impl Place {
    /// Refuses what should not be written over: directories, the results file, and whatever is no report.
    fn of(path: &Path, db: &Path) -> anyhow::Result<Place> {
        let shown = path.to_owned();
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = shown.clone();
                return Ok(Place {
                    shown,
                    path,
                    special: false,
                });
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write `{}`", path.display())),
        };
        if metadata.is_dir() {
            bail!(
                "`{}` is a directory; name a file, for example `{}`",
                path.display(),
                path.join(PAGE).display()
            );
        }
        let special = !metadata.is_file();
        let real = path
            .canonicalize()
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        if db.canonicalize().is_ok_and(|db| db == real) {
            bail!(
                "`{}` is the results file itself; choose another --output",
                path.display()
            );
        }
        if !special && metadata.len() > 0 && !is_report(&real)? {
            bail!(
                "`{}` is there already and is no report; choose another --output, or remove it",
                path.display()
            );
        }
        Ok(Place {
            shown,
            path: real,
            special,
        })
    }

    /// Writes beside the file, and puts that in its place once all is there.
    fn write(&self, text: &[u8]) -> anyhow::Result<()> {
        let cannot = || format!("cannot write `{}`", self.shown.display());
        if self.special {
            let mut file = File::options().write(true).open(&self.path).with_context(cannot)?;
            return file.write_all(text).with_context(cannot);
        }
        let name = self.path.file_name().with_context(cannot)?.to_string_lossy();
        let beside = self.path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let written = File::create_new(&beside).and_then(|mut file| {
            file.write_all(text)?;
            file.sync_all()?;
            fs::rename(&beside, &self.path)
        });
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written.with_context(cannot)
    }
}

/// Whether the file is a report, of any version.
fn is_report(path: &Path) -> anyhow::Result<bool> {
    let mut start = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    file.take(1_024).read_to_end(&mut start)?;
    Ok(String::from_utf8_lossy(&start).contains(MARK))
}

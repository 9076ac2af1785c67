//! What can be wrong with a plan, shown where it stands.

use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: std::io::Error,
    },
    /// Something in a league file, with the place marked.
    #[error("{0}")]
    InFile(String),
    /// Something in the arguments.
    #[error("{0}")]
    Argument(String),
    /// A bot's program cannot be started.
    #[error("cannot start bot `{bot}`: {problem}")]
    Program {
        /// The bot.
        bot: String,
        /// What was found, what was expected, what to do.
        problem: String,
    },
}

/// A problem at a place of a league file.
pub(super) fn in_file(path: &Path, text: &str, span: Option<Range<usize>>, message: &str) -> ConfigError {
    let name = path.display().to_string();
    let Some(span) = span else {
        return ConfigError::InFile(format!("{name}: {message}"));
    };
    // An end of file is marked at its last character.
    let start = text.floor_char_boundary(span.start.min(text.len().saturating_sub(1)));
    let span = start..text.ceil_char_boundary(span.end.max(start));
    let snippet = Snippet::source(text)
        .path(&name)
        .annotation(AnnotationKind::Primary.span(span));
    let report = [Level::ERROR.primary_title(message).element(snippet)];
    let shown = Renderer::plain().render(&report);
    ConfigError::InFile(shown.strip_prefix("error: ").unwrap_or(&shown).to_owned())
}

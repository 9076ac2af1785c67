//! The files that browsers load: those of `arena/assets/`, in this program as they are there.
//!
//! Every page is the same document, `index.html`; its script reads from the address which one is meant.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::reply::{Failure, Reply};

/// The addresses that are pages.
const PAGES: [&str; 11] = [
    "/",
    "/live",
    "/matches",
    "/matches/{plan}/{id}",
    "/bots/{plan}/{name}",
    "/pairs/{plan}/{a}/{b}",
    "/play",
    "/play/{table}",
    "/played/{n}",
    "/rules",
    "/rules/{game}",
];

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../assets/", $name)))),*]
    };
}

/// Each file of the directory but the type declarations, which only the checks of the front end need.
const FILES: &[(&str, &[u8])] = assets![
    "VENDORED.md",
    "api.js",
    "app.css",
    "app.js",
    "board.js",
    "bots.js",
    "charts.js",
    "dom.js",
    "en.js",
    "film.js",
    "icon.svg",
    "index.html",
    "live.js",
    "markdown.js",
    "matches.js",
    "plans.js",
    "play.js",
    "replay.js",
    "report.css",
    "report.js",
    "rules.js",
    "seats.js",
    "standings.js",
    "sw.js",
    "table.js",
    "texts.js",
    "uPlot.LICENSE",
    "uPlot.esm.js",
    "uPlot.min.css",
];

/// The files, ready to be sent.
static REPLIES: LazyLock<Vec<(&str, Reply)>> = LazyLock::new(|| {
    let reply = |(name, bytes): &(&'static str, &'static [u8])| {
        let kind = kind(name).expect("every file is of a known kind");
        (*name, Reply::new(kind, *bytes))
    };
    FILES.iter().map(reply).collect()
});

/// The media type of a file by its name.
fn kind(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "LICENSE" | "md" | "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// The pages and what they load.
pub fn router() -> Router {
    let pages = PAGES
        .iter()
        .fold(Router::new(), |router, page| router.route(page, get(shell)));
    pages
        .route("/assets/{name}", get(file))
        .route("/favicon.ico", get(icon))
        .fallback(async |uri: Uri| Failure::not_found(format!("there is nothing at `{}`", uri.path())))
}

async fn shell(headers: HeaderMap) -> Response {
    send("index.html", &headers)
}

async fn icon(headers: HeaderMap) -> Response {
    send("icon.svg", &headers)
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    send(&name, &headers)
}

fn send(name: &str, headers: &HeaderMap) -> Response {
    match REPLIES.iter().find(|(known, _)| *known == name) {
        Some((_, reply)) => reply.to(headers),
        None => Failure::not_found(format!("there is no file `{name}`")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, kind};

    #[test]
    fn each_file_of_the_directory_is_in_the_program_and_has_a_media_type() {
        let entries =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets")).expect("the directory is there");
        let names = entries.map(|entry| {
            entry
                .expect("it can be read")
                .file_name()
                .into_string()
                .expect("a plain name")
        });
        let mut found: Vec<String> = names.filter(|name| !name.ends_with(".d.ts")).collect();
        found.sort_unstable();
        let mut embedded: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        embedded.sort_unstable();
        assert_eq!(embedded, found, "the list in web/assets.rs, beside the directory");
        for name in embedded {
            assert!(kind(name).is_some(), "{name}");
        }
    }
}

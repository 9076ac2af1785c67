//! What a page needs beside its own text: style sheets and modules, as one file takes them.
//!
//! Charts are drawn by uPlot: 145 KB as a module, without dependencies, thousands of points in milliseconds. Observable
//! Plot was the other candidate (209 KB, and 281 KB of d3 beside it); nothing here needs its grammar.

use super::escape::module_url;

macro_rules! asset {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/", $name))
    };
}

/// The style sheets, in their order.
pub const STYLES: [&str; 3] = [asset!("uPlot.min.css"), asset!("app.css"), asset!("report.css")];

/// The page's own script; it imports from [`MODULES`].
pub const SCRIPT: &str = asset!("report.js");

/// The modules that a report needs. They import each other as `"./NAME.js"` only.
const MODULES: [(&str, &str); 9] = [
    ("board.js", asset!("board.js")),
    ("charts.js", asset!("charts.js")),
    ("dom.js", asset!("dom.js")),
    ("en.js", asset!("en.js")),
    ("film.js", asset!("film.js")),
    ("replay.js", asset!("replay.js")),
    ("sw.js", asset!("sw.js")),
    ("texts.js", asset!("texts.js")),
    ("uPlot.esm.js", asset!("uPlot.esm.js")),
];

/// An import map as JSON that gives each module as a `data:` URL. A page without a server has no other way to import.
pub fn import_map() -> String {
    let imports: serde_json::Map<_, _> = { MODULES.iter() }
        .map(|(name, text)| (format!("arena/{name}"), module_url(&mapped(text)).into()))
        .collect();
    serde_json::json!({ "imports": imports }).to_string()
}

/// A module that imports from the import map.
pub fn mapped(module: &str) -> String {
    module.replace("from \"./", "from \"arena/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_import_is_in_the_import_map() {
        for (importer, text) in MODULES.iter().chain([&("report.js", SCRIPT)]) {
            let imports = text.lines().filter(|line| !line.trim_start().starts_with('*'));
            for line in imports.filter(|line| line.contains("from \"") || line.contains("import(\"")) {
                if line.contains("import(\"") && line.trim_start().starts_with("/**") {
                    continue;
                }
                let name = line.split("from \"./").nth(1).and_then(|rest| rest.split('"').next());
                let name = name.unwrap_or_else(|| panic!("{importer}: {line}"));
                assert!(
                    MODULES.iter().any(|(known, _)| *known == name),
                    "{importer} imports {name}"
                );
            }
        }
    }

    #[test]
    fn no_style_sheet_or_script_asks_for_anything_outside() {
        for text in STYLES {
            assert!(!text.contains("url(") && !text.contains("@import"));
        }
        assert!(!SCRIPT.contains("fetch(") && !SCRIPT.contains("innerHTML"));
    }
}

//! Records as comma-separated values: one row for each match and seat, the form that a spreadsheet groups and filters.
//!
//! Without the plies: those are in the JSON lines.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Record;

/// Writes the names of the columns of [`csv_rows`].
///
/// # Errors
/// Those of `out`.
pub fn csv_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "plan,match,rotation,game,options,seat,bot,place,points,forfeit,fault,end,plies,moves,time_us,started_ms,fingerprint"
    )
}

/// Writes a row for each seat. Seats count from 1, as people do; `fault` is the code of the seat's last fault.
///
/// # Errors
/// Those of `out`.
pub fn csv_rows(out: &mut impl Write, record: &Record) -> io::Result<()> {
    let score = record.score();
    let options: Vec<String> = record
        .options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let options = options.join(" ");
    for (seat, at) in record.seats.iter().enumerate() {
        let fault = record.faults.iter().rev().find(|fault| usize::from(fault.seat) == seat);
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:016x}",
            csv_field(&record.plan),
            record.r#match,
            record.rotation,
            csv_field(&record.game),
            csv_field(&options),
            seat + 1,
            csv_field(&at.name),
            record.places[seat],
            record.points[seat],
            score.forfeits[seat],
            fault.map_or("", |fault| fault.code.as_str()),
            record.end.as_str(),
            score.plies,
            score.moves[seat],
            score.time_us[seat],
            record.started_ms,
            score.fingerprint,
        )?;
    }
    Ok(())
}

/// `text` as one field: in quotes where it must be (RFC 4180).
pub fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

//! What arena and bots said to each other in a match, line by line: for the author of a bot, not for results.
//!
//! It is no part of the [`Record`](super::Record) and of no export: lines are cut and escaped, and of a long match the
//! middle is missing. As text a transcript has one line for each of its own: microseconds, seat index, a word for what
//! the line is, and the line, separated by tabs.

use std::fmt::Write as _;

/// The lines of a match in the order of time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transcript {
    /// The lines.
    pub lines: Vec<TranscriptLine>,
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TranscriptLine {
    /// When it was sent or read, microseconds since the match began.
    pub at_us: u64,
    /// The bot's seat, 0-based.
    pub seat: u8,
    /// What it is.
    pub what: What,
    /// Its text, cut and escaped; of a gap, what is missing.
    pub text: String,
}

/// What a line of a transcript is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// A line to the bot.
    ToBot,
    /// A line to the bot that could not be sent whole.
    Unsent,
    /// A line from the bot.
    FromBot,
    /// A line from the bot that is no message, whenever it came: a stray print.
    Log,
    /// A line from the bot that was dropped: late, or nobody had asked.
    Dropped,
    /// Bytes from the bot without a newline.
    Unfinished,
    /// Lines that were not kept.
    Gap,
}

impl What {
    /// Every kind of line.
    pub const ALL: [What; 7] = [
        What::ToBot,
        What::Unsent,
        What::FromBot,
        What::Log,
        What::Dropped,
        What::Unfinished,
        What::Gap,
    ];

    /// The word in stored text.
    pub const fn as_str(self) -> &'static str {
        match self {
            What::ToBot => "to_bot",
            What::Unsent => "unsent",
            What::FromBot => "from_bot",
            What::Log => "log",
            What::Dropped => "dropped",
            What::Unfinished => "unfinished",
            What::Gap => "gap",
        }
    }
}

impl Transcript {
    /// The transcript as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            writeln!(
                text,
                "{}\t{}\t{}\t{}",
                line.at_us,
                line.seat,
                line.what.as_str(),
                line.text
            )
            .expect("text can be written to memory");
        }
        text
    }

    /// The transcript that [`Transcript::to_text`] has written.
    ///
    /// # Errors
    /// The line that is none of its lines.
    pub fn from_text(text: &str) -> Result<Transcript, String> {
        let lines = text
            .lines()
            .map(|line| parse(line).ok_or_else(|| format!("`{line}` is no line of a transcript")));
        Ok(Transcript {
            lines: lines.collect::<Result<_, _>>()?,
        })
    }
}

fn parse(line: &str) -> Option<TranscriptLine> {
    let mut fields = line.splitn(4, '\t');
    let at_us = fields.next()?.parse().ok()?;
    let seat = fields.next()?.parse().ok()?;
    let word = fields.next()?;
    Some(TranscriptLine {
        at_us,
        seat,
        what: What::ALL.into_iter().find(|what| what.as_str() == word)?,
        text: fields.next()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_gives_the_transcript_that_was_written() {
        let line = |(at, what): (usize, What)| TranscriptLine {
            at_us: 1_000 * at as u64,
            seat: (at % 4) as u8,
            what,
            text: format!("line {at} \\t \u{e9} {{}}"),
        };
        let transcript = Transcript {
            lines: What::ALL.into_iter().enumerate().map(line).collect(),
        };
        assert_eq!(Transcript::from_text(&transcript.to_text()), Ok(transcript));
        assert_eq!(Transcript::from_text(""), Ok(Transcript::default()));
    }

    #[test]
    fn what_is_no_transcript_is_named() {
        for bad in ["1\t0\tto_bot", "1\t0\tto_cat\tx", "x\t0\tto_bot\tx", ""] {
            let error = Transcript::from_text(&format!("1\t0\tto_bot\tx\n{bad}\n")).expect_err("it is none");
            assert_eq!(error, format!("`{bad}` is no line of a transcript"));
        }
    }
}

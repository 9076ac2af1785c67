//! The transcript of a match, put together from what its bots' processes have kept.

use mancala_arena_protocol::{Decoded, decode, excerpt};

use crate::bot::{Bot, Gap, Kept, Way};
use crate::record::{Transcript, TranscriptLine, What};

/// What was said in the match that `bots`, by seat, have just played.
pub fn transcript<'a>(bots: impl IntoIterator<Item = &'a Bot>) -> Transcript {
    let mut lines = Vec::new();
    for (seat, bot) in (0..).zip(bots) {
        let kept = bot.transcript();
        lines.extend(kept.head().map(|line| shown(seat, line)));
        let mut rest = kept.rest().map(|line| shown(seat, line)).peekable();
        if kept.gap() != Gap::default()
            && let Some(next) = rest.peek()
        {
            lines.push(missing(seat, next.at_us, kept.gap()));
        }
        lines.extend(rest);
    }
    // Stable: lines of one bot stay in the order in which they went.
    lines.sort_by_key(|line| line.at_us);
    Transcript { lines }
}

fn shown(seat: u8, line: Kept<'_>) -> TranscriptLine {
    let mut text = excerpt(line.bytes, usize::MAX);
    if line.cut > 0 {
        text.push_str(&format!("... ({} bytes more)", line.cut));
    }
    TranscriptLine {
        at_us: line.after.as_micros() as u64,
        seat,
        what: match line.way {
            Way::ToBot => What::ToBot,
            Way::Unsent => What::Unsent,
            Way::FromBot | Way::Dropped if matches!(decode(line.bytes, true), Ok(Decoded::Log)) => What::Log,
            Way::FromBot => What::FromBot,
            Way::Dropped => What::Dropped,
            Way::Unfinished => What::Unfinished,
        },
        text,
    }
}

fn missing(seat: u8, at_us: u64, gap: Gap) -> TranscriptLine {
    TranscriptLine {
        at_us,
        seat,
        what: What::Gap,
        text: format!("{} lines of {} bytes in all were not kept", gap.lines, gap.bytes),
    }
}

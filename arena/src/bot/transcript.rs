//! The lines of one bot in one match, both ways, kept in memory while the match is played.
//!
//! Nearly every transcript is thrown away, so a line costs a copy of its bytes and nothing else: it is neither escaped nor
//! judged before somebody asks for it, and buffers are kept from match to match. Memory is bounded: of a match with more
//! than [`HEAD_BYTES_MAX`] the beginning and the most recent lines are kept, and what lies between is counted.

use std::time::Duration;

use tokio::time::Instant;

/// Bytes of a line that are kept.
pub const LINE_BYTES_KEPT: usize = 4 * 1024;

/// Bytes that are kept of the beginning.
const HEAD_BYTES_MAX: usize = 256 * 1024;

/// Bytes of one of the two parts that hold the most recent lines: when the newer is full, it takes the older one's place.
const PART_BYTES_MAX: usize = 384 * 1024;

/// Which way a line went, and what became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Sent to the bot.
    ToBot,
    /// It could not be sent, or only in part.
    Unsent,
    /// Read from the bot, as an answer or beside it.
    FromBot,
    /// Read from the bot and dropped: late, or nobody had asked.
    Dropped,
    /// Bytes from the bot without a newline.
    Unfinished,
}

/// A line that was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept<'a> {
    /// How long after the match began it was sent or read.
    pub after: Duration,
    /// Which way.
    pub way: Way,
    /// Its beginning, or all of it, without its newline.
    pub bytes: &'a [u8],
    /// Bytes of it that were cut off.
    pub cut: usize,
}

/// Whole lines that are not there because there were too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gap {
    /// How many lines.
    pub lines: u64,
    /// What they would have taken, bytes beyond the cut of each line not counted.
    pub bytes: u64,
}

/// Records the lines of a match.
#[derive(Debug, Default)]
pub struct Transcript {
    /// When the match began; none before the first.
    began: Option<Instant>,
    head: Part,
    gap: Gap,
    older: Part,
    newer: Part,
}

/// Lines one after the other.
#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    at: Instant,
    /// Its length before it was cut.
    length: usize,
    way: Way,
}

impl Transcript {
    /// Forgets the last match; another one has begun.
    pub fn begin(&mut self, at: Instant) {
        self.began = Some(at);
        self.gap = Gap::default();
        for part in [&mut self.head, &mut self.older, &mut self.newer] {
            part.clear();
        }
    }

    /// Keeps a line.
    pub fn push(&mut self, at: Instant, way: Way, line: &[u8]) {
        let length = line.len();
        let line = &line[..length.min(LINE_BYTES_KEPT)];
        let entry = Entry { at, length, way };
        // The beginning is closed by the first line that did not fit, so that the lines stay in order.
        if self.newer.entries.is_empty() && self.head.has_room(line.len(), HEAD_BYTES_MAX) {
            return self.head.push(entry, line);
        }
        if !self.newer.has_room(line.len(), PART_BYTES_MAX) {
            self.gap.lines += self.older.entries.len() as u64;
            self.gap.bytes += self.older.bytes.len() as u64;
            self.older.clear();
            std::mem::swap(&mut self.older, &mut self.newer);
        }
        self.newer.push(entry, line);
    }

    /// The last line turned out to be one that is dropped.
    pub fn drop_last(&mut self) {
        let last = self.newer.entries.last_mut().or(self.head.entries.last_mut());
        if let Some(entry) = last {
            entry.way = Way::Dropped;
        }
    }

    /// The lines before the gap.
    pub fn head(&self) -> impl Iterator<Item = Kept<'_>> {
        self.head.lines(self.began)
    }

    /// What is missing between the beginning and the rest.
    pub fn gap(&self) -> Gap {
        self.gap
    }

    /// The lines behind the gap.
    pub fn rest(&self) -> impl Iterator<Item = Kept<'_>> {
        self.older.lines(self.began).chain(self.newer.lines(self.began))
    }
}

impl Part {
    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// Whether another line of `length` bytes stays within `limit`, what is noted of each line counted.
    fn has_room(&self, length: usize, limit: usize) -> bool {
        self.bytes.len() + length + (self.entries.len() + 1) * size_of::<Entry>() <= limit
    }

    fn push(&mut self, entry: Entry, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.entries.push(entry);
    }

    fn lines(&self, began: Option<Instant>) -> impl Iterator<Item = Kept<'_>> {
        let mut rest = &self.bytes[..];
        self.entries.iter().map(move |entry| {
            let (bytes, after) = rest.split_at(entry.length.min(LINE_BYTES_KEPT));
            rest = after;
            Kept {
                after: began.map_or(Duration::ZERO, |began| entry.at.saturating_duration_since(began)),
                way: entry.way,
                bytes,
                cut: entry.length - bytes.len(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<'a>(lines: impl Iterator<Item = Kept<'a>>) -> Vec<usize> {
        let number = |line: Kept<'_>| {
            let text = str::from_utf8(line.bytes).expect("the test writes text");
            text.trim().parse().expect("the test writes numbers")
        };
        lines.map(number).collect()
    }

    /// A transcript of `count` lines of 1,000 bytes with their numbers.
    fn transcript(count: usize) -> Transcript {
        let mut transcript = Transcript::default();
        for number in 0..count {
            transcript.push(Instant::now(), Way::FromBot, format!("{number:1000}").as_bytes());
        }
        transcript
    }

    #[test]
    fn a_short_match_is_kept_whole() {
        let transcript = transcript(200);
        assert_eq!(numbers(transcript.head()), Vec::from_iter(0..200));
        assert_eq!((transcript.gap(), transcript.rest().count()), (Gap::default(), 0));
    }

    #[test]
    fn of_a_long_match_beginning_and_end_are_kept_and_the_lines_between_counted() {
        let transcript = transcript(10_000);
        let (head, rest, gap) = (numbers(transcript.head()), numbers(transcript.rest()), transcript.gap());
        assert_eq!(head, Vec::from_iter(0..head.len()));
        assert_eq!(rest, Vec::from_iter(10_000 - rest.len()..10_000));
        assert_eq!(head.len() + gap.lines as usize + rest.len(), 10_000);
        assert_eq!(gap.bytes, 1_000 * gap.lines);
        assert!(
            head.len() >= 200 && rest.len() >= 300,
            "{} and {}",
            head.len(),
            rest.len()
        );
        assert!(head.len() + rest.len() <= 1_049, "{} and {}", head.len(), rest.len());
    }

    #[test]
    fn short_lines_count_with_what_is_noted_of_them() {
        let mut transcript = Transcript::default();
        for _ in 0..1_000_000 {
            transcript.push(Instant::now(), Way::FromBot, b"");
        }
        let kept = transcript.head().count() + transcript.rest().count();
        assert!(kept * size_of::<Entry>() <= 1024 * 1024, "{kept} lines");
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let mut transcript = Transcript::default();
        transcript.push(Instant::now(), Way::ToBot, &[b'x'; LINE_BYTES_KEPT + 7]);
        transcript.push(Instant::now(), Way::FromBot, b"next");
        let lines: Vec<_> = transcript.head().map(|line| (line.bytes.len(), line.cut)).collect();
        assert_eq!(lines, [(LINE_BYTES_KEPT, 7), (4, 0)]);
    }

    #[test]
    fn the_last_line_can_be_dropped_wherever_it_is_kept() {
        for count in [1, 10_000] {
            let mut transcript = transcript(count);
            transcript.drop_last();
            let lines: Vec<_> = transcript.head().chain(transcript.rest()).collect();
            let (last, others) = lines.split_last().expect("there are lines");
            assert_eq!(last.way, Way::Dropped);
            assert!(others.iter().all(|line| line.way == Way::FromBot));
        }
    }

    #[test]
    fn the_next_match_finds_the_buffers_empty_and_as_large_as_they_were() {
        let mut transcript = transcript(10_000);
        let room = transcript.head.bytes.capacity();
        transcript.begin(Instant::now());
        assert_eq!(transcript.head().count() + transcript.rest().count(), 0);
        assert_eq!(transcript.gap(), Gap::default());
        assert_eq!(transcript.head.bytes.capacity(), room);
    }
}

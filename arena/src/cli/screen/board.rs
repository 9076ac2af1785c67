//! The board in a full-screen view. What it says does not hang on colour: who is to move has `>`, the pit of the last move
//! is in brackets, where a seed has just fallen has `*`, and a special pit has its owner's letter.
//!
//! Two rows lie as on the table, as in [`board`](crate::cli::board): seat 1 below from left to right, seat 2 above from right
//! to left, each with its store at its right hand. More rows lie below each other, all from left to right.

use mancala_arena_rules::{Place, Row, Seat, View};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::fit;
use crate::cli::board::{letter, notes};

/// What of a board is drawn.
pub(in crate::cli) struct Look<'a> {
    pub view: &'a View,
    /// By seat.
    pub names: &'a [String],
    /// What a seed has just fallen into, or was taken from.
    pub hot: Option<Place>,
    /// The pit of the last move.
    pub last: Option<(Seat, usize)>,
    /// The pits of the seat to move that may be chosen, where a person is asked.
    pub legal: Option<&'a [usize]>,
    /// The one that is chosen now.
    pub chosen: Option<usize>,
    pub lines: Lines,
}

/// What lines are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cli) enum Lines {
    /// Box drawing characters.
    Drawn,
    /// Characters that every terminal has.
    Ascii,
}

/// Columns of a pit, without the line at its side.
const CELL: usize = 4;

/// Columns of a store beside the rows, with the blank before it.
const STORE: usize = 6;

impl Lines {
    /// Those that the terminal can show, by the language that it is set to.
    pub fn of_terminal() -> Lines {
        let set = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|key| std::env::var(key).ok().filter(|value| !value.is_empty()));
        let utf8 = set.is_some_and(|set| set.to_lowercase().replace('-', "").contains("utf8"));
        if utf8 { Lines::Drawn } else { Lines::Ascii }
    }

    /// A line over, between or below rows of `pits` pits.
    fn across(self, pits: usize, [left, middle, right]: [char; 3]) -> String {
        let (bar, ends) = match self {
            Lines::Drawn => ("─", [left, middle, right]),
            Lines::Ascii => ("-", ['+'; 3]),
        };
        let pit = bar.repeat(CELL);
        let inner = vec![pit; pits].join(&ends[1].to_string());
        format!("{}{inner}{}", ends[0], ends[2])
    }

    fn side(self) -> &'static str {
        match self {
            Lines::Drawn => "│",
            Lines::Ascii => "|",
        }
    }
}

/// The colour of a seat.
pub(in crate::cli) fn color(seat: Seat) -> Color {
    [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green][seat.index()]
}

/// The board, line by line, at most `width` columns wide.
pub(in crate::cli) fn draw(look: &Look, width: usize) -> Vec<Line<'static>> {
    let mut lines = if look.view.rows.len() == 2 {
        facing(look)
    } else {
        below(look, width)
    };
    if let Some(notes) = notes(look.view) {
        lines.push(Line::from(format!("{}{notes}", " ".repeat(STORE))));
    }
    lines
}

/// Lines that the board takes at most, with a blank one after it.
pub(in crate::cli) fn height_max(view: &View) -> u16 {
    let seats = view.rows.len() as u16;
    2 + if seats == 2 { 9 } else { 2 * seats + 2 }
}

fn facing(look: &Look) -> Vec<Line<'static>> {
    let [first, second] = [Seat::new(0), Seat::new(1)];
    let pits = look.view.rows[0].cells.len();
    let margin = " ".repeat(STORE);
    let line = |text: String| Line::from(format!("{margin}{text}"));
    let row = |seat: Seat, order: Vec<usize>| {
        let mut spans = row(look, seat, &order);
        let store = store(look, seat);
        match seat.index() {
            0 => {
                spans.insert(0, Span::raw(margin.clone()));
                spans.extend([Span::raw(" "), store]);
            }
            _ => spans.splice(0..0, [store, Span::raw(" ")]).for_each(drop),
        }
        Line::from(spans)
    };
    let name = |seat: Seat| {
        let mut name = name(look, seat, pits * (CELL + 1));
        name.spans.insert(0, Span::raw(" ".repeat(STORE - 2)));
        name
    };
    let forth: Vec<usize> = (0..pits).collect();
    let back: Vec<usize> = (0..pits).rev().collect();
    vec![
        name(second),
        numbers(look, Some(second), &back, STORE),
        line(look.lines.across(pits, ['┌', '┬', '┐'])),
        row(second, back),
        line(look.lines.across(pits, ['├', '┼', '┤'])),
        row(first, forth.clone()),
        line(look.lines.across(pits, ['└', '┴', '┘'])),
        numbers(look, Some(first), &forth, STORE),
        name(first),
    ]
}

fn below(look: &Look, width: usize) -> Vec<Line<'static>> {
    let pits = look.view.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let names = width.saturating_sub(pits * (CELL + 1) + 1 + STORE + 1).min(32);
    let margin = " ".repeat(names + 1);
    let order: Vec<usize> = (0..pits).collect();
    let line = |ends| Line::from(format!("{margin}{}", look.lines.across(pits, ends)));
    let mut lines = vec![
        numbers(look, look.view.to_move, &order, names + 1),
        line(['┌', '┬', '┐']),
    ];
    for seat in (0..look.view.rows.len()).map(Seat::new) {
        if seat.index() > 0 {
            lines.push(line(['├', '┼', '┤']));
        }
        let mut spans = name(look, seat, names).spans;
        spans.push(Span::raw(" "));
        spans.extend(row(look, seat, &order));
        spans.extend([Span::raw(" "), store(look, seat)]);
        lines.push(Line::from(spans));
    }
    lines.push(line(['└', '┴', '┘']));
    lines
}

/// `> 1 name`, in exactly `width` columns.
fn name(look: &Look, seat: Seat, width: usize) -> Line<'static> {
    let to_move = look.view.to_move == Some(seat);
    let mark = if to_move { '>' } else { ' ' };
    let name = look.names.get(seat.index()).map_or("", String::as_str);
    let text = fit::left(&format!("{mark} {} {name}", seat.number()), width);
    let weight = if to_move { Modifier::BOLD } else { Modifier::empty() };
    Line::from(Span::styled(text, Style::new().fg(color(seat)).add_modifier(weight)))
}

/// The numbers of the pits, that of the last move in brackets where this is its row.
fn numbers(look: &Look, seat: Option<Seat>, order: &[usize], margin: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(margin + 1))];
    for &pit in order {
        let asked = look.legal.filter(|_| seat.is_some() && look.view.to_move == seat);
        let mut style = Style::new();
        let mut text = format!("{pit:>3}  ");
        if look.view.rows.len() == 2 && look.last.is_some_and(|(last, at)| Some(last) == seat && at == pit) {
            text = format!("{:>4} ", format!("({pit})"));
        }
        if let Some(legal) = asked {
            style = if look.chosen == Some(pit) {
                style.add_modifier(Modifier::REVERSED | Modifier::BOLD)
            } else if legal.contains(&pit) {
                style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
            } else {
                style.add_modifier(Modifier::DIM)
            };
        }
        let (number, blank) = text.split_at(CELL);
        spans.extend([Span::styled(number.to_owned(), style), Span::raw(blank.to_owned())]);
    }
    Line::from(spans)
}

/// A row with the lines at the sides of its pits.
fn row(look: &Look, seat: Seat, order: &[usize]) -> Vec<Span<'static>> {
    let row = &look.view.rows[seat.index()];
    let mut spans = vec![Span::raw(look.lines.side())];
    for &pit in order {
        spans.extend([cell(look, seat, row, pit), Span::raw(look.lines.side())]);
    }
    spans
}

/// A pit: `*12a` is twelve seeds in a special pit of seat 1 where the last of them has just fallen.
fn cell(look: &Look, seat: Seat, row: &Row, pit: usize) -> Span<'static> {
    let Some(cell) = row.cells.get(pit).filter(|_| row.in_play) else {
        return Span::styled("  - ", Style::new().add_modifier(Modifier::DIM));
    };
    let hot = look.hot == Some(place(look.view, seat, pit));
    let owner = cell.owner.map_or(' ', letter);
    let last = look.last == Some((seat, pit));
    // Where rows have no numbers of their own the brackets are round the seeds.
    let text = match cell.seeds {
        seeds @ 0..100 if hot => format!("{:>3}{owner}", format!("*{seeds}")),
        seeds @ 0..100 if last && look.view.rows.len() > 2 => format!("{:>4}", format!("({seeds})")),
        seeds => format!("{seeds:>3}{owner}"),
    };
    let mut style = Style::new().fg(cell.owner.map_or(Color::Reset, color));
    if hot {
        style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
    } else if last {
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    } else if cell.seeds == 0 {
        style = style.add_modifier(Modifier::DIM);
    }
    Span::styled(text, style)
}

/// `[ 12]`.
fn store(look: &Look, seat: Seat) -> Span<'static> {
    let row = &look.view.rows[seat.index()];
    let hot = look.hot == Some(place(look.view, seat, row.cells.len()));
    let style = Style::new().fg(color(seat)).add_modifier(Modifier::BOLD);
    let style = if hot {
        style.add_modifier(Modifier::REVERSED)
    } else {
        style
    };
    Span::styled(format!("[{:>3}]", row.store), style)
}

/// The number of a pit; that of the store where `pit` is one past the last.
fn place(view: &View, seat: Seat, pit: usize) -> Place {
    let places = view.rows[0].cells.len() + 1;
    Place((seat.index() * places + pit) as u8)
}

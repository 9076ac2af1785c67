//! Full-screen views on the terminal: when there can be one, what keys are pressed, and that the terminal is left as it was.
//!
//! A view is drawn on standard error, so that standard output stays free for results. In the terminal's raw mode Ctrl-C is
//! a key like any other: each view says what it does. Colours are left out under `NO_COLOR`; no view needs them.

pub(super) mod board;
pub(super) mod fit;
pub(super) mod projector;
#[cfg(test)]
pub(super) mod tests;
pub(super) mod theatre;

use std::io::{self, BufWriter, IsTerminal, Stderr, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use ratatui::{Frame, Terminal};
use tokio::signal::unix::{SignalKind, signal};

/// Whether a view is on the terminal now. What takes it off after a panic has nothing else to go by.
static ON: AtomicBool = AtomicBool::new(false);

/// The terminal, held by a view until it is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stderr>>>,
    /// Set by a signal to end.
    ended: Arc<AtomicBool>,
    /// Whether keys can be read; without them a view still shows.
    has_keys: bool,
}

/// What a person at the keyboard wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Char(char),
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Enter,
    Backspace,
    Escape,
    /// Ctrl-C, the end of input, or a signal to end.
    Interrupt,
}

/// Who hears a signal to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signals {
    /// The view: it is told [`Key::Interrupt`].
    View,
    /// Somebody else, who also gets Ctrl-C as a signal.
    Others,
}

/// Whether a view can be shown: standard error is a terminal that can move its cursor, and this program is in its
/// foreground. In the background it would be stopped when it changes the terminal.
pub(super) fn is_possible() -> bool {
    let stderr = io::stderr();
    let able = std::env::var("TERM").is_ok_and(|term| !term.is_empty() && term != "dumb");
    able && stderr.is_terminal()
        && rustix::termios::tcgetpgrp(&stderr).is_ok_and(|group| group == rustix::process::getpgrp())
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(signals: Signals) -> io::Result<Screen> {
        let ended = Arc::new(AtomicBool::new(false));
        if signals == Signals::View {
            listen(&ended)?;
        }
        restore_on_panic();
        enable_raw_mode()?;
        ON.store(true, Ordering::SeqCst);
        let mut to = BufWriter::new(io::stderr());
        let entered = execute!(to, EnterAlternateScreen, cursor::Hide);
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(to)));
        let terminal = terminal.inspect_err(|_| restore())?;
        Ok(Screen {
            terminal,
            ended,
            has_keys: true,
        })
    }

    /// Draws all of it anew.
    ///
    /// # Errors
    /// What the operating system says: the terminal is gone.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(view).map(drop)
    }

    /// The next key, if one is pressed before `patience` is over. Gives nothing earlier when the terminal has changed its
    /// size: draw again.
    pub fn key(&mut self, patience: Duration) -> Option<Key> {
        if self.ended.load(Ordering::SeqCst) {
            return Some(Key::Interrupt);
        }
        let event = match self.has_keys.then(|| event::poll(patience)) {
            Some(Ok(true)) => event::read(),
            Some(Ok(false)) => return None,
            Some(Err(error)) => Err(error),
            None => {
                std::thread::sleep(patience);
                return None;
            }
        };
        match event {
            Ok(Event::Key(pressed)) if pressed.kind != KeyEventKind::Release => key(pressed),
            Ok(_) => None,
            Err(_) => {
                self.has_keys = false;
                None
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(pressed.code, KeyCode::Char('c' | 'd')).then_some(Key::Interrupt);
    }
    Some(match pressed.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}

/// Gives the terminal back. Done once for each time that it was taken.
fn restore() {
    if ON.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let mut stderr = io::stderr();
        let _ = execute!(stderr, LeaveAlternateScreen, cursor::Show);
        let _ = stderr.flush();
    }
}

/// A panic of any thread is told on a terminal that can show it.
fn restore_on_panic() {
    static HOOKED: std::sync::Once = std::sync::Once::new();
    HOOKED.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            told(info);
        }));
    });
}

/// Has `ended` set by the first signal to end.
fn listen(ended: &Arc<AtomicBool>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = Arc::clone(ended);
    let (mut interrupt, mut terminate, mut hangup) = {
        let _context = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        )
    };
    let wait = async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        ended.store(true, Ordering::SeqCst);
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(wait))?;
    Ok(())
}

//! What is left of process groups, and waiting for what will come.

use std::time::{Duration, Instant};

/// Far longer than anything takes that is going to happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `look` gives something.
///
/// # Panics
/// When it never does.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until no process of these groups lives.
///
/// # Panics
/// When one lives on.
pub fn wait_until_gone(groups: &[u32]) {
    for group in groups {
        wait_for(&format!("the processes of group {group} end"), || {
            members(*group).is_empty().then_some(())
        });
    }
}

/// The processes of a group that have not ended. One that has ended and waits for its parent counts as gone: the parent of
/// a bot's own child is nobody we know.
fn members(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name of the program, in brackets, may hold anything: state, parent and group follow the last bracket.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let alive = fields.next().is_some_and(|state| !matches!(state, "" | "Z" | "X"));
        alive && fields.nth(1).and_then(|field| field.parse().ok()) == Some(group)
    })
    .collect()
}

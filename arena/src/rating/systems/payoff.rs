//! Every bot's score against every other as a game between bots: what alpha-rank and Nash averaging work on.

use super::Unrated;
use super::results::{Grouping, Results};

/// How far ahead each bot is of each other: its share of their points less a half, from -1/2 to 1/2, so that
/// `ahead[i][j] == -ahead[j][i]`. A tie is half a point; matches with three or four seats count as all their pairs; who
/// sat where is not looked at.
pub(super) type Ahead = Vec<Vec<f64>>;

/// Bots by number, with how far ahead they are of each other.
pub(super) type Game = (Vec<usize>, Ahead);

/// The payoff between all who have played, in the order of their numbers; absent with fewer than two. All of them are
/// unrated when some two have not met.
pub(super) fn payoff(results: &Results) -> (Option<Game>, Vec<(usize, Unrated)>) {
    let Grouping { groups, mut unrated } = results.linked();
    let mut members: Vec<usize> = groups.into_iter().flatten().collect();
    members.sort_unstable();
    let size = members.len();
    let (mut points, mut met) = (vec![vec![0.0; size]; size], vec![vec![0.0; size]; size]);
    for (meeting, ends) in results.meetings() {
        let index = |bot| members.binary_search(&bot).expect("who has met somebody is a member");
        let (one, other) = (index(meeting.bot), index(meeting.opponent));
        points[one][other] += ends.wins + ends.ties / 2.0;
        points[other][one] += ends.losses + ends.ties / 2.0;
        met[one][other] += ends.total();
        met[other][one] += ends.total();
    }
    let pairs = (0..size).flat_map(|one| (0..one).map(move |other| (one, other)));
    if pairs.clone().any(|(one, other)| met[one][other] == 0.0) {
        unrated.extend(members.into_iter().map(|bot| (bot, Unrated::NeverMet)));
        unrated.sort_unstable_by_key(|&(bot, _)| bot);
        return (None, unrated);
    }
    let mut ahead = vec![vec![0.0; size]; size];
    for (one, other) in pairs {
        ahead[one][other] = points[one][other] / met[one][other] - 0.5;
        ahead[other][one] = -ahead[one][other];
    }
    ((size > 0).then_some((members, ahead)), unrated)
}

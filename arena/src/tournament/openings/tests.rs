use super::*;

fn openings(game: &str, source: &OpeningSource, seed: u64) -> Result<Openings, OpeningError> {
    Openings::new(&mancala_arena_rules::open_text(game).expect("a game"), source, seed)
}

fn random(game: &str, plies: u32) -> Openings {
    openings(game, &OpeningSource::RandomPlies(plies), 1).expect("openings")
}

fn text(openings: &Openings, index: u64) -> String {
    position_of(openings.get(index).as_ref())
}

fn first(openings: &Openings, count: u64) -> Vec<String> {
    (0..count).map(|index| text(openings, index)).collect()
}

#[test]
fn no_opening_repeats_before_all_have_been_played() {
    let openings = random("kalah", 4);
    let count = openings.distinct().expect("few enough to count");
    let all = first(&openings, count);
    assert_eq!(all.iter().collect::<HashSet<_>>().len() as u64, count);
    assert_eq!(text(&openings, count), all[0]);
}

#[test]
fn in_every_game_openings_are_playable_differ_and_begin_at_ply_0() {
    for info in mancala_arena_rules::infos() {
        for plies in [0, 1, 4, 9] {
            let openings = random(info.name, plies);
            let count = openings.distinct().unwrap_or(50).min(50);
            for index in 0..count {
                let opening = openings.get(index);
                assert_eq!((opening.ply(), opening.ended()), (0, None), "{}", info.name);
                assert!(opening.legal_len() > 0);
            }
            let different: HashSet<_> = first(&openings, count).into_iter().collect();
            assert_eq!(different.len() as u64, count, "{} after {plies} plies", info.name);
        }
    }
}

#[test]
fn no_plies_leave_the_start_position_alone() {
    let openings = random("kalah", 0);
    assert_eq!(openings.distinct(), Some(1));
    assert_eq!(
        text(&openings, 7),
        r#"{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0}"#
    );
    assert_eq!(
        openings.notice(50).as_deref(),
        Some("all 50 rotations start from the same position: bots that do not vary their moves will repeat themselves")
    );
    assert_eq!(openings.notice(1), None);
}

#[test]
fn the_same_seed_gives_the_same_openings_and_another_seed_others() {
    for plies in [4, 12] {
        let with = |seed| {
            first(
                &openings("kalah", &OpeningSource::RandomPlies(plies), seed).expect("openings"),
                20,
            )
        };
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }
}

#[test]
fn deep_openings_are_too_many_to_count_and_still_differ() {
    let openings = random("kalah", 12);
    assert_eq!(openings.distinct(), None);
    assert_eq!(openings.notice(u64::MAX), None);
    let different = first(&openings, 2_000).into_iter().collect::<HashSet<_>>();
    assert_eq!(different.len(), 2_000);
}

#[test]
fn the_first_openings_of_seed_1_are_these() {
    assert_eq!(
        first(&random("kalah", 4), 2),
        [
            r#"{"pits":[[0,6,5,1,6,6],[5,4,0,0,6,6]],"stores":[1,2],"to_move":1}"#,
            r#"{"pits":[[5,1,6,1,6,6],[5,1,5,5,5,0]],"stores":[1,1],"to_move":0}"#,
        ]
    );
    assert_eq!(
        first(&random("kalah", 12), 2),
        [
            r#"{"pits":[[3,2,0,0,1,10],[2,1,0,4,11,7]],"stores":[4,3],"to_move":0}"#,
            r#"{"pits":[[3,5,0,2,0,0],[2,1,5,9,0,3]],"stores":[6,12],"to_move":0}"#,
        ]
    );
}

#[test]
fn more_plies_than_matches_last_are_refused() {
    let error = |game, plies| {
        openings(game, &OpeningSource::RandomPlies(plies), 1)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error("kalah:pits=1,seeds=1", 4),
        "4 opening plies: all matches of kalah are over before that; ask for fewer, 4 for example"
    );
    assert_eq!(
        error("kalah", 60),
        "60 opening plies: most matches of kalah are over before that; ask for fewer, 4 for example"
    );
    assert!(error("kalah", 1_000_000).contains("all matches"));
}

#[test]
fn a_list_is_taken_in_its_own_order_and_again_from_the_start() {
    let start = r#"{ "pits": [[1,0],[0,1]], "stores": [3,3], "to_move": 1 }"#;
    let other = r#"{"pits":[[1,0],[1,0]],"stores":[3,3],"to_move":0}"#;
    let list = OpeningSource::List(vec![start.to_owned(), other.to_owned()]);
    let openings = openings("kalah:pits=2,seeds=2", &list, 1).expect("openings");
    assert_eq!(openings.distinct(), Some(2));
    assert_eq!(text(&openings, 0), start.replace(' ', ""));
    assert_eq!(text(&openings, 3), other);
    assert_eq!(
        openings.notice(5).as_deref(),
        Some("5 rotations share 2 different openings, taken in turn")
    );
}

#[test]
fn a_list_with_a_bad_position_is_refused_by_its_number() {
    let list = |texts: &[&str]| OpeningSource::List(texts.iter().map(ToString::to_string).collect());
    let error = |texts: &[&str]| {
        openings("kalah:pits=2,seeds=1", &list(texts), 1)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(error(&[]), "the list of openings is empty; give at least one position");
    assert_eq!(
        error(&[r#"{"pits":[[0,0],[0,0]],"stores":[2,2],"to_move":null}"#]),
        "opening 1: the match is over in this position; give one with a move to play"
    );
}

//! The test oracle: a second, slow and obvious implementation of one turn of the game of any sheet, for differential
//! testing.
//!
//! It detects rules that the engine misunderstands, and shares no line with the engine. It compares squares of the
//! board and not converted indices, tries every allotment of the throws and every order of the steps, drops illegal
//! ones, and prints the rest. It has text and throws, but no actions, masks, observations or probabilities, and is not
//! fast.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

#[cfg(test)]
mod house_rules;
mod notation;
mod sheet;

/// The texts of the built-in sheets, by the names of their files.
static SHEETS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../env/games");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: &Path| {
        let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        name.zip(std::fs::read_to_string(path).ok()).unwrap_or_else(|| panic!("{} cannot be read", path.display()))
    };
    entries.map(|entry| read(&entry.expect("an entry of a folder").path())).collect()
});

/// Every position in which `throws` can legally leave the built-in game that stands at `position`.
///
/// `position` is a text of the notation at the start of a turn (pending `*`). `throws` is a whole series, one throw or
/// the dice that are thrown at once, as the game has them. Each position of the answer names the next seat to act and
/// pends `*`; where the game is over, both fields are `-`.
///
/// # Errors
///
/// A sentence that names the problem: a text that is not in the canonical form that printing gives, a game, flags or
/// seats that there are not, a position that breaks an invariant or is already over, throws that the dice cannot show.
pub fn turns(position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let name = position.split([' ', '?']).next().unwrap_or_default();
    let sheet = SHEETS.get(name).ok_or_else(|| format!("unknown game {name:?}"))?;
    turns_of(sheet, position, throws)
}

/// [`turns`] of the game of a sheet (TOML).
///
/// # Errors
///
/// As [`turns`], and a sheet without a key that a turn needs.
pub fn turns_of(sheet: &str, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    sheet::turns(sheet, position, throws)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed stream of numbers; each draw is below its bound.
    struct Stream(u64);

    impl Stream {
        fn draw(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        fn series(&mut self) -> Vec<u8> {
            let before = self.draw(4);
            let mut throws: Vec<u8> = (0..before).map(|_| [1, 1, 4, 8][self.draw(4)]).collect();
            throws.push([2, 3][self.draw(2)]);
            throws
        }

        fn one_throw(&mut self) -> Vec<u8> {
            vec![[1, 2, 2, 3, 4, 8][self.draw(6)]]
        }

        fn three_dice(&mut self) -> Vec<u8> {
            (0..3).map(|_| [1, 2, 5, 6][self.draw(4)]).collect()
        }

        fn two_dice(&mut self) -> Vec<u8> {
            vec![[1, 3, 4, 6][self.draw(4)], [1, 3, 4, 6][self.draw(4)]]
        }
    }

    /// The same position seen from the other side of the table, for games of two or four seats.
    fn half_turned(position: &str) -> String {
        let opposite = |text: &str| match text.split_at(1) {
            ("S", rest) => format!("N{rest}"),
            ("E", rest) => format!("W{rest}"),
            ("N", rest) => format!("S{rest}"),
            ("W", rest) => format!("E{rest}"),
            _ => text.to_owned(),
        };
        let fields: Vec<&str> = position.split(' ').collect();
        let mut seats: Vec<String> = fields[1].split('/').map(opposite).collect();
        seats.rotate_left(fields[1].split('/').count() / 2);
        [fields[0], &seats.join("/"), &opposite(fields[2]), fields[3]].join(" ")
    }

    /// Plays a game by drawing throws and results. The oracle must accept the positions that it prints, refuse a
    /// finished game, and commute with rotation of the board.
    fn plays_on(start: &str, throw: fn(&mut Stream) -> Vec<u8>, turns_at_most: usize) {
        let mut stream = Stream(start.bytes().map(u64::from).sum());
        let mut position = start.to_owned();
        for _ in 0..turns_at_most {
            let throws = throw(&mut stream);
            let results = turns(&position, &throws).unwrap_or_else(|error| panic!("{position} {throws:?}: {error}"));
            if position.matches('/').count() != 2 {
                let turned = results.iter().map(|result| half_turned(result)).collect();
                assert_eq!(turns(&half_turned(&position), &throws), Ok(turned), "{position} {throws:?}");
            }
            position = results.iter().nth(stream.draw(results.len())).expect("a turn has a result").clone();
            if position.ends_with(" - -") {
                assert!(turns(&position, &throws).is_err(), "{position} is over and was played on");
                return;
            }
        }
    }

    #[test]
    fn plays_on_from_every_position_it_prints() {
        for start in [
            "ashtapada S:off,off/N:off,off S *",
            "ashtapada?pieces=3&must_use=greedy&x=block S:off,off,off/E:off,off,off/N:off,off,off S *",
            "ashtapada?pieces=3&path=spiral_kile&twins=bell&twin_speed=half_floor S:off,off,off/N:off,off,off S *",
            "ashtapada?pieces=4&twins=bell S:13,13,14t,14t/N:off,off,13,13 S *",
            "ashtapada?must_use=optional&twin_split=false S:off,off/E:off,off/N:off,off/W:off,off W *",
        ] {
            plays_on(start, Stream::series, 100);
        }
        for start in [
            "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *",
            "ashte-kashte?pieces=3&path=B&entry=start_is_one S:hand,hand,hand/E:hand,hand,hand/W:hand,hand,hand E *",
            "ashte-kashte?pieces=2&path=C&move=optional&capture_bonus=true \
             S:hand,hand/E:hand,hand/N:hand,hand/W:hand,hand S *",
        ] {
            plays_on(start, Stream::one_throw, 1000);
        }
        for start in [
            "pagade S:6,7,12,12/N:6,7,12,12 S *",
            "pagade S:6,7,12,12/E:6,7,12,12/N:6,7,12,12/W:6,7,12,12 W *",
            "pagade?teams=true&no_cut=lap&turn_order=cw S:6,7,12,12/E:6,7,12,12/N:6,7,12,12/W:6,7,12,12 W *",
            "pagade?pieces=1&no_cut=off S:12/E:12/N:12/W:12 S *",
            "pagade?pieces=2&two=two_sets&finished_partner=skip&team_cut=shared S:12,12/E:12,12/N:12,12/W:12,12 S *",
        ] {
            plays_on(start, Stream::two_dice, 1000);
        }
        for start in [
            "chaupar S:6,7,9,10/N:6,7,9,10 S *",
            "chaupar?pieces=2&pairs=group&triples=all S:9,10/E:9,10/N:9,10/W:9,10 E *",
            "chaupar?pieces=3&must_use=optional&pairs=closed&captured=centre S:7,9,10/N:7,9,10 S *",
        ] {
            plays_on(start, Stream::three_dice, 1000);
        }
    }

    #[test]
    fn refuses_a_game_it_does_not_know() {
        assert!(turns("nonesuch S:off/N:off S *", &[2]).is_err());
    }
}

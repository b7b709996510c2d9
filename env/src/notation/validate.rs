//! Validation of positions: the pieces of one seat, the seats together, and the current turn.

use crate::{
    game::{Game, Payoff, Seat},
    race::{
        Race,
        position::state::{NO_PIECE, State},
    },
};

impl Race {
    pub(crate) fn check_seat(&self, state: &State, seat: Seat) -> Result<(), String> {
        let rules = &*self.rules;
        let pieces = &state.pieces[seat][..self.pieces()];
        if let Some((place, here)) = rules.crowded(state, seat) {
            let (most, place) = (rules.room[place], self.place_text(place));
            return Err(format!(
                "{here} pieces are on {place}, but it has room for {most}"
            ));
        }
        if pieces.contains(&rules.goal) && rules.goal > rules.home && pieces[0] < rules.home {
            return Err("a piece can be borne off only when all other pieces are at the finish or borne off".to_owned());
        }
        for (slot, &place) in pieces.iter().enumerate() {
            let is_declared = |slot: usize| state.declared[seat] >> slot & 1 == 1;
            let twins = (0..pieces.len())
                .filter(|&other| pieces[other] == place && is_declared(other))
                .count();
            let is_before = u32::from(place) <= rules.declaring.trailing_zeros();
            if is_declared(slot) && (twins % 2 != 0 || is_before || place >= rules.home) {
                return Err(
                    "pieces marked `t` must be in pairs, after the first square where units are declared".to_owned()
                );
            }
        }
        Ok(())
    }

    /// Checks the seats together.
    pub(crate) fn check_pieces(&self, state: &State) -> Result<(), String> {
        let (seats, rules) = (self.spec().seats, &*self.rules);
        for seat in seats
            .iter()
            .filter(|&seat| rules.has_gate() && !rules.gate_rule.is_open(state, seat))
        {
            let inside = state.pieces[seat]
                .iter()
                .find(|&&place| place >= rules.gate && place != NO_PIECE);
            if let Some(&place) = inside {
                let place = self.place_text(place);
                return Err(format!(
                    "a piece of {seat} is on {place}, beyond its gate, but {seat} has not captured; if it has captured, \
                     write `{seat}+:`"
                ));
            }
        }
        // A seat keeps the mark of its first entry, also when all its pieces are captured.
        for seat in seats
            .iter()
            .filter(|&seat| rules.remembers_entry && !state.has_mark(seat))
        {
            if state.pieces[seat][..self.pieces()]
                .iter()
                .any(|&place| place > 0)
            {
                return Err(format!("{seat} has entered a piece: write `{seat}+:`"));
            }
        }
        if let Some((seat, other, place)) = rules.collision(state) {
            let place = self.place_text(place);
            return Err(format!(
                "{seat} and {other} have pieces on one square ({seat}'s {place}), which is not allowed"
            ));
        }
        self.check_finished(state)
    }

    fn check_finished(&self, state: &State) -> Result<(), String> {
        let spec = self.spec();
        let mut places: Vec<u8> = spec
            .seats
            .iter()
            .map(|seat| state.finished[seat])
            .filter(|&place| place > 0)
            .collect();
        places.sort_unstable();
        let problem = match spec.payoff {
            Payoff::Winner if places.len() > 1 => "two seats have won".to_owned(),
            Payoff::Teams if places.len() == spec.seats.len() => "two teams have won".to_owned(),
            // The game ends when only one seat has not finished.
            Payoff::Placings if places.len() == spec.seats.len() => {
                "all seats have finished".to_owned()
            }
            Payoff::Placings if !places.iter().copied().eq(1..=places.len() as u8) => {
                format!("finished seats must have the ranks 1, 2 and so on, not {places:?}")
            }
            Payoff::Winner | Payoff::Teams | Payoff::Placings => return Ok(()),
        };
        Err(problem)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        game::SeatSet,
        sheet::{Sheet, ruleset::Ruleset},
    };

    #[test]
    fn positions_that_cannot_be_played_on_are_refused() {
        for text in [
            "ashtapada S:5,30/N:off,23 S 4,2;5+200",
            "ashtapada S:6,6/N:23,23 S 2;6&1",
            "pagade S:3,12,30,73/N:6,7,12,68 S 6;30+3,73+1",
            "pagade S:3,12,30,73/N:6,7,12,68 S 6;30+5",
            "siga S:20,21/N:off,off S 1;/4",
            "siga S:20,home/N:off,off S 9;/4",
            "ashta-kashte-1892?grace=separate S:off,off,5,5/N:off,off,off,off S 4;in",
            "saturankam S:0,0/N:0,0 S 1,3;0+5",
            // No piece has entered or moved.
            "thaayam?pieces=2&hop=each S:off,off/N:off,off S 4,2;",
            // The captured piece is still on the board.
            "thaayam?pieces=2&hop=each S:off,5/N:10,11 S 4;+",
            // The 4 must be set aside before the 8. A throw is set aside only if another throw can
            // be played.
            "thaayam?pieces=2&hop=each S:4,8/N:off,off S 4,8,2;!8",
            "thaayam?pieces=2&hop=each S:23,23/N:off,off S 4,2;!4",
            // Three dice were thrown, and none of them is set aside.
            "chaupar S:6,7,9,10/N:6,7,9,10 S 1,2,6;",
            "chaupar S:6,7,9,10/N:6,7,9,10 S 1,2",
            "chaupar S:6,7,9,10/N:6,7,9,10 S 1,2,6,*",
            // Nothing can be played any more.
            "thaayam?pieces=2&hop=each S:23,23/N:off,off S 4;",
        ] {
            assert!(Race::parse_position(text).is_err(), "{text}");
        }
        for text in [
            // The rules allow to continue from these positions, even if no turn leads there.
            "ashtapada S:off,off/N:off,off S 4,1,3;",
            "ashtapada S:5,30/N:off,23 S 4,2;",
            "thaayam?pieces=2&hop=each S:off,0/N:off,off S 4,2;+",
            "ashtapada S:off,off/N:off,off S 4,3;off+0",
            "siga S:20,home/N:off,off S 2;/4",
            "chaupar S:6,7,9,10/N:6,7,9,10 S 1,2,6;!1",
            "chaupar S:6,7,9,10/N:6,7,9,10 S 6,6,*",
            "ashta-kashte-1892?grace=separate S:off,off,0,5/N:off,off,off,off S 4;in",
            "saturankam S:0,0/N:0,0 S 1,3;0+3",
            "thaayam?pieces=2&hop=each S:off,0/N:off,off S 4,2;",
            "thaayam?pieces=2&hop=each S:off,5/N:off,11 S 4;+",
            "thaayam?pieces=2&hop=each S:4,8/N:off,off S 4,8,2;!4",
        ] {
            assert!(
                Race::parse_position(text).is_ok(),
                "{text}: {:?}",
                Race::parse_position(text).err()
            );
        }
    }

    #[test]
    fn parts_of_a_total_are_given_in_order() {
        let sheet = crate::sheet::builtin::named("saturankam")
            .expect("a built-in game")
            .text();
        let four = sheet
            .replace("name = \"saturankam\"", "name = \"four\"")
            .replace("allowed = [1, 2]", "allowed = [4]");
        let four =
            Sheet::read(&four.replace("count = 2", "count = 4"), "four.toml").expect("a sheet");
        let race = Race::new(
            Ruleset::of(
                Arc::new(four),
                SeatSet::from_letters("SN").expect("seats"),
                [],
            )
            .expect("valid"),
        );
        for allotted in ["1+1,7+1", "3+1", "0+200,1+200,7+3"] {
            let text = format!("four S:0,1,3,7/N:0,0,0,0 S 4,4;{allotted}");
            assert!(race.parse_state(&text).is_err(), "{text}");
        }
        let text = "four S:0,1,3,7/N:0,0,0,0 S 4,4;0+1,1+1";
        assert!(
            race.parse_state(text).is_ok(),
            "{:?}",
            race.parse_state(text)
        );
    }

    #[test]
    fn what_is_allotted_has_one_text() {
        for text in [
            "ashta-kashte-1892?grace=separate S:off,off,0,5/N:off,off,off,off S 4;in,in",
            "siga S:20,home/N:off,off S 2;/4,/4",
            "thaayam?pieces=2&hop=each S:4,8/N:off,off S 4,8,2;!4,!4",
        ] {
            let error = Race::parse_position(text).expect_err(text).to_string();
            assert!(
                error.contains("write `") && error.contains("for this"),
                "{error}"
            );
        }
    }

    #[test]
    fn throws_that_were_made_have_one_text() {
        let text =
            |pending: &str| format!("main-pacheh?max_throws=3 S:0,0,0,8/N:0,0,0,0 S {pending}");
        for pending in ["*", "*1", "*2", "4", "4*2", "4*3"] {
            let (race, state) =
                Race::parse_position(&text(pending)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(race.print(&state), text(pending));
        }
        for pending in [
            "*0", "*3", "4*1", "4*4", "4*", "4*0", "*1*", "4,*1", "*x", "-*1",
        ] {
            assert!(Race::parse_position(&text(pending)).is_err(), "{pending}");
        }
        assert!(Race::parse_position(&text("*1").replace("?max_throws=3", "")).is_err());
    }
}

//! The perspective rule: converts between values relative to the observing seat and values by seat.
//!
//! A network sees the board from one seat, so its values are relative to that seat. If seats win or
//! are placed ([`Payoff::Winner`], [`Payoff::Placings`]), value 0 belongs to the observer and the
//! values of the other seats follow counter-clockwise, without absent seats. If teams win
//! ([`Payoff::Teams`]), value 0 belongs to the observer's team and value 1 to the other team. This
//! module does not depend on networks or rules.

use ashta_env::game::{BySeat, MAX_SEATS, Payoff, Seat, Spec};

/// Number of values that a network for `spec` returns: 2 for teams, otherwise one for each seat of
/// the game.
pub fn value_count(spec: &Spec) -> usize {
    match spec.payoff {
        Payoff::Teams => 2,
        Payoff::Winner | Payoff::Placings => spec.seats.len(),
    }
}

/// Converts the values `[value_count]` relative to `observer` to values by seat; absent seats get
/// 0.
///
/// # Panics
/// When `relative` is shorter than [`value_count`].
#[inline]
pub fn to_seats(relative: &[f32], spec: &Spec, observer: Seat) -> BySeat<f32> {
    let mut values = BySeat::default();
    for (place, seat) in seats_from(observer, spec).enumerate() {
        let is_team = spec.payoff == Payoff::Teams;
        values[seat] = relative[if is_team {
            usize::from(!spec.teams[observer].contains(seat))
        } else {
            place
        }];
    }
    values
}

/// The seats of the game, counter-clockwise, beginning with `observer`.
#[inline]
fn seats_from(observer: Seat, spec: &Spec) -> impl Iterator<Item = Seat> {
    (0..MAX_SEATS)
        .map(move |quarters| observer.rotated(quarters))
        .filter(|&seat| spec.seats.contains(seat))
}

/// Appends the values relative to `observer` to `out`: [`value_count`] numbers. The inverse of
/// [`to_seats`].
///
/// In a game of teams, the two numbers are the value of the observer and the value of its first
/// opponent counter-clockwise.
#[inline]
pub fn to_relative(values: &BySeat<f32>, spec: &Spec, observer: Seat, out: &mut Vec<f32>) {
    let seats = seats_from(observer, spec);
    if spec.payoff != Payoff::Teams {
        return out.extend(seats.map(|seat| values[seat]));
    }
    let mut opponents = seats.filter(|&seat| !spec.teams[observer].contains(seat));
    out.extend([
        values[observer],
        opponents.next().map_or(0.0, |seat| values[seat]),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::game::SeatSet;

    fn spec(seats: &[Seat], payoff: Payoff) -> Spec {
        let own = |seat: Seat| match payoff {
            Payoff::Teams => SeatSet::of(&[seat, seat.rotated(2)]),
            Payoff::Winner | Payoff::Placings => SeatSet::of(&[seat]),
        };
        Spec {
            name: "fake".into(),
            seats: SeatSet::of(seats),
            payoff,
            teams: BySeat(Seat::ALL.map(own)),
            actions: 9,
            observation: 40,
            start_observation: 30,
            encoding: 1,
            ruleset_hash: 7,
            turn_limit: 100,
        }
    }

    #[test]
    fn the_observer_comes_first_and_absent_seats_are_skipped() {
        let spec = spec(&[Seat::SOUTH, Seat::EAST, Seat::WEST], Payoff::Winner);
        assert_eq!(value_count(&spec), 3);
        assert_eq!(
            to_seats(&[0.5, 0.3, 0.2], &spec, Seat::EAST),
            BySeat([0.2, 0.5, 0.0, 0.3])
        );
        let mut relative = Vec::new();
        to_relative(
            &BySeat([0.2, 0.5, 0.0, 0.3]),
            &spec,
            Seat::WEST,
            &mut relative,
        );
        assert_eq!(relative, [0.3, 0.2, 0.5]);
    }

    #[test]
    fn the_seats_of_a_team_share_its_value() {
        let spec = spec(&Seat::ALL, Payoff::Teams);
        assert_eq!(value_count(&spec), 2);
        assert_eq!(
            to_seats(&[0.7, 0.3], &spec, Seat::WEST),
            BySeat([0.3, 0.7, 0.3, 0.7])
        );
        let mut relative = Vec::new();
        to_relative(
            &BySeat([0.3, 0.7, 0.3, 0.7]),
            &spec,
            Seat::NORTH,
            &mut relative,
        );
        assert_eq!(relative, [0.3, 0.7]);
    }

    #[test]
    fn to_relative_inverts_to_seats_for_every_observer() {
        for (seats, payoff) in [
            (&[Seat::SOUTH, Seat::NORTH][..], Payoff::Winner),
            (&[Seat::SOUTH, Seat::EAST, Seat::WEST][..], Payoff::Placings),
            (&Seat::ALL[..], Payoff::Placings),
            (&Seat::ALL[..], Payoff::Teams),
        ] {
            let spec = spec(seats, payoff);
            let values = &[0.4, 0.3, 0.2, 0.1][..value_count(&spec)];
            for &observer in seats {
                let mut relative = Vec::new();
                to_relative(
                    &to_seats(values, &spec, observer),
                    &spec,
                    observer,
                    &mut relative,
                );
                assert_eq!(
                    relative, values,
                    "{seats:?} {payoff:?} seen from {observer}"
                );
            }
        }
    }
}

//! Contents of report pages. Each page is one self-contained HTML file: numbers as JSON, and a
//! script that draws them.

use std::collections::BTreeMap;

use anyhow::Result;
use ashta_agents::arena::{Reference, game_record::GameLine};
use ashta_env::{
    game::Game,
    notation::Standing,
    race::{Race, board::Square, state::State},
};
use serde::Serialize;
use serde_json::Value;

use crate::report::analysis::Analysis;
pub use crate::run::page::page;

/// The contents of a page.
#[derive(Debug, Serialize)]
pub struct Contents {
    /// The summary of an arena.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
    /// The conclusions from the summary, in sentences.
    pub verdicts: Vec<String>,
    /// The lengths of the games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<LengthChart>,
    /// The board of the games.
    pub board: BoardPicture,
    /// Games to replay.
    pub games: Vec<ShownGame>,
}

/// A histogram of the lengths of games.
#[derive(Debug, Serialize)]
pub struct LengthChart {
    /// Width of a class, in turns.
    pub step: u32,
    /// Number of games in each class.
    pub counts: Vec<u64>,
}

/// The squares of a board.
#[derive(Debug, Serialize)]
pub struct BoardPicture {
    side: usize,
    /// Row, column and kind of each square.
    squares: Vec<(u8, u8, &'static str)>,
}

/// A game that the page can replay.
#[derive(Debug, Serialize)]
pub struct ShownGame {
    title: String,
    /// The turn that the page shows first.
    begins: usize,
    analysis: Analysis,
    /// The positions before the first turn and after each turn.
    frames: Vec<Frame>,
}

#[derive(Debug, Serialize)]
struct Frame {
    /// Seat, row, column, number of pieces, and whether the pieces are marked.
    pieces: Vec<(char, u8, u8, usize, bool)>,
    /// For each seat, the pieces that are not on a square, in words.
    off: Vec<(char, String)>,
}

impl LengthChart {
    /// Counts games by their numbers of turns, in at most forty classes.
    pub fn new(turns: &[u32]) -> LengthChart {
        let longest = turns.iter().copied().max().unwrap_or(0);
        let step = (longest / 40 + 1).next_multiple_of(if longest > 200 { 5 } else { 1 });
        let mut counts = vec![0; (longest / step + 1) as usize];
        turns
            .iter()
            .for_each(|turns| counts[(turns / step) as usize] += 1);
        LengthChart { step, counts }
    }
}

impl BoardPicture {
    /// The board of a game.
    pub fn new(race: &Race) -> BoardPicture {
        let squares = race
            .squares()
            .map(|(square, ground)| (square.row, square.column, ground.name().unwrap_or_default()));
        BoardPicture {
            side: race.board().rows().max(race.board().columns()),
            squares: squares.collect(),
        }
    }
}

impl ShownGame {
    /// Analyzes a game with the values of `reference`. The page shows turn number `begins` first.
    pub fn new(
        race: &Race,
        line: &GameLine,
        reference: &Reference<Race>,
        title: String,
        begins: usize,
    ) -> Result<ShownGame> {
        let analysis = Analysis::new(race, line, reference)?;
        let frames = analysis
            .turns
            .iter()
            .map(|turn| turn.position.as_str())
            .chain([analysis.end.as_str()])
            .map(|position| Ok(Frame::new(race, &race.parse_state(position)?)))
            .collect::<Result<_>>()?;
        Ok(ShownGame {
            title,
            begins,
            frames,
            analysis,
        })
    }
}

impl Frame {
    fn new(race: &Race, state: &State) -> Frame {
        let standing = race.standing(state);
        let mut counted: BTreeMap<(char, u8, u8, bool), usize> = BTreeMap::new();
        for Standing {
            seat,
            square,
            is_marked,
            ..
        } in &standing
        {
            if let Some(Square { row, column }) = *square {
                *counted
                    .entry((seat.letter(), row, column, *is_marked))
                    .or_default() += 1;
            }
        }
        let off = race.spec().seats.iter().map(|seat| {
            let mut places: BTreeMap<u8, usize> = BTreeMap::new();
            standing
                .iter()
                .filter(|piece| piece.seat == seat && piece.square.is_none())
                .for_each(|piece| *places.entry(piece.place).or_default() += 1);
            let texts: Vec<String> = places
                .iter()
                .map(|(&place, count)| format!("{} {count}", race.place_text(place)))
                .collect();
            (seat.letter(), texts.join(", "))
        });
        let pieces = counted
            .into_iter()
            .map(|((seat, row, column, marked), count)| (seat, row, column, count, marked));
        Frame {
            pieces: pieces.collect(),
            off: off.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_numbers_ends_the_script() {
        let (race, _) =
            Race::parse_position("ashtapada S:off,off/N:off,off S *").expect("a position");
        let verdicts = vec!["</script><b>".to_owned(), "<!--<script>".to_owned()];
        let contents = Contents {
            summary: None,
            verdicts,
            lengths: None,
            board: BoardPicture::new(&race),
            games: Vec::new(),
        };
        let page = page("a < b", &contents).expect("it is written");
        assert_eq!(
            page.matches("</script>").count(),
            2,
            "those of the data and of the script"
        );
        assert!(!page.contains("<!--") && page.contains("\\u003c!--"));
        assert!(page.contains("<title>a &lt; b</title>") && !page.contains("{{"));
    }

    #[test]
    fn boards_have_the_squares_of_their_games() {
        for (position, squares, side, marked) in [
            // East and West do not play here, so their goals are not squares of the board.
            ("ashtapada S:off,off/N:off,off S *", 62, 8, 12),
            (
                "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *",
                49,
                7,
                4,
            ),
        ] {
            let (race, state) = Race::parse_position(position).expect("a position");
            let board = BoardPicture::new(&race);
            assert_eq!((board.squares.len(), board.side), (squares, side));
            assert_eq!(
                board
                    .squares
                    .iter()
                    .filter(|square| square.2 == "marked")
                    .count(),
                marked,
                "{position}"
            );
            let frame = Frame::new(&race, &state);
            assert!(
                frame.pieces.is_empty()
                    && frame.off.iter().all(|(_, text)| text.ends_with(['2', '4']))
            );
        }
    }

    #[test]
    fn lengths_are_counted_in_classes() {
        let lengths = LengthChart::new(&[1, 39, 40, 41, 79]);
        assert_eq!((lengths.step, lengths.counts.iter().sum::<u64>()), (2, 5));
        assert_eq!(LengthChart::new(&[]).counts, [0]);
        assert_eq!(LengthChart::new(&[500, 999]).step, 25);
    }
}

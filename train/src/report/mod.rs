//! Reports as one HTML file, and the analysis of a game.

pub mod analysis;
pub mod page;

//! What runs, games and solved games look like: diagrams as SVG, reports as one HTML file, the analysis of a game.

pub mod analysis;
pub mod page;
pub mod plot;

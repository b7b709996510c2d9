//! Analysis of games, and the contents of report pages.

pub mod analysis;
pub mod page;

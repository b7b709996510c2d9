//! One data sheet a game: course, marked squares, throws, set-up, and where they come from.

pub mod ashtapada;
pub mod ashte_kashte;
pub mod pagade;

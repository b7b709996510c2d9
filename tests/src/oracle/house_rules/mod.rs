//! Positions worked by hand that distinguish the house rules of the three games with the most of them.

mod ashtapada;
mod ashte_kashte;
mod pagade;

//! The tests that cross package borders, in one program: each program of tests links everything
//! anew.

mod architecture;
mod arena;
mod backgammon;
mod best_response;
mod fuzz;
mod learning;
mod protocol;
mod search;
mod solving;

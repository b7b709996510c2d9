//! The tests that cross package borders, in one program: each program of tests links everything anew.

mod architecture;
mod arena;
mod best_response;
mod fuzz;
mod golden;
mod gym;
mod laws;
mod learning;
mod notation;
mod oracle;
mod perft;
mod playthroughs;
mod search;
mod sheet_keys;
mod sheet_reference;
mod small_sheets;
mod solving;
mod turn_lines;
mod understood;

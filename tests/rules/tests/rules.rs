//! The tests of the rules, in one program. They need `ashta-env` only, so that a change of a rule
//! is tested quickly.

mod golden;
mod gym;
mod laws;
mod notation;
mod oracle;
mod perft;
mod playthroughs;
mod sheet_keys;
mod sheet_reference;
mod small_sheets;
mod turn_lines;
mod understood;

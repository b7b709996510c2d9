//! What the program brings in itself, so that it works wherever it is copied to: the small bots, the configurations and
//! the page. The build script lists the files; the sheets of games are in `ashta-env`.

use ashta_agents::roster::EmbeddedBot;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A file of the page, by name.
pub fn page(name: &str) -> Option<&'static [u8]> {
    PAGE.iter().find(|(file, _)| *file == name).map(|(_, content)| *content)
}

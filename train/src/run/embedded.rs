//! What the program brings in itself, so that it works wherever it is copied to: the small bots, the configurations and
//! the page. The build script lists the files; the sheets of games are in `ashta-env`.

use ashta_agents::roster::EmbeddedBot;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The small bots.
pub fn bots() -> &'static [EmbeddedBot] {
    BOTS
}

/// The configurations, name and text.
pub fn configs() -> &'static [(&'static str, &'static str)] {
    CONFIGS
}

/// A file of the page, by name.
pub fn page(name: &str) -> Option<&'static [u8]> {
    PAGE.iter().find(|(file, _)| *file == name).map(|(_, content)| *content)
}

//! Files that the program contains: the small bots, the configurations and the web page. The build
//! script lists them. `ashta-env` contains the sheets of games.

use ashta_agents::roster::EmbeddedBot;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Returns a file of the web page.
pub fn page(name: &str) -> Option<&'static [u8]> {
    PAGE.iter()
        .find(|(file, _)| *file == name)
        .map(|(_, content)| *content)
}

//! `ashta serve`: the page on a local port, with this program as its engine.
//!
//! Static files are those of `web/`, the sheets, and the bots and tables that go by a name. Where the page as a static
//! site has the WebAssembly module, its worker asks here: `POST agent` makes an agent of a name or of a file, and gives
//! its number; `POST engine` answers a request of the engine protocol. Only pages of this address are answered.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Error, Result, bail};
use ashta_agents::perfect::table::TableHeader;
use ashta_agents::protocol::{Engine, LONGEST_REQUEST};
use ashta_agents::roster::folders::{BOT, Folders};
use ashta_agents::roster::{NamedAgent, TABLE};
use ashta_env::sheet::builtin;
use flate2::Compression;
use flate2::write::GzEncoder;
use oxhttp::Server;
use oxhttp::model::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use oxhttp::model::{Body, HeaderValue, Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::run::output::{print, remark};
use crate::run::{embedded, games};

const USUAL_PORT: u16 = 8000;
/// Longer files are sent as they are, in bytes.
const LARGE: usize = 1 << 20;
/// The longest file of an agent, in bytes.
const LONGEST_FILE: usize = 1 << 28;

/// Runs the command until it is interrupted.
///
/// # Errors
/// When the port cannot be taken.
pub fn run(port: Option<u16>, no_browser: bool) -> Result<()> {
    let address = free_address(port)?;
    let (host, folders) = (address.to_string(), games::folders());
    let site = Site { host, engines: Mutex::default(), numbers: RandomState::new(), folders };
    let url = format!("http://{address}/");
    let server = Server::new(move |request| site.respond(request)).bind(address).spawn();
    let server = server.with_context(|| format!("cannot listen on {address}"))?;
    print(format_args!("page: {url}"))?;
    remark("Ctrl-C ends it");
    if !no_browser && let Err(error) = open::that_detached(&url) {
        remark(format_args!("no browser could be opened ({error}): open the address in one"));
    }
    Ok(server.join()?)
}

/// The address of a port of this machine that is free.
fn free_address(port: Option<u16>) -> Result<SocketAddr> {
    let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| listener.local_addr());
    let asked = port.unwrap_or(USUAL_PORT);
    let found = match free(asked) {
        Err(error) if port.is_none() && error.kind() == ErrorKind::AddrInUse => free(0),
        found => found,
    };
    found.with_context(|| format!("cannot listen on port {asked}; --port 0 takes any"))
}

struct Site {
    /// The address and port by which pages name it.
    host: String,
    /// The agents that pages have asked for, by number; the same agent has the same number.
    engines: Mutex<HashMap<u64, Arc<Mutex<Engine>>>>,
    numbers: RandomState,
    folders: Folders,
}

/// A file with its type, or nothing.
type Found = Option<(Vec<u8>, &'static str)>;

impl Site {
    /// The number of the agent that `key` says all about.
    fn number(&self, key: (&str, &[u8]), agent: impl FnOnce() -> Result<NamedAgent>) -> Result<u64> {
        // Numbers travel as JSON, which is exact to 53 bits.
        let number = self.numbers.hash_one(key) >> 11;
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Vacant(place) = engines.entry(number) {
            place.insert(Arc::new(Mutex::new(Engine::new(Some(agent()?)))));
        }
        Ok(number)
    }

    fn engine(&self, number: u64) -> Option<Arc<Mutex<Engine>>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    fn respond(&self, request: &mut Request<Body>) -> Response<Body> {
        let header = |name: HeaderName| request.headers().get(name).map(HeaderValue::as_bytes);
        // Another site that points its name here, or sends requests here, is not this page.
        let port = self.host.rsplit(':').next().unwrap_or_default();
        let hosts = [self.host.clone(), format!("localhost:{port}")];
        let is_host = header(HOST).is_some_and(|found| hosts.iter().any(|host| found == host.as_bytes()));
        let is_own =
            header(ORIGIN).is_none_or(|found| hosts.iter().any(|host| found == format!("http://{host}").as_bytes()));
        let packs = header(ACCEPT_ENCODING).is_some_and(|found| String::from_utf8_lossy(found).contains("gzip"));
        let text = |text: String| (text.into_bytes(), "text/plain; charset=utf-8");
        let (status, (content, kind)) = match (is_host && is_own, request.method()) {
            (false, _) => (StatusCode::FORBIDDEN, text("this page answers itself alone".to_owned())),
            (true, &Method::GET) => match self.file(path(request)) {
                Ok(Some(found)) => (StatusCode::OK, found),
                Ok(None) => (StatusCode::NOT_FOUND, text("there is no such file".to_owned())),
                Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, text(format!("{error:#}"))),
            },
            (true, &Method::POST) => {
                let failed = |error| json!({"error": {"code": "failed", "message": format!("{error:#}")}});
                let answer = self.post(request).unwrap_or_else(failed);
                (StatusCode::OK, (answer.to_string().into_bytes(), "application/json"))
            }
            _ => (StatusCode::METHOD_NOT_ALLOWED, text("GET and POST alone are answered".to_owned())),
        };
        // All but a table is small enough to be packed while it is sent.
        let packed = if packs && content.len() < LARGE { gzip(&content) } else { None };
        let is_packed = packed.is_some();
        let mut response = Response::new(Body::from(packed.unwrap_or(content)));
        if is_packed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        // Another version of the program may be served from the same address next time.
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// A file of the page.
    fn file(&self, path: &str) -> Result<Found> {
        let name = if path.is_empty() { "index.html" } else { path };
        if name == "bots.json" {
            return Ok(Some((self.listed().to_string().into_bytes(), "application/json")));
        }
        let source = if name == "engine.js" { "native.js" } else { name };
        if let Some(content) = embedded::page(source) {
            return Ok(Some((content.to_vec(), kind(source))));
        }
        let Some((stem, ending)) = name.rsplit_once('.') else { return Ok(None) };
        let content = match ending {
            "toml" => builtin::text(stem).map(|text| text.as_bytes().to_vec()),
            BOT => self.folders.bot(stem).map(|bot| bot.content().map(Cow::into_owned)).transpose()?,
            TABLE => {
                let read = |table: PathBuf| std::fs::read(&table).with_context(|| table.display().to_string());
                self.folders.table(stem).map(read).transpose()?
            }
            _ => None,
        };
        Ok(content.map(|content| (content, kind(name))))
    }

    /// The bots and tables that the page can load, with the rules that each of them knows; what is damaged is left out.
    fn listed(&self) -> Value {
        let (mut bots, mut tables) = (Vec::new(), Vec::new());
        // The others are of use without it.
        let leave_out = |error: Error| remark(format_args!("left out: {error:#}"));
        for (name, source) in self.folders.bots() {
            match source.read().map(|bot| bot.manifest) {
                Ok(manifest) => bots.push(json!({
                    "name": name, "game": manifest.ruleset, "seats": manifest.seats, "levels": manifest.levels,
                })),
                Err(error) => leave_out(error.into()),
            }
        }
        let files = self.folders.tables().unwrap_or_else(|error| {
            leave_out(error.into());
            Vec::new()
        });
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            match (TableHeader::read(&file), std::fs::metadata(&file)) {
                (Ok(header), Ok(facts)) if header.facts.is_some() => {
                    tables.push(json!({"name": name, "bytes": facts.len(), "ruleset": header.ruleset}));
                }
                (Ok(_), _) => remark(format_args!("left out: {} is not finished", file.display())),
                (Err(error), _) => leave_out(error.into()),
            }
        }
        json!({"bots": bots, "tables": tables})
    }

    fn post(&self, request: &mut Request<Body>) -> Result<Value> {
        let longest = if path(request) == "agent" { LONGEST_FILE } else { LONGEST_REQUEST };
        let mut body = Vec::new();
        request.body_mut().take(longest as u64 + 1).read_to_end(&mut body).context("the request was cut short")?;
        if body.len() > longest {
            bail!("the request is over {longest} bytes");
        }
        let query = request.uri().query().unwrap_or_default();
        let parameter = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        match (path(request), parameter("agent")) {
            ("agent", _) => {
                let number = match parameter("name") {
                    Some(name) => {
                        let name = unescaped(name);
                        self.number((&name, &[]), || Ok(self.folders.agent(&name)?))
                    }
                    None => {
                        let lookahead = unescaped(parameter("lookahead").unwrap_or_default());
                        let agent = || Ok(NamedAgent::of_file("bot", &body, &lookahead)?);
                        self.number((&lookahead, &body), agent)
                    }
                };
                Ok(json!({"agent": number?}))
            }
            ("engine", None) => Ok(Engine::new(None).answer(&body)),
            ("engine", Some(number)) => {
                let engine = number.parse().ok().and_then(|number| self.engine(number));
                let engine = engine.with_context(|| format!("there is no agent {number}: load the page anew"))?;
                Ok(engine.lock().unwrap_or_else(PoisonError::into_inner).answer(&body))
            }
            (path, _) => bail!("there is nothing to ask at `{path}`"),
        }
    }
}

/// The content in its compressed form, if that is shorter.
fn gzip(content: &[u8]) -> Option<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(content).ok()?;
    packed.finish().ok().filter(|packed| packed.len() < content.len())
}

/// The path of a request, without the slash at its beginning.
fn path(request: &Request<Body>) -> &str {
    let path = request.uri().path();
    path.strip_prefix('/').unwrap_or(path)
}

/// The type of a file, by its ending.
fn kind(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("toml") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// A text of an address, in which `%2B` stands for a plus; broken escapes stay as they are.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

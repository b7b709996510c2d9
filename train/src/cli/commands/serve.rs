//! `ashta serve`: serves the web page on a local port; this program is its engine.
//!
//! The static files are the files of `web/`, the sheets, and the bots and tables that have a name.
//! On a static site, the web page uses the WebAssembly module. If this server serves the web page,
//! the page sends requests to the program instead. `POST agent` loads an agent, by its name or from
//! a file, and returns the number of the agent. `POST engine` answers a request of the engine
//! protocol. The server answers only pages of its own address. It limits connections, bodies,
//! agents and searches. A new search of a page stops the previous search of this page.

use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    io::{ErrorKind, Read, copy, sink},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Error, Result, anyhow};
use ashta_agents::{
    perfect::table::TableHeader,
    play::{stop::Stop, throws::random_seed},
    protocol::{Engine, LONGEST_REQUEST},
    roster::{
        NamedAgent, TABLE,
        folders::{BOT, Folders},
    },
};
use ashta_env::sheet::builtin;
use oxhttp::{
    Server,
    model::{
        Body, HeaderValue, Method, Request, Response, StatusCode,
        header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, HeaderName, ORIGIN},
    },
};
use serde_json::{Value, json};

use crate::run::{
    embedded, games,
    output::{print, remark, remark_once},
};

const USUAL_PORT: u16 = 8000;
/// The longest file of an agent, in bytes. The server receives one such file at a time.
const LONGEST_FILE: usize = 1 << 28;
/// The server receives and drops up to this many bytes of a too long body, so that the client reads
/// the answer.
const DRAINED: u64 = 1 << 30;
/// Limits of the open agents: their number, and their memory in bytes. The server drops the least
/// recently used agents.
const AGENTS: usize = 32;
const AGENT_BYTES: usize = 1 << 29;
/// Limits of searches: the number of searches at the same time, the time that a request waits for
/// its search, and the time of a search.
const SEARCHES: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_SEARCH: Duration = Duration::from_secs(60);
/// The number of connections at the same time, and the time that a connection can be silent.
const CONNECTIONS: u64 = 64;
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// Serves until the process is interrupted.
///
/// # Errors
/// When the port is not free.
pub fn run(port: Option<u16>, no_browser: bool) -> Result<()> {
    let address = free_address(port)?;
    let site = Site {
        hosts: hosts(address.port()),
        folders: games::folders(),
        ..Site::default()
    };
    let url = format!("http://{address}/");
    let server = Server::new(move |request| site.respond(request))
        .bind(address)
        .with_max_concurrent_connections(connections())
        .with_global_timeout(LONGEST_SILENCE)
        .spawn()
        .with_context(|| format!("cannot listen on {address}"))?;
    print(format_args!("page: {url}"))?;
    remark("press Ctrl-C to stop");
    if !no_browser && let Err(error) = open::that_detached(&url) {
        remark(format_args!(
            "cannot open a browser ({error}): open this address in your browser"
        ));
    }
    Ok(server.join()?)
}

/// A free address on this machine.
fn free_address(port: Option<u16>) -> Result<SocketAddr> {
    let free = |port: u16| {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| listener.local_addr())
    };
    let asked = port.unwrap_or(USUAL_PORT);
    let found = match free(asked) {
        Err(error) if port.is_none() && error.kind() == ErrorKind::AddrInUse => free(0),
        found => found,
    };
    found.with_context(|| format!("cannot listen on port {asked}; --port 0 takes any free port"))
}

/// The values of the header `Host` that pages of this server send. Browsers leave out port 80.
fn hosts(port: u16) -> Vec<String> {
    let names = ["127.0.0.1", "localhost"];
    let bare = names.iter().filter(|_| port == 80).map(ToString::to_string);
    names
        .iter()
        .map(|name| format!("{name}:{port}"))
        .chain(bare)
        .collect()
}

/// The number of connections that the free file handles allow. If all handles were in use, the
/// server would stop.
fn connections() -> usize {
    #[cfg(unix)]
    let limit = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE)
        .map_or(256, |(soft, _)| soft);
    #[cfg(not(unix))]
    let limit = u64::MAX;
    // Each connection has two file handles, and needs more handles to read files.
    (limit.saturating_sub(12) / 4).clamp(1, CONNECTIONS) as usize
}

/// An agent that a page has loaded.
struct Opened {
    number: u64,
    agent: NamedAgent,
    engine: Arc<Mutex<Engine>>,
}

#[derive(Default)]
struct Site {
    /// The values of `Host` that the server accepts.
    hosts: Vec<String>,
    /// The agents that pages have loaded; the most recently used one is the last. Equal agents have
    /// the same number.
    agents: Mutex<Vec<Opened>>,
    numbers: RandomState,
    folders: Folders,
    /// Locked while the server receives a file.
    upload: Mutex<()>,
    /// For each page, the flag that stops its current request.
    asked: Mutex<HashMap<String, Weak<AtomicBool>>>,
    searches: Mutex<usize>,
    finished: Condvar,
}

/// Why the server refuses a request: status, code and reason.
struct Refused(StatusCode, &'static str, Error);

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused(StatusCode::OK, "failed", error)
    }
}

fn busy(code: &'static str, message: impl Into<String>) -> Refused {
    Refused(
        StatusCode::SERVICE_UNAVAILABLE,
        code,
        Error::msg(message.into()),
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running search.
struct RunningSearch<'a>(&'a Site);

impl Drop for RunningSearch<'_> {
    fn drop(&mut self) {
        *lock(&self.0.searches) -= 1;
        self.0.finished.notify_one();
    }
}

/// The content and the media type of a file, if it exists.
type Found = Option<(Vec<u8>, &'static str)>;

impl Site {
    /// The number of the agent that `key` identifies; loads the agent with `agent` if it is not
    /// open.
    fn number(
        &self,
        key: (&str, &[u8]),
        agent: impl FnOnce() -> Result<NamedAgent>,
    ) -> Result<u64> {
        // A JSON number is exact up to 53 bits.
        let number = self.numbers.hash_one(key) >> 11;
        if self.engine(number).is_none() {
            let agent = agent()?;
            let engine = Arc::new(Mutex::new(Engine::new(Some(agent.clone()), random_seed())));
            lock(&self.agents).push(Opened {
                number,
                agent,
                engine,
            });
            self.drop_agents();
        }
        Ok(number)
    }

    fn engine(&self, number: u64) -> Option<Arc<Mutex<Engine>>> {
        let mut agents = lock(&self.agents);
        let at = agents.iter().position(|opened| opened.number == number)?;
        agents[at..].rotate_left(1);
        agents.last().map(|opened| Arc::clone(&opened.engine))
    }

    /// Drops the least recently used agents until the limits hold. A running request keeps its
    /// agent.
    fn drop_agents(&self) {
        let mut agents = lock(&self.agents);
        let mut bytes: usize = agents.iter().map(|opened| opened.agent.bytes()).sum();
        while agents.len() > AGENTS || (bytes > AGENT_BYTES && agents.len() > 1) {
            bytes -= agents.remove(0).agent.bytes();
        }
    }

    /// Waits until another search may begin.
    fn search(&self) -> Result<RunningSearch<'_>, Refused> {
        let is_full = |searches: &mut usize| *searches >= SEARCHES;
        let waited = self
            .finished
            .wait_timeout_while(lock(&self.searches), LONGEST_WAIT, is_full);
        let (mut searches, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(busy(
                "busy",
                format!("{SEARCHES} other searches are running: try again later"),
            ));
        }
        *searches += 1;
        Ok(RunningSearch(self))
    }

    /// Answers a request to an agent, and stops the previous request of the same `page`.
    fn answer(&self, number: &str, page: String, body: &[u8]) -> Result<Value, Refused> {
        let is_replaced = Arc::new(AtomicBool::new(false));
        let mut asked = lock(&self.asked);
        asked.retain(|_, request| request.strong_count() > 0);
        if let Some(older) = asked
            .insert(page, Arc::downgrade(&is_replaced))
            .and_then(|older| older.upgrade())
        {
            older.store(true, Ordering::Relaxed);
        }
        drop(asked);
        let engine = number.parse().ok().and_then(|number| self.engine(number));
        let closed = || anyhow!("there is no agent {number}: reload the page");
        let engine = engine.ok_or_else(|| Refused(StatusCode::OK, "no-such-agent", closed()))?;
        let mut engine = lock(&engine);
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        let searches = matches!(
            request["op"].as_str(),
            Some("bestmove" | "evaluate" | "hint")
        );
        let search = searches.then(|| self.search()).transpose()?;
        let (end, stopped) = (Instant::now() + LONGEST_SEARCH, Arc::clone(&is_replaced));
        let stop = Stop::when(move || stopped.load(Ordering::Relaxed) || Instant::now() >= end);
        engine.stop_by(stop.clone());
        let answer = engine.answer(body);
        if search.is_some() {
            // The search has perhaps loaded a table.
            self.drop_agents();
        }
        match (
            stop.is_set() && searches,
            is_replaced.load(Ordering::Relaxed),
        ) {
            (true, true) => Err(busy(
                "replaced",
                "a newer request of the same page has stopped this one",
            )),
            (true, false) => Err(busy(
                "timeout",
                format!("the search took more than {} s", LONGEST_SEARCH.as_secs()),
            )),
            _ => Ok(answer),
        }
    }

    fn respond(&self, request: &mut Request<Body>) -> Response<Body> {
        let header = |name: HeaderName| request.headers().get(name).map(HeaderValue::as_bytes);
        // Refuse requests from pages of other sites, even if the host name of the page resolves to
        // this machine.
        let is_host = header(HOST)
            .is_some_and(|found| self.hosts.iter().any(|host| found == host.as_bytes()));
        let names = |found: &[u8]| {
            self.hosts
                .iter()
                .any(|host| found == format!("http://{host}").as_bytes())
        };
        let is_own = header(ORIGIN).is_none_or(names);
        let text = |text: String| (text.into_bytes(), "text/plain; charset=utf-8");
        let (status, (content, kind)) = match (is_host && is_own, request.method()) {
            (false, _) => (
                StatusCode::FORBIDDEN,
                text("the server answers only its own page".to_owned()),
            ),
            (true, &Method::GET) => match self.file(path(request)) {
                Ok(Some(found)) => (StatusCode::OK, found),
                Ok(None) => (
                    StatusCode::NOT_FOUND,
                    text("this file does not exist".to_owned()),
                ),
                Err(error) => (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    text(format!("{error:#}")),
                ),
            },
            (true, &Method::POST) => {
                let refused = |Refused(status, code, error)| {
                    (
                        status,
                        json!({"error": {"code": code, "message": format!("{error:#}")}}),
                    )
                };
                let (status, answer) = self
                    .post(request)
                    .map_or_else(refused, |answer| (StatusCode::OK, answer));
                (
                    status,
                    (answer.to_string().into_bytes(), "application/json"),
                )
            }
            _ => (
                StatusCode::METHOD_NOT_ALLOWED,
                text("only GET and POST are allowed".to_owned()),
            ),
        };
        // Later, another version of the program can use this address.
        Response::builder()
            .status(status)
            .header(CONTENT_TYPE, kind)
            .header(CACHE_CONTROL, "no-store")
            .body(Body::from(content))
            .expect("these headers are valid")
    }

    fn file(&self, path: &str) -> Result<Found> {
        let name = if path.is_empty() { "index.html" } else { path };
        if name == "bots.json" {
            return Ok(Some((
                self.listed().to_string().into_bytes(),
                "application/json",
            )));
        }
        let source = if name == "engine.js" {
            "native.js"
        } else {
            name
        };
        if let Some(content) = embedded::page(source) {
            return Ok(Some((content.to_vec(), kind(source))));
        }
        let Some((stem, ending)) = name.rsplit_once('.') else {
            return Ok(None);
        };
        let content = match ending {
            "toml" => builtin::text(stem).map(|text| text.as_bytes().to_vec()),
            BOT => self
                .folders
                .bot(stem)
                .map(|bot| bot.content().map(Cow::into_owned))
                .transpose()?,
            TABLE => {
                let read = |table: PathBuf| {
                    std::fs::read(&table).with_context(|| table.display().to_string())
                };
                self.folders.table(stem).map(read).transpose()?
            }
            _ => None,
        };
        Ok(content.map(|content| (content, kind(name))))
    }

    /// The bots and tables that the page can load, with their rules. Damaged files are skipped.
    fn listed(&self) -> Value {
        let (mut bots, mut tables) = (Vec::new(), Vec::new());
        let leave_out = |error: Error| remark_once(&format!("skipped: {error:#}"));
        for (name, source) in self.folders.bots() {
            match source.read().map(|bot| bot.manifest) {
                Ok(manifest) => bots.push(json!({
                    "name": name, "game": manifest.ruleset, "seats": manifest.seats, "levels": manifest.levels,
                })),
                Err(error) => leave_out(error.into()),
            }
        }
        for file in self.folders.tables() {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            match (TableHeader::read(&file), std::fs::metadata(&file)) {
                (Ok(header), Ok(facts)) if header.facts.is_some() => {
                    tables.push(
                        json!({"name": name, "bytes": facts.len(), "ruleset": header.ruleset}),
                    );
                }
                (Ok(_), _) => remark_once(&format!("skipped: {} is not finished", file.display())),
                (Err(error), _) => leave_out(error.into()),
            }
        }
        json!({"bots": bots, "tables": tables})
    }

    fn post(&self, request: &mut Request<Body>) -> Result<Value, Refused> {
        let query = request.uri().query().unwrap_or_default();
        let query: HashMap<String, String> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let parameter = |name: &str| query.get(name).map(String::as_str);
        match (path(request), parameter("agent"), parameter("name")) {
            ("agent", _, Some(name)) => Ok(
                json!({"agent": self.number((name, &[]), || Ok(self.folders.agent_by_name(name)?))?}),
            ),
            ("agent", _, None) => {
                let lookahead = parameter("lookahead").unwrap_or_default();
                let uploading = lock(&self.upload);
                let agent = |body: &[u8]| Ok(NamedAgent::of_file("bot", body, lookahead)?);
                let number = body(request, LONGEST_FILE)
                    .map(|body| self.number((lookahead, &body), || agent(&body)));
                drop(uploading);
                Ok(json!({"agent": number.inspect_err(|_| drop_body(request))??}))
            }
            ("engine", number, _) => {
                let body = body(request, LONGEST_REQUEST).inspect_err(|_| drop_body(request))?;
                match number {
                    None => Ok(Engine::new(None, random_seed()).answer(&body)),
                    Some(number) => self.answer(
                        number,
                        parameter("page").unwrap_or(number).to_owned(),
                        &body,
                    ),
                }
            }
            (path, ..) => Err(anyhow!("unknown address `{path}`").into()),
        }
    }
}

/// Reads the body of a request, at most `longest` bytes.
fn body(request: &mut Request<Body>, longest: usize) -> Result<Vec<u8>, Refused> {
    let too_long = || {
        let message = anyhow!("the request is longer than {longest} bytes");
        Refused(StatusCode::PAYLOAD_TOO_LARGE, "too-long", message)
    };
    let length = request.body().len().unwrap_or(0);
    if length > longest as u64 {
        return Err(too_long());
    }
    let mut body = Vec::with_capacity(length as usize);
    request
        .body_mut()
        .take(longest as u64 + 1)
        .read_to_end(&mut body)
        .context("the request is incomplete")?;
    if body.len() > longest {
        Err(too_long())
    } else {
        Ok(body)
    }
}

/// Drops the rest of the body, and closes the connection.
fn drop_body(request: &mut Request<Body>) {
    if request.body().len().is_none_or(|length| length <= DRAINED) {
        let _ = copy(&mut request.body_mut().take(DRAINED), &mut sink());
    }
    *request.body_mut() = Body::empty();
    request
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
}

/// The path of a request without its first slash.
fn path(request: &Request<Body>) -> &str {
    let path = request.uri().path();
    path.strip_prefix('/').unwrap_or(path)
}

/// The media type of a file, by the ending of its name.
fn kind(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        Some("toml") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::hosts;

    #[test]
    fn clients_leave_out_the_usual_port() {
        assert_eq!(
            hosts(80),
            ["127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"]
        );
        assert_eq!(hosts(8000), ["127.0.0.1:8000", "localhost:8000"]);
    }
}

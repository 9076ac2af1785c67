//! The page: a small HTTP server for the results file, its JSON API, and the files of the front end.
//!
//! It reads what `store` has and gives it the forms of `report`; it changes no results. `guard` says who may ask,
//! `results` keeps what tables need in memory, `api` answers, `assets` are the files that browsers load.
//!
//! What is easily got wrong: a page from anywhere may send requests to a server on this machine. That it listens on a loopback
//! address protects nothing; that the host asked for and the origin are checked does.

mod api;
mod assets;
mod guard;
mod reply;
mod report;
mod results;
pub mod tables;

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::store::StoreError;
use api::App;
use guard::Hosts;
use tables::Tables;

/// Connections at once. Browsers take six each, however many tabs they have open.
const CONNECTIONS_MAX: usize = 256;

/// A connection is closed when the head of the next request has not come within this time.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);

/// The longest head of a request.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// The longest body of a request.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// No connection lives longer: whoever does not read what was answered would hold it for ever.
const CONNECTION_AGE_MAX: Duration = Duration::from_secs(10 * 60);

/// After an error of the system, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The results are read before the first request is answered, unless that takes longer.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);

/// A server that listens, and answers nothing yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    tables: Arc<Tables>,
}

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The results file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address.
    #[error("cannot listen on {address}; {}", advice(source))]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
}

/// What to do about an address that cannot be had.
fn advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "another program has this port, choose one with --listen (port 0: any free one)"
        }
        std::io::ErrorKind::PermissionDenied => "ports below 1024 are the system's, choose a higher one with --listen",
        _ => "choose an address of this machine with --listen",
    }
}

impl Server {
    /// Opens the results file `db` and listens on `address`. Reads the results meanwhile. People play at `tables`.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn start(db: &Path, address: SocketAddr, tables: Arc<Tables>) -> Result<Server, ServeError> {
        let listen = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let app = Arc::new(App::open(db)?);
        let first = Arc::clone(&app);
        let ready = tokio::task::spawn_blocking(move || first.results.wait_until_read(FIRST_PATIENCE));
        ready.await.expect("waiting does not panic");
        Ok(Server {
            listener,
            address,
            app,
            tables,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready; then ends all tables.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let hosts = Arc::new(Hosts::of(self.address));
        let service = TowerToHyperService::new(router(self.app, Arc::clone(&self.tables), hosts));
        let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut stop = pin!(stop);
        loop {
            let accepted = async {
                let free = Arc::clone(&connections).acquire_owned().await;
                let free = free.expect("the semaphore is never closed");
                (self.listener.accept().await, free)
            };
            let (accepted, free) = tokio::select! {
                accepted = accepted => accepted,
                () = &mut stop => return self.tables.close().await,
            };
            match accepted {
                Ok((stream, _)) => {
                    let service = service.clone();
                    tokio::spawn(async move {
                        answer(stream, service).await;
                        drop(free);
                    });
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }
}

/// One connection, to its end.
async fn answer(stream: TcpStream, service: TowerToHyperService<Router>) {
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    // However it ends: whoever asked knows, and nobody else is concerned.
    let _ = tokio::time::timeout(CONNECTION_AGE_MAX, connection).await;
}

/// Everything that is answered.
fn router(app: Arc<App>, tables: Arc<Tables>, hosts: Arc<Hosts>) -> Router {
    Router::new()
        .nest("/api/v1", api::router(Arc::clone(&app)).merge(tables::router(tables)))
        .merge(report::router(app))
        .merge(assets::router())
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(hosts, guard::check))
}

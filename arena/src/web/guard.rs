//! Who may ask, and what a browser may do with the answers.
//!
//! The host that a request names must be this server: a page of another site whose name was made to lead here (DNS
//! rebinding) is refused. What changes something must come from a page of this server. No answer may be put into a frame,
//! and a page loads and runs nothing but the server's own files.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::reply::Failure;

/// A request is answered within this time, or not at all: its body may be slow in coming.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

/// What every page may do. The board is drawn in SVG, and nothing comes from elsewhere.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; \
                      base-uri 'none'; form-action 'self'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// The names that this server goes by.
#[derive(Debug)]
pub struct Hosts {
    address: SocketAddr,
    /// The machine's own name, where others may ask.
    name: Option<String>,
}

impl Hosts {
    /// Of a server that listens on `address`.
    pub fn of(address: SocketAddr) -> Hosts {
        let others = !address.ip().is_loopback();
        Hosts {
            address,
            name: others.then(crate::store::host),
        }
    }

    /// Whether `host`, as a request names it, is this server.
    fn has(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name);
        match bare.parse::<IpAddr>() {
            // Only a name can be made to lead here; an address leads where it says.
            Ok(ip) => ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified(),
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.name.as_deref().is_some_and(|own| name.eq_ignore_ascii_case(own))
            }
        }
    }
}

/// Lets a request through, or refuses it; tells the browser what it may do with the answer.
pub async fn check(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&hosts, &request) {
        Some(refusal) => refusal.into_response(),
        None => {
            let answered = tokio::time::timeout(ANSWER_PATIENCE, next.run(request)).await;
            answered.unwrap_or_else(|_| {
                Failure::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response()
            })
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A document of its own kind has brought a policy of its own.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

fn refusal(hosts: &Hosts, request: &Request) -> Option<Failure> {
    let headers = request.headers();
    let Some(host) = text(headers, header::HOST) else {
        return Some(Failure::new(StatusCode::BAD_REQUEST, "the request names no host"));
    };
    if !hosts.has(host) {
        let why = format!("this server is not `{host}`; ask for http://{}", hosts.address);
        return Some(Failure::new(StatusCode::MISDIRECTED_REQUEST, why));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let origin = text(headers, header::ORIGIN);
    if origin.and_then(|origin| origin.strip_prefix("http://")) != Some(host) {
        let why = "only a page of this server may ask for that (Origin)";
        return Some(Failure::new(StatusCode::FORBIDDEN, why));
    }
    let kind = text(headers, header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let why = format!("a body of the type `{kind}`; expected application/json");
        return Some(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    None
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    fn hosts(address: &str) -> Hosts {
        Hosts::of(address.parse().expect("an address"))
    }

    #[test]
    fn a_loopback_server_goes_by_loopback_names_with_its_port_only() {
        let hosts = hosts("127.0.0.1:8000");
        for host in [
            "127.0.0.1:8000",
            "localhost:8000",
            "LOCALHOST:8000",
            "[::1]:8000",
            "127.0.0.2:8000",
        ] {
            assert!(hosts.has(host), "{host}");
        }
        for host in [
            "evil.example:8000",
            "localhost",
            "localhost:8001",
            "localhost.evil.example:8000",
            "192.168.0.1:8000",
            "127.0.0.1.evil.example:8000",
            "[::1]",
            "",
            ":8000",
        ] {
            assert!(!hosts.has(host), "{host}");
        }
    }

    #[test]
    fn a_server_for_others_goes_by_addresses_and_the_name_of_its_machine() {
        let hosts = hosts("0.0.0.0:80");
        let own = crate::store::host();
        for host in ["192.168.0.1", "192.168.0.1:80", "[2001:db8::1]", "localhost", &own] {
            assert!(hosts.has(host), "{host}");
        }
        assert!(!hosts.has("evil.example"));
    }
}

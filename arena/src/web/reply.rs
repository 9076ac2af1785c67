//! Answers: bodies with a tag, so that what has not changed is not sent again, and failures.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A body that may have been sent before.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: Bytes,
    tag: HeaderValue,
    policy: Option<&'static str>,
}

impl Reply {
    /// JSON.
    pub fn json(value: &impl Serialize) -> Reply {
        let body = serde_json::to_vec(value).expect("what is answered has string keys only");
        Reply::new("application/json", body)
    }

    /// A body of a media type.
    pub fn new(kind: &'static str, body: impl Into<Bytes>) -> Reply {
        let body = body.into();
        let tag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..16]);
        Reply {
            status: StatusCode::OK,
            kind,
            body,
            tag: HeaderValue::try_from(tag).expect("a hash is a header's value"),
            policy: None,
        }
    }

    /// With another status.
    pub fn with_status(self, status: StatusCode) -> Reply {
        Reply { status, ..self }
    }

    /// With a policy of its own in place of that of all pages.
    pub fn with_policy(self, policy: &'static str) -> Reply {
        Reply {
            policy: Some(policy),
            ..self
        }
    }

    /// As it is sent to somebody who may have it already.
    pub fn to(&self, headers: &HeaderMap) -> Response {
        let known = headers.get_all(header::IF_NONE_MATCH).iter();
        let mut known = known
            .filter_map(|tags| tags.to_str().ok())
            .flat_map(|tags| tags.split(','));
        let same = |tag: &str| tag.trim().trim_start_matches("W/").as_bytes() == self.tag.as_bytes();
        let mut response = if self.status == StatusCode::OK && known.any(same) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            (self.status, Body::from(self.body.clone())).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        // May be kept, and must be asked for again each time.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Some(policy) = self.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        }
        response
    }
}

/// A request that is not answered as it wished.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    error: String,
}

impl Failure {
    /// With what to tell.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Failure {
        Failure {
            status,
            error: error.into(),
        }
    }

    /// What must not happen.
    pub fn bug() -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug of the arena")
    }

    /// There is no such thing.
    pub fn not_found(what: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, what)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = serde_json::json!({"error": self.error}).to_string();
        let headers = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        (self.status, headers, body).into_response()
    }
}

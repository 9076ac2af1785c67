//! The NATS server: where it is, how one gets in, what is kept there under which names.
//!
//! Streams are made by whoever comes first, always alike. Every operation can fail at any time, as servers are started
//! again and networks go away; callers try again.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{GetErrorKind, ObjectStore};
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use bytes::Bytes;
use futures_util::TryStreamExt;
use tokio::io::AsyncReadExt;

use super::wire::Descriptor;

/// Plans that are being played: the newest descriptor of each.
const PLANS: &str = "arena-plans";

/// Batches to be played; what a worker has acknowledged is gone.
const WORK: &str = "arena-work";

/// What has become of them; what a coordinator has acknowledged is gone.
const RESULTS: &str = "arena-results";

/// Bots' archives, and results that are too large for a message.
const FILES: &str = "arena-files";

/// In the head of a message: what it would say is in the file of this name.
const IN_FILE: &str = "Arena-File";

/// Results that no coordinator has asked for so long are dropped; the matches will be played again.
const RESULTS_AGE: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Longer than any answer takes.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Longer than any file takes to be written or read.
const FILE_MAX: Duration = Duration::from_secs(60);

/// How often streams are tried to be made again.
const MAKING_AGAIN: u32 = 3;

/// So long it is waited before that.
const BETWEEN_MAKING: Duration = Duration::from_millis(100);

/// A server, and how one gets in.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// `nats://[USER:PASSWORD@]HOST[:PORT]`, or `tls://...`.
    pub url: String,
    /// A name and the file that holds its password.
    pub user: Option<(String, PathBuf)>,
    /// The file that holds a token.
    pub token: Option<PathBuf>,
    /// The file that holds the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// A file of credentials, as NATS tools write it.
    pub credentials: Option<PathBuf>,
    /// The certificates of those who may vouch for the server.
    pub tls_ca: Option<PathBuf>,
    /// The client's own certificate and its key.
    pub tls_identity: Option<(PathBuf, PathBuf)>,
}

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is none.
    #[error("`{url}` is no address of a NATS server: {problem}; expected nats://HOST[:PORT]")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// A file of credentials cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Nobody answers.
    #[error("cannot reach the NATS server `{url}`: {problem}\n  start one with `nats-server -js`, or name another")]
    Unreachable {
        /// The address.
        url: String,
        /// What happened.
        problem: String,
    },
    /// It does not let in.
    #[error(
        "the NATS server `{url}` refuses these credentials: they are wrong, or there are none\n  give --user with --password-file, --token-file, --nkey or --creds"
    )]
    Refused {
        /// The address.
        url: String,
    },
    /// It has no JetStream, or does not let it be used.
    #[error(
        "the NATS server `{url}` does not keep streams: {problem}\n  start it with JetStream (`nats-server -js`), and let this user use it"
    )]
    NoStreams {
        /// The address.
        url: String,
        /// What happened.
        problem: String,
    },
}

impl Access {
    /// The address as it may be shown: without a password.
    pub fn shown(&self) -> String {
        match self.url.rsplit_once('@') {
            Some((before, host)) => {
                let scheme = before.split_once("://").map_or("nats", |(scheme, _)| scheme);
                format!("{scheme}://{host}")
            }
            None => self.url.clone(),
        }
    }

    /// Whether nothing says who one is.
    pub fn is_anonymous(&self) -> bool {
        self.user.is_none()
            && self.token.is_none()
            && self.nkey.is_none()
            && self.credentials.is_none()
            && self.tls_identity.is_none()
            && !self.url.contains('@')
    }

    /// Whether the server is on this machine.
    ///
    /// # Errors
    /// [`ServerError::Address`].
    pub fn is_loopback(&self) -> Result<bool, ServerError> {
        self.address().map(|address| is_loopback(address.host()))
    }

    fn address(&self) -> Result<ServerAddr, ServerError> {
        self.url.parse().map_err(|error: std::io::Error| ServerError::Address {
            url: self.shown(),
            problem: error.to_string(),
        })
    }

    /// Connects under `name`. The connection is made again whenever it breaks.
    ///
    /// # Errors
    /// [`ServerError`], when it cannot be made the first time.
    pub async fn connect(&self, name: &str) -> Result<Server, ServerError> {
        let address = self.address()?;
        let mut options = self.options()?;
        if let Some(user) = address.username() {
            options = match address.password() {
                Some(password) => options.user_and_password(user.to_owned(), password.to_owned()),
                // As NATS's own tools take it.
                None => options.token(user.to_owned()),
            };
        }
        let options = options
            .name(name)
            .request_timeout(Some(ANSWER_MAX))
            .ping_interval(Duration::from_secs(10))
            .reconnect_delay_callback(|attempts| Duration::from_millis(100 * attempts.min(20) as u64));
        let client = options.connect(address).await.map_err(|error| match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                ServerError::Refused { url: self.shown() }
            }
            _ => ServerError::Unreachable {
                url: self.shown(),
                problem: error.to_string(),
            },
        })?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER_MAX);
        let server = Server { client, context };
        server.make_streams().await.map_err(|problem| ServerError::NoStreams {
            url: self.shown(),
            problem,
        })?;
        Ok(server)
    }

    fn options(&self) -> Result<ConnectOptions, ServerError> {
        let read = |path: &PathBuf| {
            let text = std::fs::read_to_string(path);
            text.map(|text| text.trim().to_owned())
                .map_err(|error| ServerError::File {
                    path: path.clone(),
                    error,
                })
        };
        let mut options = ConnectOptions::new();
        if let Some((user, file)) = &self.user {
            options = options.user_and_password(user.clone(), read(file)?);
        }
        if let Some(file) = &self.token {
            options = options.token(read(file)?);
        }
        if let Some(file) = &self.nkey {
            options = options.nkey(read(file)?);
        }
        if let Some(file) = &self.credentials {
            options = options.credentials(&read(file)?).map_err(|error| ServerError::File {
                path: file.clone(),
                error,
            })?;
        }
        if let Some(file) = &self.tls_ca {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.tls_identity {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options)
    }
}

/// Whether a host's name is this machine for everybody.
pub fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// A connection to a server.
#[derive(Clone, Debug)]
pub struct Server {
    pub client: Client,
    pub context: Context,
}

/// What went wrong on the server, in words. It is tried again.
pub type Trouble = String;

fn trouble(error: impl std::fmt::Display) -> Trouble {
    error.to_string()
}

/// The subject of a plan's descriptor.
pub fn plan_subject(plan: &str) -> String {
    format!("arena.plan.{plan}")
}

/// The subject of a batch.
pub fn work_subject(plan: &str, issue: u64) -> String {
    format!("arena.work.{plan}.{issue}")
}

/// The subject of a plan's results.
pub fn result_subject(plan: &str) -> String {
    format!("arena.result.{plan}")
}

/// Where workers say that they have begun on a batch. Kept nowhere.
pub fn claim_subject(plan: &str) -> String {
    format!("arena.claim.{plan}")
}

/// Where a worker reports. Kept nowhere.
pub fn worker_subject(worker: &str) -> String {
    format!("arena.worker.{worker}")
}

/// Where a coordinator reports. Kept nowhere.
pub fn run_subject(plan: &str) -> String {
    format!("arena.run.{plan}")
}

impl Server {
    /// Whether the connection stands at this moment.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// Makes the streams that are not there.
    pub async fn make_streams(&self) -> Result<(), Trouble> {
        let mut made = self.make_missing_streams().await;
        // Two who make the same stream at once may be told that the other's is in the way: it is there a moment later.
        for _ in 0..MAKING_AGAIN {
            if made.is_ok() || !self.is_connected() {
                break;
            }
            tokio::time::sleep(BETWEEN_MAKING).await;
            made = self.make_missing_streams().await;
        }
        made
    }

    async fn make_missing_streams(&self) -> Result<(), Trouble> {
        let plans = Config {
            name: PLANS.to_owned(),
            subjects: vec![plan_subject("*")],
            max_messages_per_subject: 1,
            ..Config::default()
        };
        let work = Config {
            name: WORK.to_owned(),
            subjects: vec!["arena.work.>".to_owned()],
            retention: RetentionPolicy::WorkQueue,
            ..Config::default()
        };
        let results = Config {
            name: RESULTS.to_owned(),
            subjects: vec![result_subject("*")],
            retention: RetentionPolicy::WorkQueue,
            max_age: RESULTS_AGE,
            ..Config::default()
        };
        for config in [plans, work, results] {
            self.context.get_or_create_stream(config).await.map_err(trouble)?;
        }
        self.files().await.map(drop)
    }

    async fn stream(&self, name: &str) -> Result<Stream<()>, Trouble> {
        self.context.get_stream_no_info(name).await.map_err(trouble)
    }

    /// Publishes to a stream, and waits until the server has it.
    pub async fn publish(&self, subject: String, payload: Bytes) -> Result<(), Trouble> {
        self.publish_message(subject, PublishMessage::build().payload(payload))
            .await
    }

    async fn publish_message(&self, subject: String, message: PublishMessage) -> Result<(), Trouble> {
        // The client itself waits for a server that is away much longer.
        within(ANSWER_MAX, async {
            let acknowledged = self.context.send_publish(subject, message).await.map_err(trouble)?;
            acknowledged.await.map(drop).map_err(trouble)
        })
        .await
    }

    /// Publishes results, and waits until the server has them.
    pub async fn publish_results(&self, plan: &str, bytes: Bytes) -> Result<(), Trouble> {
        if bytes.len() <= self.client.max_payload() {
            return self.publish(result_subject(plan), bytes).await;
        }
        let name = blake3::hash(&bytes).to_hex().to_string();
        within(FILE_MAX, async {
            let files = self.files().await?;
            files.put(&*name, &mut &*bytes).await.map(drop).map_err(trouble)
        })
        .await?;
        let message = PublishMessage::build().header(IN_FILE, name);
        self.publish_message(result_subject(plan), message).await
    }

    /// What a message of results says, wherever that is; `None` where it is in a file that is gone.
    pub async fn read_results(&self, message: &Message) -> Result<Option<Bytes>, Trouble> {
        let Some(name) = in_file(message) else {
            return Ok(Some(message.payload.clone()));
        };
        within(FILE_MAX, async {
            let mut file = match self.files().await?.get(name).await {
                Ok(file) => file,
                Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(trouble(error)),
            };
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).await.map_err(trouble)?;
            Ok(Some(bytes.into()))
        })
        .await
    }

    /// A message of results is not needed any more. What is lost of that comes again, and is known then.
    pub async fn acknowledge_results(&self, message: &Message) {
        let _ = message.ack().await;
        if let Some(name) = in_file(message)
            && let Ok(files) = self.files().await
        {
            let _ = files.delete(name).await;
        }
    }

    /// Tells whoever listens now.
    pub async fn tell(&self, subject: String, payload: impl Into<Bytes>) {
        // Who misses it hears the next one.
        let _ = self.client.publish(subject, payload.into()).await;
    }

    /// The files that are kept.
    pub async fn files(&self) -> Result<ObjectStore, Trouble> {
        if let Ok(files) = self.context.get_object_store(FILES).await {
            return Ok(files);
        }
        let config = jetstream::object_store::Config {
            bucket: FILES.to_owned(),
            ..Default::default()
        };
        self.context.create_object_store(config).await.map_err(trouble)
    }

    /// The descriptors of all plans, by id.
    pub async fn plans(&self) -> Result<Vec<(String, Descriptor)>, Trouble> {
        let stream = self.stream(PLANS).await?;
        let mut plans = Vec::new();
        for subject in subjects(&stream, &plan_subject("*")).await? {
            let Some(id) = subject.rsplit('.').next() else { continue };
            // One that was withdrawn meanwhile, or is of another version of the arena, is none.
            if let Some(descriptor) = self.plan(id).await? {
                plans.push((id.to_owned(), descriptor));
            }
        }
        Ok(plans)
    }

    /// The descriptor of a plan, while it is played.
    pub async fn plan(&self, id: &str) -> Result<Option<Descriptor>, Trouble> {
        let stream = self.stream(PLANS).await?;
        match stream.get_last_raw_message_by_subject(&plan_subject(id)).await {
            Ok(message) => Ok(serde_json::from_slice(&message.payload).ok()),
            Err(error) if error.kind() == jetstream::stream::LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(trouble(error)),
        }
    }

    /// Takes a plan's descriptor away: workers leave it.
    pub async fn withdraw(&self, id: &str) -> Result<(), Trouble> {
        let purge = self.stream(PLANS).await?.purge().filter(plan_subject(id)).await;
        purge.map(drop).map_err(trouble)
    }

    /// The issues of a plan that are to be played, or are being played.
    pub async fn issues(&self, plan: &str) -> Result<Vec<u64>, Trouble> {
        let stream = self.stream(WORK).await?;
        let subjects = subjects(&stream, &format!("arena.work.{plan}.*")).await?;
        let numbers = subjects
            .iter()
            .filter_map(|subject| subject.rsplit('.').next()?.parse().ok());
        Ok(numbers.collect())
    }

    /// What an issue is, while it is there.
    pub async fn work(&self, plan: &str, issue: u64) -> Result<Option<Bytes>, Trouble> {
        let stream = self.stream(WORK).await?;
        match stream.get_last_raw_message_by_subject(&work_subject(plan, issue)).await {
            Ok(message) => Ok(Some(message.payload)),
            Err(error) if error.kind() == jetstream::stream::LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(trouble(error)),
        }
    }

    /// Takes work away: one issue, or all of a plan.
    pub async fn take_back(&self, plan: &str, issue: Option<u64>) -> Result<(), Trouble> {
        let issues = match issue {
            Some(issue) => vec![issue],
            None => self.issues(plan).await?,
        };
        let stream = self.stream(WORK).await?;
        for issue in issues {
            delete_last(&stream, &work_subject(plan, issue)).await?;
        }
        Ok(())
    }

    /// Takes all results of a plan away.
    pub async fn drop_results(&self, plan: &str) -> Result<(), Trouble> {
        let stream = self.stream(RESULTS).await?;
        while delete_last(&stream, &result_subject(plan)).await? {}
        Ok(())
    }

    /// Makes the consumer that hands out a plan's work, where it is not there yet.
    pub async fn make_work_consumer(&self, plan: &str, lease: Duration) -> Result<(), Trouble> {
        let config = pull::Config {
            durable_name: Some(plan.to_owned()),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            filter_subject: format!("arena.work.{plan}.*"),
            max_ack_pending: 1_000_000,
            max_waiting: 10_000,
            ..Default::default()
        };
        let made = self.stream(WORK).await?.create_consumer(config).await;
        made.map(drop).map_err(trouble)
    }

    /// The consumer that hands out a plan's work.
    pub async fn work_consumer(&self, plan: &str) -> Result<Consumer<pull::Config>, Trouble> {
        let stream = self.stream(WORK).await?;
        stream.get_consumer(plan).await.map_err(trouble)
    }

    /// The consumer of a plan's results, made where it is not there yet.
    pub async fn result_consumer(&self, plan: &str, ack_wait: Duration) -> Result<Consumer<pull::Config>, Trouble> {
        let config = pull::Config {
            durable_name: Some(plan.to_owned()),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            filter_subject: result_subject(plan),
            max_ack_pending: 10_000,
            ..Default::default()
        };
        self.stream(RESULTS)
            .await?
            .create_consumer(config)
            .await
            .map_err(trouble)
    }

    /// Takes the consumer of a plan's results away; what it had delivered and nobody acknowledged is delivered anew.
    pub async fn drop_result_consumer(&self, plan: &str) {
        if let Ok(stream) = self.stream(RESULTS).await {
            // One that is not there is gone as well.
            let _ = stream.delete_consumer(plan).await;
        }
    }

    /// Takes both consumers of a plan away.
    pub async fn drop_consumers(&self, plan: &str) {
        for name in [WORK, RESULTS] {
            if let Ok(stream) = self.stream(name).await {
                // One that is not there is gone as well.
                let _ = stream.delete_consumer(plan).await;
            }
        }
    }
}

/// The file that says what the message would.
fn in_file(message: &Message) -> Option<&str> {
    Some(message.headers.as_ref()?.get(IN_FILE)?.as_str())
}

async fn within<T>(most: Duration, what: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    tokio::time::timeout(most, what)
        .await
        .unwrap_or_else(|_| Err("no answer".to_owned()))
}

/// Deletes the last message of a subject; `false` where there is none. To purge a subject is no way to do it: consumers of
/// server 2.9 then pass over messages of other subjects.
async fn delete_last(stream: &Stream<()>, subject: &str) -> Result<bool, Trouble> {
    match stream.get_last_raw_message_by_subject(subject).await {
        // It may have been acknowledged meanwhile.
        Ok(message) => Ok(stream.delete_message(message.sequence).await.is_ok()),
        Err(error) if error.kind() == jetstream::stream::LastRawMessageErrorKind::NoMessageFound => Ok(false),
        Err(error) => Err(trouble(error)),
    }
}

async fn subjects(stream: &Stream<()>, filter: &str) -> Result<Vec<String>, Trouble> {
    let found = stream.info_with_subjects(filter).await.map_err(trouble)?;
    let found: Vec<(String, usize)> = found.try_collect().await.map_err(trouble)?;
    Ok(found.into_iter().map(|(subject, _)| subject).collect())
}

//! Sessions on a Redis server: their disclosures, and the parameters of `initialize`.

use super::{
    RedisUrlError,
    connection::{ConnectionPurpose, RedisConnection},
    session_owners::{OwnedSession, SessionCaps},
};
use crate::{
    http_sessions::{SEALED_ID_LIFE, ended_mark, is_ended_mark},
    policy::disclosure_store::{
        DisclosureStore, DisclosureStoreError, disclosure_record::DisclosureRecord,
        session_key::SessionKey,
    },
    text::unix_time,
};
use futures::{FutureExt, future::BoxFuture};
use redis::{Client, Pipeline};
use rmcp::transport::streamable_http_server::session::{
    self as rmcp_session, SessionState, SessionStoreError,
};
use std::{fmt, sync::Arc, time::Duration};

const SESSIONS: ConnectionPurpose = ConnectionPurpose {
    answer: Duration::from_millis(200),
    is_bulky: false,
    shared: "their sessions",
    meanwhile: "each replica uses its own memory of sessions",
};
/// The number of disclosures that are kept of one session, as in a replica's own memory. The oldest
/// are dropped first.
const DISCLOSED_MAX: isize = 4_096;
/// The largest size of stored `initialize` parameters. Clients send some hundred bytes. A client
/// that sends more still has a session, but after an outage another replica does not know the
/// client's capabilities.
const OPENED_MAX: usize = 16 * 1024;

/// Stores sessions on a Redis server. Give the store to
/// [`disclosure_store`](crate::ServerBuilder::disclosure_store) and to
/// [`HttpOptions::session_store`](crate::serve::HttpOptions::session_store) of each replica, and
/// set the same [`ticket_key`](crate::ServerBuilder::ticket_key).
///
/// ```no_run
/// # use pd_runtime::{prelude::*, redis::SessionStore, serve::{Http, HttpOptions}};
/// # use std::{error::Error, sync::Arc};
/// # async fn run(registry: Registry<()>, key: [u8; 32]) -> Result<(), Box<dyn Error>> {
/// let store = Arc::new(SessionStore::connect("redis://10.0.0.7/")?);
/// let server = PdServer::builder(registry, ())
///     .ticket_key(key)
///     .disclosure_store(store.clone())
///     .build()?;
/// let options = HttpOptions::new().session_store(store);
/// Http::bind("0.0.0.0:8000").await?.serve(&server, options).await?;
/// # Ok(())
/// # }
/// ```
///
/// A server starts without waiting for Redis. A call waits at most 200 ms for an answer. After
/// that, or when the connection breaks, Redis counts as down, and no call waits until Redis has
/// answered again; the store tries at least every 400 ms. In the meantime each replica uses its own
/// memory. A replica may then refuse a call with the tool's description, which admits the next
/// call.
///
/// Each operation is one round trip; opening a session takes two. A session's key (a hash of its id
/// and its opener, see [`SessionKey`]) has two entries: `{KEY}:given`, a sorted set of at most
/// 4,096 disclosures of 24 bytes, and `{KEY}:opened`, the parameters of `initialize` as JSON, at
/// most 16 KiB. A larger entry is not read. Both expire when the session has been idle for
/// [`with_idle`](Self::with_idle).
///
/// An owner's key (a hash of the principal, or `nobody`) has two sorted sets. `{OWNER}:sessions`
/// contains the keys of the owner's sessions. `{OWNER}:ended` contains the keys of sessions that
/// their client ended, for a day: as long as a session's id alone can open it again. One principal
/// has at most [`with_max_sessions_per_principal`](Self::with_max_sessions_per_principal) sessions
/// and 10,000 marks of ended sessions; the longest idle sessions and the oldest marks are dropped
/// first.
///
/// `rediss://` needs TLS, which your own `Cargo.toml` enables: a feature of the crate `redis`, and
/// exactly one cryptography provider in rustls. The connection trusts the system's certificates, or
/// those in the file that `SSL_CERT_FILE` names.
///
/// ```toml
/// redis = { version = "1", features = ["tokio-rustls-comp"] }
/// rustls = { version = "0.23", default-features = false, features = ["ring", "std", "tls12"] }
/// ```
///
/// With the feature `jwks`, which includes `aws-lc-rs`, the first line is enough. With both lines,
/// rustls could not choose between two providers.
#[derive(Clone)]
pub struct SessionStore {
    connection: Arc<RedisConnection>,
    prefix: String,
    idle: Duration,
    caps: SessionCaps,
}

impl fmt::Debug for SessionStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionStore")
            .field("prefix", &self.prefix)
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}

impl SessionStore {
    /// Creates a store on the server at this URL, `redis://:PASSWORD@HOST:PORT/DATABASE` or
    /// `unix:PATH`. The store connects when it is first used.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not valid.
    pub fn connect(url: &str) -> Result<Self, RedisUrlError> {
        Client::open(url)
            .map(Self::from_client)
            .map_err(RedisUrlError)
    }

    /// Connects now instead of with the first session, so that the log reports an unreachable
    /// server at once.
    #[cfg(feature = "cli")]
    pub(crate) fn connect_early(&self) {
        self.connection.keep_trying();
    }

    fn from_client(client: Client) -> Self {
        let prefix = "pd:".to_owned();
        let idle = Duration::from_secs(60 * 60);
        let caps = SessionCaps::default();
        Self {
            connection: RedisConnection::new(client, SESSIONS),
            prefix,
            idle,
            caps,
        }
    }

    /// Sets the prefix of all keys, so that several kinds of servers can share a database; `pd:` by
    /// default.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets how long an idle session is kept: the value of
    /// [`HttpOptions::session_idle`](crate::serve::HttpOptions::session_idle). One hour by default.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Sets the number of stored sessions of one principal, at least 1; 256 by default. A new
    /// session replaces the entries of the longest idle one. The replaced session goes on at
    /// replicas that know it. At other replicas it goes on without its disclosures.
    ///
    /// If the sessions of a principal are spread over replicas that do not see each other's
    /// requests, set the limit to the number of replicas times
    /// [`max_sessions_per_principal`](crate::serve::HttpOptions::max_sessions_per_principal).
    #[must_use]
    pub fn with_max_sessions_per_principal(mut self, sessions: usize) -> Self {
        self.caps.per_principal = sessions;
        self
    }

    /// Sets the number of stored sessions of all unauthenticated callers together, at least 1;
    /// 20,000 by default. A new session replaces the entries of the longest idle one.
    #[must_use]
    pub fn with_max_anonymous_sessions(mut self, sessions: usize) -> Self {
        self.caps.anonymous = sessions;
        self
    }

    /// The key of a session's disclosures. The braces are a hash tag: a cluster keeps both entries
    /// of a session on one node.
    fn disclosed_key(&self, session: impl fmt::Display) -> String {
        format!("{}{{{session}}}:given", self.prefix)
    }

    fn opened_key(&self, session: impl fmt::Display) -> String {
        format!("{}{{{session}}}:opened", self.prefix)
    }

    fn idle_ms(&self) -> u64 {
        // `PEXPIRE` takes a positive signed integer; zero would delete the key at once.
        u64::try_from(self.idle.as_millis())
            .unwrap_or(u64::MAX)
            .clamp(1, i64::MAX as u64)
    }

    /// Extends the life of both entries.
    fn touch(&self, commands: &mut Pipeline, session: impl fmt::Display) {
        for key in [self.disclosed_key(&session), self.opened_key(&session)] {
            commands
                .cmd("PEXPIRE")
                .arg(key)
                .arg(self.idle_ms())
                .ignore();
        }
    }

    fn delete_entries(&self, commands: &mut Pipeline, session: &str) {
        commands
            .cmd("DEL")
            .arg(self.disclosed_key(session))
            .arg(self.opened_key(session))
            .ignore();
    }

    async fn add_disclosures(
        &self,
        session: &SessionKey,
        disclosed: &[DisclosureRecord],
    ) -> redis::RedisResult<()> {
        if disclosed.is_empty() {
            return Ok(());
        }
        let key = self.disclosed_key(session);
        let now = now_ms();
        let mut commands = redis::pipe();
        // `NX` keeps the score of a known disclosure: repeated ones do not count as new.
        let zadd = commands.atomic().cmd("ZADD").arg(&key).arg("NX");
        for one in disclosed {
            zadd.arg(now).arg(one.to_bytes().as_slice());
        }
        zadd.ignore();
        // Scores are times, so the lowest ranks are the oldest disclosures.
        commands
            .cmd("ZREMRANGEBYRANK")
            .arg(&key)
            .arg(0)
            .arg(-1 - DISCLOSED_MAX)
            .ignore();
        self.touch(&mut commands, session);
        self.connection.query(&commands).await
    }

    async fn disclosures(&self, session: &SessionKey) -> redis::RedisResult<Vec<DisclosureRecord>> {
        let mut commands = redis::pipe();
        // At most as many as this server writes, even if another program wrote more.
        commands
            .cmd("ZRANGE")
            .arg(self.disclosed_key(session))
            .arg(-DISCLOSED_MAX)
            .arg(-1);
        self.touch(&mut commands, session);
        let (disclosed,): (Vec<Vec<u8>>,) = self.connection.query(&commands).await?;
        // Members of another size were written by another program, and are ignored.
        Ok(disclosed
            .into_iter()
            .filter_map(|bytes| bytes.try_into().ok())
            .map(DisclosureRecord::from_bytes)
            .collect())
    }
}

impl DisclosureStore for SessionStore {
    fn record<'a>(
        &'a self,
        session: &'a SessionKey,
        disclosed: &'a [DisclosureRecord],
    ) -> BoxFuture<'a, Result<(), DisclosureStoreError>> {
        self.add_disclosures(session, disclosed)
            .map(|added| added.map_err(store_error))
            .boxed()
    }

    fn given<'a>(
        &'a self,
        session: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<DisclosureRecord>, DisclosureStoreError>> {
        self.disclosures(session)
            .map(|disclosed| disclosed.map_err(store_error))
            .boxed()
    }
}

/// The session names of [`HttpOptions::session_store`](crate::serve::HttpOptions::session_store): a
/// [`SessionKey`] in hexadecimal, and the principal's digits.
#[async_trait::async_trait]
impl rmcp_session::SessionStore for SessionStore {
    async fn load(&self, session: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let session = OwnedSession::parse(session);
        let now = now_ms();
        let mut commands = redis::pipe();
        // Reads one byte more than is ever stored, which shows that an entry is too large without
        // reading all of it.
        commands
            .cmd("GETRANGE")
            .arg(self.opened_key(session.key))
            .arg(0)
            .arg(OPENED_MAX);
        self.touch(&mut commands, session.key);
        session.touch_and_query_end(&mut commands, &self.prefix, now, self.idle_ms());
        let (opened, ended): (Vec<u8>, Option<f64>) = self.connection.query(&commands).await?;
        // An expired mark may still be in the set: Redis removes members only when this server
        // does.
        if ended.is_some_and(|ended| ended > now as f64) {
            return Ok(Some(ended_mark()));
        }
        match opened.len() {
            0 => Ok(None),
            1..=OPENED_MAX => Ok(Some(serde_json::from_slice(&opened)?)),
            _ => Err(format!(
                "a stored session has more than {OPENED_MAX} bytes, so it is not read"
            )
            .into()),
        }
    }

    async fn store(&self, session: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let session = OwnedSession::parse(session);
        if is_ended_mark(state) {
            let marking = session.mark_ended(&self.prefix, now_ms(), SEALED_ID_LIFE);
            return Ok(self.connection.query(&marking).await?);
        }
        let opened = serde_json::to_vec(state)?;
        if opened.len() > OPENED_MAX {
            return Err(format!(
                "the parameters of `initialize` have {} bytes, at most {OPENED_MAX} are kept",
                opened.len()
            )
            .into());
        }
        // The index comes first. If the second round trip fails, the index names a session without
        // entries, and evicted entries stay until they expire. Both are harmless.
        let opening = session.open(&self.prefix, self.caps, now_ms(), self.idle_ms());
        let (evicted,): (Vec<String>,) = self.connection.query(&opening).await?;
        let mut commands = redis::pipe();
        evicted
            .iter()
            .for_each(|evicted| self.delete_entries(&mut commands, evicted));
        commands
            .cmd("SET")
            .arg(self.opened_key(session.key))
            .arg(opened)
            .arg("PX")
            .arg(self.idle_ms())
            .ignore();
        Ok(self.connection.query(&commands).await?)
    }

    async fn delete(&self, session: &str) -> Result<(), SessionStoreError> {
        let session = OwnedSession::parse(session);
        let mut commands = redis::pipe();
        self.delete_entries(&mut commands, session.key);
        session.remove(&mut commands, &self.prefix);
        Ok(self.connection.query(&commands).await?)
    }
}

fn store_error(error: redis::RedisError) -> DisclosureStoreError {
    DisclosureStoreError(error.to_string())
}

fn now_ms() -> u64 {
    let now = unix_time::since_1970();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

//! What models do not see of results, on a Redis server that replicas share. Each step is one script, so that no two
//! readers are between two steps.

use super::{
    RedisUrlError,
    connection::{ConnectionPurpose, RedisConnection},
};
use crate::{
    digest::hex::Hex,
    selective::{
        data_plane::{
            self, Lease, LeaseAction, ResultKey, ResultStoreError, StoredBody, StoredResult,
            TakeOutcome,
        },
        table::Table,
    },
};

use futures::{FutureExt, future::BoxFuture};
use redis::{Client, Cmd, FromRedisValue, Pipeline};
use std::{fmt, sync::Arc, time::Duration};

const KEEP_SCRIPT: &str = concat!(
    include_str!("result_store/account.lua"),
    include_str!("result_store/keep.lua")
);
const TAKE_SCRIPT: &str = concat!(
    include_str!("result_store/account.lua"),
    include_str!("result_store/take.lua")
);
const READ_SCRIPT: &str = concat!(
    include_str!("result_store/account.lua"),
    include_str!("result_store/read.lua")
);
const STEP_SCRIPT: &str = concat!(
    include_str!("result_store/account.lua"),
    include_str!("result_store/step.lua")
);

const RESULTS: ConnectionPurpose = ConnectionPurpose {
    // The body of one call may have megabytes.
    answer: Duration::from_secs(2),
    is_bulky: true,
    shared: "withheld results",
    meanwhile: "rows can neither be stored nor fetched, and large results are shown whole",
};

/// Stores withheld rows and large results on a Redis server, so that any replica can serve them, and
/// so that they survive a restart of the servers. Give the store to
/// [`DataPlane::store`](crate::selective::data_plane::DataPlane::store).
///
/// ```no_run
/// # use pd_runtime::{prelude::*, redis::ResultStore, selective::data_plane::DataPlane};
/// # use std::sync::Arc;
/// # fn run(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let bodies = Arc::new(ResultStore::connect("redis://10.0.0.7/")?);
/// let plane = DataPlane::default().store(bodies).public_url("https://data.example.com");
/// let server = PdServer::builder(registry, ()).data_plane(plane).build()?;
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
///
/// The store waits at most 2 seconds for an answer. While Redis is down, rows can neither be stored
/// (the model is asked to use `mode`: `sync`) nor fetched (status 503), large results are shown
/// whole, and no call waits. Redis contains rows and texts unencrypted, under the hash of a token or
/// a handle: keep it on a private network, with a password. A cluster stores all of them on one node.
///
/// It needs Redis 5 or later and the eviction policy `noeviction` (the default), because evicted
/// bodies are lost before their time. Redis needs memory for all waiting bodies
/// ([`DataPlane::max_bytes`](crate::selective::data_plane::DataPlane::max_bytes)), and about as
/// much again for transfers in progress, below `maxmemory`.
///
/// Rows are given out once as long as Redis loses nothing that it has confirmed. After a crash,
/// Redis has the data that it last wrote to disk. A snapshot restores rows that were read after it
/// was made, and so does an append-only file that is not written at once. To prevent this, set
/// `appendfsync always`, or disable persistence (`save ""`, `appendonly no`): waiting rows are then
/// lost in a crash. A replica that takes over may also lack the last steps, because Redis
/// replicates without waiting. Rows that were read just before can then be read again until they
/// expire.
#[derive(Clone)]
pub struct ResultStore {
    connection: Arc<RedisConnection>,
    prefix: String,
}

impl fmt::Debug for ResultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl ResultStore {
    /// Creates a store on the server at this URL, as for
    /// [`SessionStore::connect`](super::SessionStore::connect).
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not valid.
    pub fn connect(url: &str) -> Result<Self, RedisUrlError> {
        Client::open(url)
            .map(Self::from_client)
            .map_err(RedisUrlError)
    }

    fn from_client(client: Client) -> Self {
        Self {
            connection: RedisConnection::new(client, RESULTS),
            prefix: "pd:".to_owned(),
        }
    }

    /// Sets the prefix of all keys, so that several kinds of servers can share a database; `pd:` by
    /// default.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The braces are a hash tag: a cluster keeps all rows and their accounting on one node, as
    /// scripts require.
    fn key(&self, name: impl fmt::Display) -> String {
        format!("{}{{bodies}}:{name}", self.prefix)
    }

    /// Returns the command for a script on one body, with the keys that the script may use.
    fn script(&self, script: &str, key: ResultKey) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command
            .arg(script)
            .arg(3)
            .arg(self.key(key))
            .arg(self.key("all"))
            .arg(self.key("used"));
        command
    }

    async fn run<T: FromRedisValue>(&self, command: Cmd) -> Result<T, ResultStoreError> {
        let mut commands = Pipeline::new();
        commands.add_command(command);
        let (answer,) = self
            .connection
            .query::<(T,)>(&commands)
            .await
            .map_err(|error| store_error(&error))?;
        Ok(answer)
    }
}

impl data_plane::ResultStore for ResultStore {
    fn keep(
        &self,
        key: ResultKey,
        body: StoredResult,
    ) -> BoxFuture<'_, Result<(), ResultStoreError>> {
        let mut keep = self.script(KEEP_SCRIPT, key);
        let payer = Hex(&body.payer).to_string();
        let room = body.quota;
        // The name contains the size and the payer, so that any script can return the quota when it
        // drops the body.
        let name = format!("{key} {} {payer}", body.bytes);
        let kind = match &body.body {
            StoredBody::Rows(table) => {
                keep.arg(table.to_bytes());
                "rows"
            }
            StoredBody::Text(text) => {
                keep.arg(&**text);
                "text"
            }
        };
        keep.arg(millis(body.ttl))
            .arg(body.bytes)
            .arg(payer)
            .arg(name);
        keep.arg(room.bytes)
            .arg(room.bodies)
            .arg(room.bytes_each)
            .arg(room.bodies_each)
            .arg(kind);
        async move {
            match self.run::<String>(keep).await?.as_str() {
                "full" => Err(ResultStoreError::Full),
                "own" => Err(ResultStoreError::OwnShare),
                _ => Ok(()),
            }
        }
        .boxed()
    }

    fn read(
        &self,
        key: ResultKey,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Option<Arc<str>>, ResultStoreError>> {
        let mut read = self.script(READ_SCRIPT, key);
        read.arg(millis(ttl));
        async move {
            let text: Option<String> = self.run(read).await?;
            Ok(text.map(Arc::from))
        }
        .boxed()
    }

    fn take(
        &self,
        key: ResultKey,
        lease: Lease,
    ) -> BoxFuture<'_, Result<TakeOutcome, ResultStoreError>> {
        let mut take = self.script(TAKE_SCRIPT, key);
        take.arg(Hex(&lease.id).to_string()).arg(millis(lease.ttl));
        async move {
            let answer: Vec<Vec<u8>> = self.run(take).await?;
            Ok(match (answer.first().map(Vec::as_slice), answer.get(1)) {
                (Some(b"yes"), Some(rows)) => TakeOutcome::Yes(Arc::new(unpack_rows(rows)?)),
                (Some(b"busy"), _) => TakeOutcome::Busy,
                _ => TakeOutcome::Gone,
            })
        }
        .boxed()
    }

    fn step(
        &self,
        key: ResultKey,
        lease: Lease,
        step: LeaseAction,
    ) -> BoxFuture<'_, Result<bool, ResultStoreError>> {
        let mut command = self.script(STEP_SCRIPT, key);
        command
            .arg(Hex(&lease.id).to_string())
            .arg(millis(lease.ttl))
            .arg(match step {
                LeaseAction::Renew => "renew",
                LeaseAction::Close => "close",
                LeaseAction::GiveBack => "give_back",
                LeaseAction::Forget => "forget",
            });
        command.arg(millis(Lease::BEYOND));
        async move { self.run(command).await }.boxed()
    }
}

fn unpack_rows(rows: &[u8]) -> Result<Table, ResultStoreError> {
    Table::from_bytes(rows).map_err(|error| ResultStoreError::Failed(error.to_string()))
}

fn store_error(error: &redis::RedisError) -> ResultStoreError {
    ResultStoreError::Failed(error.to_string())
}

fn millis(life: Duration) -> u64 {
    // Scripts count in doubles, which represent integers up to 2^53. A century in milliseconds is
    // far below that.
    u64::try_from(life.as_millis())
        .unwrap_or(u64::MAX)
        .clamp(1, 100 * 366 * 24 * 60 * 60 * 1_000)
}

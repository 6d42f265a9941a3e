//! Who takes part, and what each serves and is asked.

use super::{
    Failure,
    constant::Constant,
    line::{Line, Request},
    plain::Kept,
    sizes::{SIZES, four_hundred, hundred, one, thirty},
    tools::{ANSWER, Tools, arguments},
};
use pd_runtime::{PdServer, server::PdHandler};
use rmcp::{
    ClientLifecycleMode, ServerHandler,
    model::{JsonObject, ProtocolVersion},
};
use serde_json::Value;

/// One way of serving, and one request that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// rmcp with a router that is kept.
    Kept,
    /// rmcp's `#[tool_handler]`, which builds the router for every request.
    Rebuilt,
    /// Ours in a session, where the tool was described before.
    Session,
    /// [`Contestant::Kept`], where every request carries its own metadata.
    KeptInline,
    /// Ours with a ticket, where every request carries its own metadata.
    Ticket,
    /// A constant text, as long as one description.
    Constant,
    /// Ours describing one tool.
    Describe,
    /// [`Contestant::Constant`], where every request carries its own metadata.
    ConstantInline,
    /// [`Contestant::Describe`], where every request carries its own metadata.
    DescribeInline,
}

impl Contestant {
    /// Everyone, in the table's order.
    pub(crate) const ALL: [Self; 9] = [
        Self::Kept,
        Self::Rebuilt,
        Self::Session,
        Self::KeptInline,
        Self::Ticket,
        Self::Constant,
        Self::Describe,
        Self::ConstantInline,
        Self::DescribeInline,
    ];

    /// What the table and the command line call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Rebuilt => "rebuilt",
            Self::Session => "session",
            Self::KeptInline => "kept-inline",
            Self::Ticket => "ticket",
            Self::Constant => "constant",
            Self::Describe => "describe",
            Self::ConstantInline => "const-inline",
            Self::DescribeInline => "desc-inline",
        }
    }

    /// Connects it, with this many tools.
    ///
    /// # Errors
    ///
    /// It does not answer as the others do, or there is no such size.
    pub(crate) async fn connect(self, tools: usize) -> Result<Line, Failure> {
        match tools {
            1 => self.connect_to::<one::Plain>().await,
            30 => self.connect_to::<thirty::Plain>().await,
            100 => self.connect_to::<hundred::Plain>().await,
            400 => self.connect_to::<four_hundred::Plain>().await,
            _ => Err(format!("no server has {tools} tools; the sizes are {SIZES:?}").into()),
        }
    }

    async fn connect_to<T: Tools>(self) -> Result<Line, Failure> {
        let name = T::NAMES.last().copied().unwrap_or_default();
        let (call, read) = (Request::call(name, arguments()), Request::describe(name));
        let line = match self {
            Self::Kept | Self::KeptInline => self.open(Kept::<T>::new(), call).await?,
            Self::Rebuilt => self.open(T::default(), call).await?,
            Self::Describe | Self::DescribeInline => self.open(ours::<T>()?, read).await?,
            Self::Session | Self::Ticket => {
                let mut line = self.open(ours::<T>()?, read).await?;
                let description = line.send().await?;
                line.request = Request::call(name, with_ticket(arguments(), name, &description)?);
                line
            }
            Self::Constant | Self::ConstantInline => {
                let description = self.open(ours::<T>()?, read.clone()).await?.send().await?;
                self.open(Constant(description), read).await?
            }
        };
        let answer = line.send().await?;
        match line.request {
            Request::Call(_) if answer != ANSWER => {
                Err(format!("{} answered {answer:?}", self.name()).into())
            }
            Request::Call(_) | Request::Read(_) => Ok(line),
        }
    }

    async fn open(self, server: impl ServerHandler, request: Request) -> Result<Line, Failure> {
        Line::open(server, self.lifecycle(), request).await
    }

    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Kept | Self::Rebuilt | Self::Session | Self::Constant | Self::Describe => {
                ClientLifecycleMode::Initialize
            }
            Self::KeptInline | Self::Ticket | Self::ConstantInline | Self::DescribeInline => {
                ClientLifecycleMode::Discover {
                    preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                }
            }
        }
    }
}

fn ours<T: Tools>() -> Result<PdHandler, Failure> {
    Ok(PdServer::builder(T::registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()?
        .handler())
}

/// The arguments with the ticket that the description asks for, if it does.
fn with_ticket(
    mut arguments: JsonObject,
    tool: &str,
    description: &str,
) -> Result<JsonObject, Failure> {
    let description: Value = serde_json::from_str(description)?;
    let ticket = description.pointer(&format!(
        "/{tool}/inputSchema/properties/disclosure_ticket/const"
    ));
    arguments.extend(ticket.map(|ticket| ("disclosure_ticket".to_owned(), ticket.clone())));
    Ok(arguments)
}

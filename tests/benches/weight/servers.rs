//! The servers that are built: the same three tools, with pd-runtime and with rmcp alone.

/// The sources of one server's crate.
#[derive(Debug)]
pub(super) struct ServerSource {
    /// The name of the crate and its binary.
    pub(super) name: &'static str,
    /// The lines below `[dependencies]`. `PD_RUNTIME` is the path of the crate.
    pub(super) dependencies: &'static str,
    pub(super) source: &'static str,
}

/// A server in both forms.
#[derive(Debug)]
pub(super) struct ServerPair {
    pub(super) name: &'static str,
    pub(super) ours: ServerSource,
    pub(super) rmcp: Option<ServerSource>,
}

/// All pairs, in the order of the table.
pub(super) const PAIRS: [ServerPair; 3] = [
    ServerPair {
        name: "stdio",
        ours: ServerSource {
            name: "ours-stdio",
            dependencies: r#"pd-runtime = { path = PD_RUNTIME }
tokio = { version = "1", features = ["macros", "rt"] }
"#,
            source: concat!(
                include_str!("servers/ours.txt"),
                include_str!("servers/ours_stdio.txt")
            ),
        },
        rmcp: Some(ServerSource {
            name: "rmcp-stdio",
            dependencies: r#"rmcp = { version = "3.11", features = ["transport-io"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
tokio = { version = "1", features = ["macros", "rt"] }
"#,
            source: concat!(
                include_str!("servers/rmcp.txt"),
                include_str!("servers/rmcp_stdio.txt")
            ),
        }),
    },
    ServerPair {
        name: "http",
        ours: ServerSource {
            name: "ours-http",
            dependencies: r#"pd-runtime = { path = PD_RUNTIME, features = ["http"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#,
            source: concat!(
                include_str!("servers/ours.txt"),
                include_str!("servers/ours_http.txt")
            ),
        },
        rmcp: Some(ServerSource {
            name: "rmcp-http",
            dependencies: r#"axum = { version = "0.8", default-features = false, features = ["http1", "tokio"] }
rmcp = { version = "3.11", features = ["transport-streamable-http-server"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
"#,
            source: concat!(
                include_str!("servers/rmcp.txt"),
                include_str!("servers/rmcp_http.txt")
            ),
        }),
    },
    ServerPair {
        name: "cli",
        ours: ServerSource {
            name: "ours-cli",
            dependencies: r#"pd-runtime = { path = PD_RUNTIME, features = ["cli"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#,
            source: concat!(
                include_str!("servers/ours.txt"),
                include_str!("servers/ours_cli.txt")
            ),
        },
        rmcp: None,
    },
];

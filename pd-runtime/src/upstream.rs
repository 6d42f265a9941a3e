//! The seam for the crate `pd-gateway`, which offers the tools of other servers.
//!
//! These names are not part of the public API. They change in any release, and only a `pd-gateway`
//! of the same version is built on them.

#[cfg(feature = "lock")]
pub use crate::lockfile::{HINT_DEFAULTS, ServerContracts, ServerLocks, ToolContract};
pub use crate::{
    catalog::{
        Catalog, definition,
        entry::CatalogEntry,
        header_arguments::{HeaderArgument, header_arguments},
    },
    digest::{hex::Hex, hmac},
    disclosure::caller::authority,
    parallel::map_items,
    policy::{access::CallerIdentity, meta_tools::is_default_name, rate_limit::size},
    protocol::{
        large_texts::LargeTexts,
        lossy::{LossyParts, LossyValue},
        repair::repaired,
    },
    registry::{
        schema::InputSchema,
        selective::columns::RowColumns,
        source_names::SourceNames,
        tool_source::{GroupLine, MissingTools, ToolSource},
        tool_spec::ToolSpec,
    },
    selective::table::ROW_ID,
    serve::shutdown_signal::ShutdownSignals,
    surface::extension::relay_declaration,
    tool::{
        client_call::ClientCall,
        client_session::ClientSession,
        output::ToolResult,
        principal::CallerAuthority,
        row_slot::{ResultFrame, RowSlot},
    },
};

/// The command line.
#[cfg(feature = "cli")]
pub mod cli {
    pub use crate::cli::{
        any_server::AnyServer, fail, is_closed_pipe, progress::DelayedBar,
        report::report as render_report,
    };

    /// JSON for scripts.
    pub mod json_output {
        pub use crate::cli::json_output::print;
    }

    /// A client of a server in the same process.
    pub mod local {
        pub use crate::cli::local::{LocalClient, text_of};
    }

    /// Colors and counts for a terminal.
    pub mod style {
        pub use crate::cli::style::{
            bold, counted, dim, green, print, red, report, saved_percent, yellow,
        };
    }

    /// Counts of tokens.
    pub mod tokens {
        pub use crate::cli::tokens::{TokenTable, count, count_json};
    }

    /// Tools by their names.
    pub mod tool_names {
        pub use crate::cli::tool_names::find_tool;
    }

    /// The tour.
    pub mod tour {
        pub use crate::cli::tour::{
            TourCost, TourPrinter, TourReport, arguments_of, requires_arguments,
        };
    }
}

/// The extension MCP Apps.
pub mod apps {
    pub use crate::registry::app_role::{EXTENSION, UI, UI_URI, VIEW_SCHEME, VIEW_TYPE, view_uri};
}

/// Names and values of the protocol.
pub mod protocol {
    pub use crate::protocol::{headers, json_value, keys};
}

/// Names that model providers accept.
pub mod provider {
    pub use crate::provider::fitted_name::{cut_with_digest, fitting, with_digest_bytes};
}

/// Lines about tools, and groups of them, by their names.
pub mod subjects {
    pub use crate::search::subjects::{NamedTool, SubjectGroup, groups, labeled_groups, line};
}

/// Operations of an API as tools.
#[cfg(feature = "openapi")]
pub mod openapi {
    pub use crate::openapi::{AnswerMemory, OpenApiCallError, OpenApiCaller, TEXT_MAX};
}

/// Texts, and the files of a user.
pub mod text {
    #[cfg(feature = "lock")]
    pub use crate::text::file_lock;
    pub use crate::text::{
        bounded_line, equal_lines, escape, invisible, leading_json, loopback, regular_file,
        thousands, truncate, unix_time, user_directory, value_memory, write_file,
    };
}

//! The environment of child processes: what they get, and the well-known variables that they do not
//! get.

use crate::config::StdioServer;
use std::{env, ffi::OsString};

/// The variables that each child gets from the gateway's environment, if they are set: the
/// variables that the MCP SDKs pass on, of all systems, and three more for the language and
/// temporary files.
const INHERITED: [&str; 23] = [
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "LANG",
    "TMPDIR",
    "TEMP",
    "APPDATA",
    "ComSpec",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "ProgramFiles",
    "SystemDrive",
    "SystemRoot",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "windir",
];

/// Well-known variables that programs need and that contain no password. An import names the ones
/// that are set in `inheritEnv`, because the clients pass all variables on.
const SETTINGS: [&str; 47] = [
    "ALL_PROXY",
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SHARED_CREDENTIALS_FILE",
    "CLOUDSDK_CONFIG",
    "CONDA_PREFIX",
    "CURL_CA_BUNDLE",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_CERT_PATH",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "DOCKER_TLS_VERIFY",
    "GOPATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "JAVA_HOME",
    "KUBECONFIG",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "NPM_CONFIG_REGISTRY",
    "NVM_DIR",
    "PGDATABASE",
    "PGHOST",
    "PGPORT",
    "PGSERVICE",
    "PGUSER",
    "PIP_CERT",
    "PLAYWRIGHT_BROWSERS_PATH",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_INDEX_URL",
    "VIRTUAL_ENV",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Well-known variables that give access to something. A person must name these.
const CREDENTIALS: [&str; 9] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "PGPASSFILE",
    "PGPASSWORD",
    "SSH_AUTH_SOCK",
];

/// The variables that one message names. The rest is counted.
const NAMED_MAX: usize = 12;

/// Returns the variables of a child.
pub(crate) fn environment(server: &StdioServer, inherit: &[String]) -> Vec<(OsString, OsString)> {
    let inherited = INHERITED
        .iter()
        .copied()
        .chain(inherit.iter().map(String::as_str));
    let inherited = inherited.filter_map(|name| Some((name.into(), value_of(name)?)));
    let own = server
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.expose().into()));
    // The variables of the entry come last, so that they replace inherited ones.
    inherited.chain(own).collect()
}

/// Returns the value of a variable that is set. Functions of a shell are left out, because bash
/// would run what they contain (CVE-2014-6271). The SDK for Python leaves them out, too.
fn value_of(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.as_encoded_bytes().starts_with(b"()"))
}

fn are_set(names: impl Iterator<Item = &'static str>) -> impl Iterator<Item = &'static str> {
    names.filter(|name| value_of(name).is_some_and(|value| !value.is_empty()))
}

/// Returns the well-known variables that are set, and that an import names in `inheritEnv`.
#[cfg(feature = "cli")]
pub(crate) fn shared_settings() -> Vec<String> {
    are_set(SETTINGS.iter().copied())
        .map(str::to_owned)
        .collect()
}

/// Returns the well-known variables that are set, and that a child does not get.
pub(crate) fn withheld_from(
    server: &StdioServer,
    inherit: &[String],
) -> impl Iterator<Item = &'static str> {
    are_set(SETTINGS.into_iter().chain(CREDENTIALS)).filter(move |name| {
        let mut passed = server.env_names().chain(inherit.iter().map(String::as_str));
        // The names of Windows have no case.
        !passed.any(|passed| {
            if cfg!(windows) {
                passed.eq_ignore_ascii_case(name)
            } else {
                passed == *name
            }
        })
    })
}

/// Renders the advice about variables that are set and not passed on.
pub(crate) fn render_withheld(names: &[&str]) -> Option<String> {
    let (first, rest) = names.split_at(names.len().min(NAMED_MAX));
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" and {} more", rest.len())
    };
    let (verb, them) = if names.len() == 1 {
        ("is", "it")
    } else {
        ("are", "them")
    };
    (!names.is_empty()).then(|| {
        format!(
            "{}{more} {verb} set and not passed on; name {them} in `inheritEnv` if needed",
            first.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advice_names_a_bounded_number_of_variables() {
        assert_eq!(render_withheld(&[]), None);
        let one = "A is set and not passed on; name it in `inheritEnv` if needed";
        assert_eq!(render_withheld(&["A"]).as_deref(), Some(one));
        let several = "A, B are set and not passed on; name them in `inheritEnv` if needed";
        assert_eq!(render_withheld(&["A", "B"]).as_deref(), Some(several));
        assert!(
            render_withheld(&["A"; 20]).is_some_and(|text| text.contains("A and 8 more are set"))
        );
    }
}

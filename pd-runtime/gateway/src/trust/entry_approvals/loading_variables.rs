//! Variables that decide what a program loads, or from where. A person cannot judge an entry
//! without their values, so these are shown.

use super::hidden_values::{with_references, without_secrets};
use serde_json::Value;

/// The beginnings of names.
const BEGINNINGS: [&str; 29] = [
    // The loader of programs, on Linux and on macOS.
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "NODE_",
    "NPM_CONFIG_",
    "BUN_",
    "COREPACK_",
    "DENO_",
    "PNPM_",
    "YARN_",
    "PIP_",
    "PIPX_",
    "PYTHON",
    "UV_",
    "BUNDLE_",
    "GEM_",
    "RUBY",
    "PERL",
    "PHP",
    "LUA_",
    "JAVA_",
    "JDK_JAVA",
    "COMPLUS_",
    "COR_",
    "CORECLR_",
    "DOTNET_",
    "DOCKER_",
    "GIT_",
    "OPENSSL_",
];

/// Whole names.
const NAMES: [&str; 34] = [
    "_JAVA_OPTIONS",
    "APPDATA",
    "AWS_CONFIG_FILE",
    "BASH_ENV",
    "BROWSER",
    "CLASSPATH",
    "COMSPEC",
    "CURL_CA_BUNDLE",
    "CURL_HOME",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "GOFLAGS",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "KUBECONFIG",
    "LOCALAPPDATA",
    "LOCPATH",
    "PAGER",
    "PATH",
    "PATHEXT",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "USERPROFILE",
    "VIRTUAL_ENV",
    "VISUAL",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "ZDOTDIR",
];

/// The end of the name of a proxy, whatever is before it.
const PROXY: &str = "_PROXY";

/// The ends of names whose values are URLs. A URL can contain a password.
const URL_ENDS: [&str; 7] = [
    PROXY,
    "_FIND_LINKS",
    "_INDEX",
    "_REGISTRY",
    "_SERVER",
    "_URL",
    "_URLS",
];

/// Words in the names of secrets, such as `YARN_NPM_AUTH_TOKEN`. No program loads what such a
/// variable names.
const SECRET_WORDS: [&str; 4] = ["_AUTH", "PASSWORD", "SECRET", "TOKEN"];

/// The beginning of a function of Bash, which is code under a name of its author's choice.
const BASH_FUNCTION: &str = "BASH_FUNC_";

/// Returns whether a variable decides what a program loads, and is no secret.
pub(super) fn is_loading(name: &str) -> bool {
    let name = folded(name);
    if name.starts_with(BASH_FUNCTION) {
        return true;
    }
    let is_known = name.ends_with(PROXY)
        || NAMES.contains(&name.as_str())
        || BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning));
    is_known && !SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Returns a variable with its value if it is a loading one. Otherwise with the variables that its
/// value refers to.
pub(super) fn variable(name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    };
    if value.is_null() || !is_loading(name) {
        return with_references(name, &text);
    }
    let key = folded(name);
    if URL_ENDS.iter().any(|end| key.ends_with(end)) {
        // Some of these variables have several URLs.
        let urls: Vec<_> = text.split_whitespace().map(without_secrets).collect();
        return format!("{name}={}", urls.join(" "));
    }
    format!("{name}={text}")
}

/// Returns a name without its case. Names have none on Windows, and programs on other systems read
/// `http_proxy` and `npm_config_registry`, too.
fn folded(name: &str) -> String {
    name.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(name: &str, value: &str) -> String {
        variable(name, &json!(value))
    }

    #[test]
    fn variables_that_load_code_are_shown_with_values() {
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "PIP_CONFIG_FILE",
            "_JAVA_OPTIONS",
            "JAVA_TOOL_OPTIONS",
            "DOTNET_STARTUP_HOOKS",
            "CORECLR_PROFILER_PATH",
            "BUN_CONFIG_PRELOAD",
            "COREPACK_HOME",
            "YARN_RC_FILENAME",
            "HOME",
            "XDG_CONFIG_HOME",
            "DOCKER_HOST",
            "GCONV_PATH",
            "OPENSSL_CONF",
            "OPENSSL_MODULES",
            "HTTP_PROXY",
            "https_proxy",
            "All_Proxy",
            "npm_config_script_shell",
            "Path",
            "GIT_PROXY_COMMAND",
            "BASH_FUNC_get_token%%",
        ] {
            assert_eq!(shown(name, "./evil x"), format!("{name}=./evil x"));
        }
        assert_eq!(variable("NODE_X", &json!(1)), "NODE_X=1");
    }

    #[test]
    fn other_variables_stay_hidden() {
        for name in [
            "TOKEN",
            "HOMEBREW_GITHUB_API_TOKEN",
            "ENVIRONMENT_KEY",
            "YARN_NPM_AUTH_TOKEN",
            "NPM_CONFIG__AUTH",
            "npm_config_//r.example/:_authToken",
            "UV_PUBLISH_PASSWORD",
        ] {
            assert_eq!(shown(name, "s3cret"), name);
        }
        assert_eq!(
            shown("PIP_EXTRA_INDEX_URL", "https://u:p@evil.example/a http://b"),
            "PIP_EXTRA_INDEX_URL=https://…@evil.example/a http://b"
        );
        assert_eq!(shown("http_proxy", "u:p@evil:1"), "http_proxy=…@evil:1");
    }
}

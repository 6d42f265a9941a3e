//! `login`: access tokens of servers that need OAuth, with the user's browser.

mod redirect;

use crate::{Gateway, LoginRemoval, LoginRequest, PendingLogin, StoredLogin};
use chrono::Utc;
use clap::Args;
use pd_runtime::{
    cli::CliError,
    upstream::{
        cli::{json_output, style},
        text::escape::visible,
    },
};
use redirect::RedirectListener;
use serde_json::{Value, json};
use std::{
    io::{self, IsTerminal},
    process::ExitCode,
    thread,
    time::Duration,
};
use tokio::{sync::oneshot, time::timeout};

/// How long the user has for the login in the browser.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(300);

/// The server of a login.
#[derive(Debug, Clone, Args)]
pub(super) struct LoginOptions {
    /// The server to log in at
    #[arg(required_unless_present = "list")]
    server: Option<String>,
    /// Keep the tokens for this caller of the gateway, the subject of its own token; by default for
    /// all callers without one, as on standard input and output
    #[arg(long, value_name = "SUBJECT")]
    principal: Option<String>,
    /// Request this scope in addition to those of the configuration or of the server; repeat it for
    /// more
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Print the URL, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// Show which servers have tokens
    #[arg(long, conflicts_with_all = ["server", "principal", "scopes", "remove"])]
    list: bool,
    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
    /// Forget the tokens of the server, and revoke them where the server allows it
    #[arg(long, conflicts_with = "scopes")]
    remove: bool,
}

pub(super) async fn login(options: LoginOptions, gateway: &Gateway) -> Result<ExitCode, CliError> {
    let Some(server) = &options.server else {
        return list(&options, gateway);
    };
    if options.remove {
        return remove(server, options.principal.as_deref(), gateway).await;
    }
    // First, because the registration at the authorization server names the port.
    let listener = RedirectListener::open(gateway.redirect_port(server)).await?;
    let mut request = LoginRequest::new(server, listener.uri()).with_scopes(options.scopes);
    if let Some(principal) = options.principal {
        request = request.with_principal(principal);
    }
    let pending = gateway.begin_login(request).await?;
    style::print(format_args!(
        "Open this URL to log in at `{server}`:\n\n  {}\n\n",
        visible(pending.url())
    ))?;
    if !options.no_browser {
        open_browser(pending.url().to_owned());
    }
    let Ok(redirect_url) = timeout(LOGIN_TIMEOUT, wait_for_redirect(&listener, &pending)).await
    else {
        return Err(format!(
            "no login in {} s; run the command again",
            LOGIN_TIMEOUT.as_secs()
        )
        .into());
    };
    let login = pending.finish(&redirect_url?).await?;
    style::print(format_args!(
        "{} logged in at {}\n",
        style::green("ok"),
        describe(&login)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Waits until the browser is redirected, or until the user pastes the URL of this redirect. A
/// browser on another machine cannot reach this one.
async fn wait_for_redirect(
    listener: &RedirectListener,
    pending: &PendingLogin,
) -> io::Result<String> {
    let pasted_url = read_pasted_url(pending)?;
    tokio::select! {
        redirect_url = listener.wait(|url| pending.matches(url)) => redirect_url,
        // Without a terminal the sender is gone, and this branch never matches.
        Ok(url) = pasted_url => Ok(url),
    }
}

/// Reads lines in its own thread, which does not outlive the process.
fn read_pasted_url(pending: &PendingLogin) -> io::Result<oneshot::Receiver<String>> {
    let (sender, pasted_url) = oneshot::channel();
    if !io::stdin().is_terminal() {
        return Ok(pasted_url);
    }
    let hint = "If the browser is on another machine, paste the URL that it shows in the end:";
    style::print(format_args!("{}\n", style::dim(hint)))?;
    let belongs = pending.matcher();
    thread::spawn(move || {
        let mut lines = io::stdin()
            .lines()
            .map_while(Result::ok)
            .map(|line| line.trim().to_owned());
        if let Some(url) = lines.find(|line| belongs(line)) {
            // The receiver is gone if the browser was faster.
            drop(sender.send(url));
        }
    });
    Ok(pasted_url)
}

fn open_browser(url: String) {
    // The user has the URL, so that a machine without a browser is not an error. Some browsers in a
    // terminal do not return until they end.
    thread::spawn(move || drop(webbrowser::open(&url)));
}

fn list(options: &LoginOptions, gateway: &Gateway) -> Result<ExitCode, CliError> {
    let logins = gateway.logins();
    gateway
        .unused_logins()
        .iter()
        .for_each(|unused| style::report(&format_args!("warning: {unused}")));
    if options.json {
        let logins: Vec<_> = logins.iter().map(document).collect();
        json_output::print(&json!({ "logins": logins }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if logins.is_empty() {
        style::print(format_args!("no server has tokens\n"))?;
    }
    for login in &logins {
        // The query of a URL may have a secret.
        let url = login.url.split('?').next().unwrap_or_default();
        style::print(format_args!(
            "{}  {}\n",
            describe(login),
            style::dim(visible(url))
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn document(login: &StoredLogin) -> Value {
    let StoredLogin {
        server,
        url,
        principal,
        scopes,
        expires,
        is_renewable,
    } = login;
    // The query of a URL may have a secret.
    let url = url.split('?').next().unwrap_or_default();
    json!({
        "server": server, "url": url, "principal": principal, "scopes": scopes,
        "expires": expires.map(|end| end.to_rfc3339()), "is_renewable": is_renewable,
    })
}

/// Describes a login in one line: for whom it is, its scopes, and when it ends.
fn describe(login: &StoredLogin) -> String {
    let principal = login
        .principal
        .as_ref()
        .map(|subject| format!(" for `{}`", visible(subject)));
    let scopes = match login.scopes.as_slice() {
        [] => "no scopes named".to_owned(),
        scopes => format!("scopes {}", visible(&scopes.join(" "))),
    };
    let end = match (login.expires, login.is_renewable) {
        // The end of one access token does not end the login.
        (_, true) => "renewed by itself".to_owned(),
        (Some(end), false) if end < Utc::now() => {
            format!("expired on {}", end.format("%Y-%m-%d %H:%M UTC"))
        }
        (Some(end), false) => format!("until {}", end.format("%Y-%m-%d %H:%M UTC")),
        (None, false) => "without an end".to_owned(),
    };
    format!(
        "`{}`{}: {scopes}, {end}",
        visible(&login.server),
        principal.unwrap_or_default()
    )
}

async fn remove(
    server: &str,
    principal: Option<&str>,
    gateway: &Gateway,
) -> Result<ExitCode, CliError> {
    let outcome = match gateway.remove_login(server, principal).await? {
        LoginRemoval::Absent => {
            let hint = "`pd-gateway login --list` shows those that there are";
            return Err(format!("`{server}` has no such tokens; {hint}").into());
        }
        LoginRemoval::Revoked => "and revoked".to_owned(),
        LoginRemoval::NotRevoked { why } => format!("here, but not revoked: {}", visible(&why)),
    };
    style::print(format_args!(
        "{} the tokens of `{server}` are removed {outcome}\n",
        style::green("ok")
    ))?;
    Ok(ExitCode::SUCCESS)
}

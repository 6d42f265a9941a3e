//! The arguments of a call as an HTTP request.

use super::{
    body::{BodyPlan, EncodedBody},
    object::Object,
    security::SentCredentials,
    serialization::{ParameterPlace, Serialization, is_header_text},
};
use crate::tool::error::ToolError;
use reqwest::Url;
use serde_json::Value;

/// The longest URL, in bytes. Few servers take longer ones.
const URL_MAX: usize = 32 * 1024;

/// Where the arguments of an operation go.
#[derive(Debug, Clone)]
pub(super) struct RequestPlan {
    pub(super) method: &'static str,
    /// The path with the names of parameters in braces.
    pub(super) path: String,
    /// Pairs of the query that the path itself has.
    pub(super) fixed: Vec<String>,
    pub(super) parameters: Vec<PlannedParameter>,
    /// The parameters that carry credentials. A member of an object may have such a name.
    pub(super) credentials: Vec<(ParameterPlace, String)>,
    pub(super) body: Option<BodyPlan>,
}

/// A parameter of a request.
#[derive(Debug, Clone)]
pub(super) struct PlannedParameter {
    /// The argument with its value.
    pub(super) argument: String,
    /// The name in the request.
    pub(super) name: String,
    pub(super) place: ParameterPlace,
    pub(super) serialization: Serialization,
    pub(super) is_required: bool,
}

/// A request before it is sent.
#[derive(Debug)]
pub(super) struct OperationRequest {
    pub(super) method: &'static str,
    pub(super) url: Url,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<EncodedBody>,
}

impl RequestPlan {
    /// Returns the path of a key in `paths`. Documents tell operations with one path apart by
    /// fragments, which are not sent, and by queries.
    pub(super) fn path_of(key: &str) -> String {
        key.split(['?', '#']).next().unwrap_or_default().to_owned()
    }

    /// Returns the pairs of the query in a key of `paths`.
    pub(super) fn fixed_pairs(key: &str) -> Vec<String> {
        let key = key.split('#').next().unwrap_or_default();
        let query = key.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        pairs.map(str::to_owned).collect()
    }

    /// Creates the request for these arguments, to a server whose URL has no query.
    ///
    /// # Errors
    ///
    /// Returns an error that names the argument at fault.
    pub(super) fn request(
        &self,
        server: &Url,
        arguments: &Object,
        credentials: &SentCredentials,
    ) -> Result<OperationRequest, ToolError> {
        let mut path = self.path.clone();
        let mut pairs = self.fixed.clone();
        let mut headers = Vec::new();
        let mut cookies = credentials.cookies.clone();
        for parameter in &self.parameters {
            let Some(value) = parameter.value(arguments) else {
                if parameter.is_required {
                    return Err(invalid(&parameter.argument, "is required"));
                }
                continue;
            };
            let serialization = &parameter.serialization;
            if let Some(name) = self.set_credential(parameter, value) {
                let why = format!("has the member `{name}`, which carries a credential");
                return Err(invalid(&parameter.argument, &why));
            }
            match parameter.place {
                ParameterPlace::Path => {
                    let text = serialization.path_text(&parameter.name, value);
                    let text = text.map_err(|why| invalid(&parameter.argument, why))?;
                    path = path.replace(&format!("{{{}}}", parameter.name), &text);
                }
                ParameterPlace::Query => {
                    serialization.add_pairs(&mut pairs, &parameter.name, value);
                }
                ParameterPlace::Header => {
                    let text = serialization.header_text(value);
                    if !is_header_text(&text) {
                        return Err(invalid(
                            &parameter.argument,
                            "is sent in a header, which takes one line of ASCII",
                        ));
                    }
                    headers.push((parameter.name.clone(), text));
                }
                ParameterPlace::Cookie => {
                    serialization.add_pairs(&mut cookies, &parameter.name, value);
                }
            }
        }
        pairs.extend(credentials.query.iter().cloned());
        // After the arguments, because the last value of a header is sent.
        headers.extend(credentials.headers.iter().cloned());
        if !cookies.is_empty() {
            headers.push(("cookie".to_owned(), cookies.join("; ")));
        }
        let is_parameter =
            |argument: &str| self.parameters.iter().any(|one| one.argument == argument);
        let body = match &self.body {
            Some(body) => body
                .encode(arguments, is_parameter)
                .map_err(|(argument, why)| invalid(&argument, why))?,
            None => None,
        };
        Ok(OperationRequest {
            method: self.method,
            url: url(server, &path, &pairs)?,
            headers,
            body,
        })
    }
}

impl RequestPlan {
    /// Returns the parameter with a credential that this value would set.
    fn set_credential(&self, parameter: &PlannedParameter, value: &Value) -> Option<&str> {
        let place = parameter.place;
        let is_paired = matches!(place, ParameterPlace::Query | ParameterPlace::Cookie);
        let members = value
            .as_object()
            .filter(|_| is_paired && parameter.serialization.has_names_of_members())?;
        let names = self.credentials.iter().filter(|(own, _)| *own == place);
        // Many servers compare names without their case.
        names.map(|(_, name)| name.as_str()).find(|name| {
            let mut members = members.keys();
            members.any(|member| member.eq_ignore_ascii_case(name))
        })
    }
}

impl PlannedParameter {
    /// Returns the value of the argument. `null` is the value of an optional one that is left out.
    fn value<'a>(&self, arguments: &'a Object) -> Option<&'a Value> {
        arguments
            .get(&self.argument)
            .filter(|value| !value.is_null())
    }
}

/// Returns the URL of a path below the server's.
fn url(server: &Url, path: &str, pairs: &[String]) -> Result<Url, ToolError> {
    let base = server.path().trim_end_matches('/');
    let path = format!("{base}/{}", path.trim_start_matches('/'));
    let mut url = server.clone();
    url.set_path(&path);
    // A URL drops the steps `.` and `..`. None is left of the arguments, and one in the document
    // would lead out of the server's path.
    let is_below = base.is_empty() || url.path().starts_with(&format!("{base}/"));
    let steps = |path: &str| path.split('/').count();
    if !is_below || steps(url.path()) != steps(&path) {
        return Err(ToolError::new(
            ToolError::INVALID_ARGUMENTS,
            "the arguments lead to another path of the server; send values without `.` and `..`",
        ));
    }
    url.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
    if url.as_str().len() > URL_MAX {
        return Err(ToolError::new(
            ToolError::INVALID_ARGUMENTS,
            format!("the arguments make a URL of over {URL_MAX} bytes; send shorter values"),
        ));
    }
    Ok(url)
}

fn invalid(argument: &str, why: &str) -> ToolError {
    ToolError::new(
        ToolError::INVALID_ARGUMENTS,
        format!("the argument `{argument}` {why}"),
    )
}

//! Reads the object `pd` of an entry, and the keys of other clients that say the same things.

use super::{
    error::ConfigErrorKind,
    field::{ConfigField, FieldReader},
    settings::{
        CallRate, ConnectionSharing, IdleStop, SelectiveResults, ServerSettings, ServerTrust,
        ToolPattern, ToolSettings,
    },
    spanned::SpannedData,
};
use crate::config::names::alias_prefix;
use pd_runtime::provider::NAME_MAX;
use pd_schema::suggest::nearest;
use std::{collections::BTreeMap, time::Duration};

/// The valid keys of `pd`.
const SERVER_KEYS: &[&str] = &[
    "prefix",
    "alias",
    "summary",
    "pin",
    "confirm",
    "include",
    "exclude",
    "timeout",
    "startTimeout",
    "idle",
    "concurrency",
    "rate",
    "scopes",
    "tools",
    "inheritEnv",
    "eager",
    "trust",
    "share",
    "connections",
    "responseBytes",
    "selective",
    "oauth",
];

/// The valid keys of `pd` beside the servers, for all of them.
const FILE_KEYS: &[&str] = &["inheritEnv"];

/// The valid keys of a tool in `pd.tools`.
const TOOL_KEYS: &[&str] = &[
    "timeout",
    "concurrency",
    "rate",
    "scopes",
    "summary",
    "selective",
];

/// The largest `responseBytes`: 1 GiB.
const RESPONSE_BYTES_MAX: f64 = 1_073_741_824.0;

/// The value of `timeout` from which it is taken as milliseconds.
const MILLISECONDS_FROM: f64 = 1000.0;

impl FieldReader<'_, '_> {
    /// Reads the settings of an entry. The keys of `pd` take precedence over the keys of other
    /// clients, but a tool that any key excludes stays excluded.
    pub(super) fn settings(&mut self, entry: &ConfigField<'_>) -> ServerSettings {
        let mut settings = entry
            .get("pd")
            .and_then(|pd| self.pd_object(&pd))
            .unwrap_or_default();
        // The key belongs to other clients, so a value of another type is not reported.
        let summary = entry
            .get("description")
            .and_then(|field| first_line(field.value.as_text()?));
        settings.summary = settings.summary.or(summary);
        // The keys of other clients are read even if `pd` has the setting, so that their mistakes
        // are reported.
        for key in ["includeTools", "enabled_tools"] {
            let patterns = self.patterns(entry.get(key));
            settings.include = settings.include.or(patterns);
        }
        for key in ["excludeTools", "disabledTools", "disabled_tools"] {
            settings
                .exclude
                .extend(self.patterns(entry.get(key)).unwrap_or_default());
        }
        let timeout = self.client_timeout(entry);
        settings.timeout = settings.timeout.or(timeout);
        let start_timeout = entry
            .get("startup_timeout_sec")
            .and_then(|field| self.seconds(&field));
        let start_timeout = start_timeout.or_else(|| {
            entry
                .get("startup_timeout_ms")
                .and_then(|field| self.milliseconds(&field))
        });
        settings.start_timeout = settings.start_timeout.or(start_timeout);
        settings.inherit_env.extend(self.codex_variables(entry));
        settings
    }

    /// Reads the limit on a call's time. Gemini and Claude Code write `timeout` in milliseconds,
    /// and Cline in seconds. The key does not tell which client wrote it. Cline's entries have
    /// `autoApprove` or `alwaysAllow`. In other entries, a value from 1,000 is in milliseconds,
    /// because a timeout of less than a second is as unlikely as one of 17 minutes.
    fn client_timeout(&mut self, entry: &ConfigField<'_>) -> Option<Duration> {
        // The key of Codex names its unit, so it comes before the other one.
        let codex = entry
            .get("tool_timeout_sec")
            .and_then(|field| self.seconds(&field));
        let is_cline = entry
            .get("autoApprove")
            .or_else(|| entry.get("alwaysAllow"))
            .is_some();
        let timeout = entry.get("timeout").and_then(|field| {
            if is_cline {
                self.seconds(&field)
            } else {
                self.guessed_unit(&field, MILLISECONDS_FROM)
            }
        });
        codex.or(timeout)
    }

    /// Reads `env_vars` of Codex: names, or objects with a `name`.
    fn codex_variables(&mut self, entry: &ConfigField<'_>) -> Vec<String> {
        let Some(field) = entry.get("env_vars") else {
            return Vec::new();
        };
        let elements = self.elements(&field).unwrap_or_default();
        elements
            .iter()
            .filter_map(|element| {
                self.variable_name(&element.get("name").unwrap_or(element.clone()))
            })
            .collect()
    }

    /// Reads the name of an environment variable.
    pub(super) fn variable_name(&mut self, field: &ConfigField<'_>) -> Option<String> {
        let name = self.nonempty_text(field)?;
        if name.contains(['=', '\0']) {
            self.report(field, ConfigErrorKind::BadVariableName);
            return None;
        }
        Some(name.to_owned())
    }

    /// Reads the object `pd` of the whole file: the variables that all processes get.
    pub(super) fn shared_variables(&mut self, pd: &ConfigField<'_>) -> Vec<String> {
        if self.check_keys(pd, FILE_KEYS).is_none() {
            return Vec::new();
        }
        self.inherited_names(pd)
    }

    /// Reads `inheritEnv`.
    fn inherited_names(&mut self, pd: &ConfigField<'_>) -> Vec<String> {
        let names = pd
            .get("inheritEnv")
            .and_then(|field| self.elements(&field))
            .unwrap_or_default();
        names
            .iter()
            .filter_map(|element| self.variable_name(element))
            .collect()
    }

    fn pd_object(&mut self, pd: &ConfigField<'_>) -> Option<ServerSettings> {
        self.check_keys(pd, SERVER_KEYS)?;
        Some(ServerSettings {
            prefix: self.prefix_or_alias(pd),
            summary: pd
                .get("summary")
                .and_then(|field| self.one_line(&field))
                .map(str::to_owned),
            pin: self.names(pd.get("pin")).unwrap_or_default(),
            confirm: self.patterns(pd.get("confirm")).unwrap_or_default(),
            include: self.patterns(pd.get("include")),
            exclude: self.patterns(pd.get("exclude")).unwrap_or_default(),
            timeout: pd.get("timeout").and_then(|field| self.seconds(&field)),
            start_timeout: pd
                .get("startTimeout")
                .and_then(|field| self.seconds(&field)),
            idle: pd.get("idle").and_then(|field| self.idle(&field)),
            concurrency: pd.get("concurrency").and_then(|field| self.count(&field)),
            rate: pd.get("rate").and_then(|field| self.rate(&field)),
            scopes: self.names(pd.get("scopes")).unwrap_or_default(),
            tools: pd
                .get("tools")
                .map(|field| self.tools(&field))
                .unwrap_or_default(),
            inherit_env: self.inherited_names(pd),
            is_eager: pd
                .get("eager")
                .and_then(|field| self.boolean(&field))
                .unwrap_or_default(),
            share: pd.get("share").and_then(|field| self.share(&field)),
            connections: pd.get("connections").and_then(|field| self.count(&field)),
            response_bytes: pd
                .get("responseBytes")
                .and_then(|field| self.response_bytes(&field)),
            trust: pd
                .get("trust")
                .and_then(|field| self.trust(&field))
                .unwrap_or_default(),
            selective: pd
                .get("selective")
                .and_then(|field| self.selective(&field))
                .unwrap_or_default(),
            // Read later, with the transport: its texts have variables, which this reader does not
            // expand.
            oauth: None,
        })
    }

    fn tools(&mut self, field: &ConfigField<'_>) -> BTreeMap<String, ToolSettings> {
        let members = self.members(field).unwrap_or_default();
        members
            .into_iter()
            .filter_map(|(name, tool)| Some((name.to_owned(), self.tool(&tool)?)))
            .collect()
    }

    fn tool(&mut self, tool: &ConfigField<'_>) -> Option<ToolSettings> {
        self.check_keys(tool, TOOL_KEYS)?;
        Some(ToolSettings {
            timeout: tool.get("timeout").and_then(|field| self.seconds(&field)),
            concurrency: tool.get("concurrency").and_then(|field| self.count(&field)),
            rate: tool.get("rate").and_then(|field| self.rate(&field)),
            scopes: self.names(tool.get("scopes")).unwrap_or_default(),
            summary: tool
                .get("summary")
                .and_then(|field| self.one_line(&field))
                .map(str::to_owned),
            selective: tool
                .get("selective")
                .and_then(|field| self.selective(&field)),
        })
    }

    /// Reports keys that are not in `valid`. Returns `None` if the value is not an object.
    pub(super) fn check_keys(&mut self, field: &ConfigField<'_>, valid: &[&str]) -> Option<()> {
        for (key, member) in self.members(field)? {
            // A mistake here, but not in the entry itself: other clients own the keys there, and
            // only the gateway reads `pd`.
            if !valid.contains(&key) {
                let hint = nearest(key, valid).map_or_else(
                    || format!("the settings are {}", in_ticks(valid.iter().copied())),
                    |near| format!("did you mean `{near}`?"),
                );
                self.report(
                    &member,
                    ConfigErrorKind::UnknownSetting {
                        key: key.to_owned(),
                        hint,
                    },
                );
            }
        }
        Some(())
    }

    /// Reads `prefix`, or else `alias`, the short form of the server's name.
    fn prefix_or_alias(&mut self, pd: &ConfigField<'_>) -> Option<String> {
        // An empty `prefix` passes names through. An empty `alias` would be the prefix `__`.
        let alias = pd.get("alias").and_then(|field| {
            self.nonempty_text(&field)?;
            self.prefix(&field)
        });
        let prefix = pd.get("prefix").and_then(|field| self.prefix(&field));
        prefix.or_else(|| alias.as_deref().map(alias_prefix))
    }

    fn prefix(&mut self, field: &ConfigField<'_>) -> Option<String> {
        let prefix = self.text(field)?;
        // The prefix begins the names of tools, and clients accept no other characters there.
        if prefix.len() > NAME_MAX || !prefix.chars().all(is_prefix_character) {
            self.report(field, ConfigErrorKind::BadPrefix { max: NAME_MAX });
            return None;
        }
        Some(prefix.to_owned())
    }

    fn patterns(&mut self, field: Option<ConfigField<'_>>) -> Option<Vec<ToolPattern>> {
        let elements = self.elements(&field?)?;
        Some(
            elements
                .iter()
                .filter_map(|element| self.pattern(element))
                .collect(),
        )
    }

    fn pattern(&mut self, field: &ConfigField<'_>) -> Option<ToolPattern> {
        let pattern = ToolPattern::parse(self.nonempty_text(field)?);
        if pattern.is_none() {
            self.report(field, ConfigErrorKind::BadPattern);
        }
        pattern
    }

    fn trust(&mut self, field: &ConfigField<'_>) -> Option<ServerTrust> {
        self.choice(
            field,
            &[("new", ServerTrust::New), ("all", ServerTrust::All)],
        )
    }

    fn response_bytes(&mut self, field: &ConfigField<'_>) -> Option<usize> {
        let number = self.number(field)?;
        if number.fract() != 0.0 || !(1.0..=RESPONSE_BYTES_MAX).contains(&number) {
            // The limit is a whole number, so the conversion is exact.
            self.report(
                field,
                ConfigErrorKind::BadCount {
                    max: RESPONSE_BYTES_MAX as u32,
                },
            );
            return None;
        }
        // The range is checked, so the conversion is exact.
        Some(number as usize)
    }

    fn share(&mut self, field: &ConfigField<'_>) -> Option<ConnectionSharing> {
        let choices = [
            ("process", ConnectionSharing::Process),
            ("session", ConnectionSharing::Session),
            ("principal", ConnectionSharing::Principal),
        ];
        self.choice(field, &choices)
    }

    /// Reads one of several words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        field: &ConfigField<'_>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = self.text(field)?;
        let chosen = choices.iter().find(|(name, _)| *name == value);
        if chosen.is_none() {
            let value = value.to_owned();
            let choices = in_ticks(choices.iter().map(|(name, _)| *name));
            self.report(field, ConfigErrorKind::UnknownChoice { value, choices });
        }
        chosen.map(|(_, choice)| *choice)
    }

    fn selective(&mut self, field: &ConfigField<'_>) -> Option<SelectiveResults> {
        match (&field.value.data, field.value.as_text()) {
            (SpannedData::Boolean(true), _) => Some(SelectiveResults::Always),
            (SpannedData::Boolean(false), _) => Some(SelectiveResults::Never),
            (_, Some("auto")) => Some(SelectiveResults::Auto),
            (_, Some(value)) => {
                let choices = in_ticks(["true", "false", "\"auto\""].into_iter());
                self.report(
                    field,
                    ConfigErrorKind::UnknownChoice {
                        value: value.to_owned(),
                        choices,
                    },
                );
                None
            }
            _ => self.wrong_type(field, "true, false or \"auto\""),
        }
    }

    fn idle(&mut self, field: &ConfigField<'_>) -> Option<IdleStop> {
        let duration = self.seconds_or_zero(field)?;
        Some(if duration.is_zero() {
            IdleStop::Never
        } else {
            IdleStop::After(duration)
        })
    }

    fn rate(&mut self, field: &ConfigField<'_>) -> Option<CallRate> {
        let rate = CallRate::parse(self.text(field)?);
        if rate.is_none() {
            self.report(field, ConfigErrorKind::BadRate);
        }
        rate
    }
}

fn is_prefix_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns the words in backticks, with commas between them.
pub(super) fn in_ticks<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.to_owned())
}

//! Reads the object `pd` of an entry, and the keys of other clients that say the same things.

use super::{
    entry_keys::{
        ALWAYS_ALLOW, AUTO_APPROVE, CLIENT_TIMEOUT, DESCRIPTION, DISABLED_TOOLS,
        DISABLED_TOOLS_SNAKE, ENABLED_TOOLS, ENV_VARS, EXCLUDE_TOOLS, INCLUDE_TOOLS, PD,
        STARTUP_TIMEOUT_MS, STARTUP_TIMEOUT_SEC, TOOL_TIMEOUT_SEC,
    },
    error::ConfigErrorKind,
    field::{ConfigField, FieldReader},
    in_ticks::in_ticks,
    pd_keys::{
        ALIAS, CONCURRENCY, CONFIRM, CONFIRM_DESTRUCTIVE, CONNECTIONS, EAGER, EXCLUDE,
        FILE_INHERIT_ENV, FILE_KEYS, GROUP_KEYS, GROUP_NAME, GROUP_SUMMARY, GROUPS, HANDSHAKE,
        IDLE, INCLUDE, PIN, PREFIX, RATE, RESPONSE_BYTES, RESULT_TOKENS, SCOPES, SELECTIVE,
        SERVER_INHERIT_ENV, SERVER_KEYS, SHARE, START_TIMEOUT, SUMMARY, TIMEOUT, TOOL_CONCURRENCY,
        TOOL_KEYS, TOOL_RATE, TOOL_RESULT_TOKENS, TOOL_SCOPES, TOOL_SELECTIVE, TOOL_SUMMARY,
        TOOL_TIMEOUT, TOOLS, TRUST,
    },
    setting::{DeclaredKey, ReadValue},
    settings::{GroupChoice, GroupTexts, ServerSettings, ToolSettings},
    spanned::SpannedData,
    value_rule::VariableName,
};
use crate::config::names::alias_prefix;
use pd_schema::suggest::nearest;
use std::{collections::BTreeMap, time::Duration};

/// The value of `timeout` from which it is taken as milliseconds.
const MILLISECONDS_FROM: f64 = 1000.0;

impl FieldReader<'_, '_> {
    /// Reads the settings of an entry. The keys of `pd` take precedence over the keys of other
    /// clients, but a tool that any key excludes stays excluded.
    pub(super) fn settings(&mut self, entry: &ConfigField<'_>) -> ServerSettings {
        let mut settings = entry
            .get(&PD)
            .and_then(|pd| self.pd_object(&pd))
            .unwrap_or_default();
        // The key belongs to other clients, so a value of another type is not reported.
        let summary = entry
            .get(&DESCRIPTION)
            .and_then(|field| first_line(field.value.as_text()?));
        settings.summary = settings.summary.or(summary);
        // The keys of other clients are read even if `pd` has the setting, so that their mistakes
        // are reported.
        for key in [INCLUDE_TOOLS, ENABLED_TOOLS] {
            let patterns = self.read(entry, &key);
            settings.include = settings.include.or(patterns);
        }
        for key in [EXCLUDE_TOOLS, DISABLED_TOOLS, DISABLED_TOOLS_SNAKE] {
            settings
                .exclude
                .extend(self.read(entry, &key).unwrap_or_default());
        }
        let timeout = self.client_timeout(entry);
        settings.timeout = settings.timeout.or(timeout);
        let seconds = self.read(entry, &STARTUP_TIMEOUT_SEC);
        let milliseconds = self.read(entry, &STARTUP_TIMEOUT_MS);
        settings.start_timeout = settings.start_timeout.or(seconds).or(milliseconds);
        settings.inherit_env.extend(self.codex_variables(entry));
        settings
    }

    /// Reads the limit on a call's time. Gemini and Claude Code write `timeout` in milliseconds,
    /// and Cline in seconds. The key does not tell which client wrote it. Cline's entries have
    /// `autoApprove` or `alwaysAllow`. In other entries, a value from 1,000 is in milliseconds,
    /// because a timeout of less than a second is as unlikely as one of 17 minutes.
    fn client_timeout(&mut self, entry: &ConfigField<'_>) -> Option<Duration> {
        // The key of Codex names its unit, so it comes before the other one.
        let codex = self.read(entry, &TOOL_TIMEOUT_SEC);
        let is_cline = entry
            .get(&AUTO_APPROVE)
            .or_else(|| entry.get(&ALWAYS_ALLOW))
            .is_some();
        let timeout = entry.get(&CLIENT_TIMEOUT).and_then(|field| {
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
        let Some(field) = entry.get(&ENV_VARS) else {
            return Vec::new();
        };
        let elements = self.elements(&field).unwrap_or_default();
        elements
            .iter()
            .filter_map(|element| {
                VariableName.read(self, &element.named("name").unwrap_or(element.clone()))
            })
            .collect()
    }

    /// Reads the object `pd` of the whole file: the variables that all processes get.
    pub(super) fn shared_variables(&mut self, pd: &ConfigField<'_>) -> Vec<String> {
        if self.check_keys(pd, FILE_KEYS).is_none() {
            return Vec::new();
        }
        self.read(pd, &FILE_INHERIT_ENV).unwrap_or_default()
    }

    fn pd_object(&mut self, pd: &ConfigField<'_>) -> Option<ServerSettings> {
        self.check_keys(pd, SERVER_KEYS)?;
        Some(ServerSettings {
            prefix: self.prefix_or_alias(pd),
            summary: self.read(pd, &SUMMARY),
            pin: self.read(pd, &PIN).unwrap_or_default(),
            confirm: self.read(pd, &CONFIRM).unwrap_or_default(),
            confirms_destructive: self.read(pd, &CONFIRM_DESTRUCTIVE).unwrap_or_default(),
            include: self.read(pd, &INCLUDE),
            exclude: self.read(pd, &EXCLUDE).unwrap_or_default(),
            timeout: self.read(pd, &TIMEOUT),
            start_timeout: self.read(pd, &START_TIMEOUT),
            idle: self.read(pd, &IDLE),
            concurrency: self.read(pd, &CONCURRENCY),
            rate: self.read(pd, &RATE),
            scopes: self.read(pd, &SCOPES).unwrap_or_default(),
            tools: pd
                .get(&TOOLS)
                .map(|field| self.tools(&field))
                .unwrap_or_default(),
            inherit_env: self.read(pd, &SERVER_INHERIT_ENV).unwrap_or_default(),
            is_eager: self.read(pd, &EAGER).unwrap_or_default(),
            share: self.read(pd, &SHARE),
            handshake: self.read(pd, &HANDSHAKE),
            connections: self.read(pd, &CONNECTIONS),
            response_bytes: self
                .read(pd, &RESPONSE_BYTES)
                .and_then(|bytes| bytes.get().try_into().ok()),
            result_tokens: self.read(pd, &RESULT_TOKENS),
            trust: self.read(pd, &TRUST).unwrap_or_default(),
            selective: self.read(pd, &SELECTIVE).unwrap_or_default(),
            groups: pd
                .get(&GROUPS)
                .and_then(|field| self.groups(&field))
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
            timeout: self.read(tool, &TOOL_TIMEOUT),
            concurrency: self.read(tool, &TOOL_CONCURRENCY),
            rate: self.read(tool, &TOOL_RATE),
            scopes: self.read(tool, &TOOL_SCOPES).unwrap_or_default(),
            summary: self.read(tool, &TOOL_SUMMARY),
            result_tokens: self.read(tool, &TOOL_RESULT_TOKENS),
            selective: self.read(tool, &TOOL_SELECTIVE),
        })
    }

    /// Reads whether tools are divided into groups, or the texts of the groups.
    fn groups(&mut self, field: &ConfigField<'_>) -> Option<GroupChoice> {
        match field.value.data {
            SpannedData::Boolean(true) => Some(GroupChoice::default()),
            SpannedData::Boolean(false) => Some(GroupChoice::None),
            SpannedData::Object(_) => {
                let members = self.members(field)?;
                let texts = members
                    .into_iter()
                    .filter_map(|(name, group)| Some((name.to_owned(), self.group(&group)?)));
                Some(GroupChoice::Made(texts.collect()))
            }
            _ => self.wrong_type(field, "true, false or an object"),
        }
    }

    fn group(&mut self, group: &ConfigField<'_>) -> Option<GroupTexts> {
        self.check_keys(group, GROUP_KEYS)?;
        Some(GroupTexts {
            name: self.read(group, &GROUP_NAME),
            summary: self.read(group, &GROUP_SUMMARY),
        })
    }

    /// Reports keys that are not declared. Returns `None` if the value is not an object.
    pub(super) fn check_keys(
        &mut self,
        field: &ConfigField<'_>,
        declared: &[&dyn DeclaredKey],
    ) -> Option<()> {
        let valid: Vec<_> = declared.iter().map(|declared| declared.key()).collect();
        for (key, member) in self.members(field)? {
            // A mistake here, but not in the entry itself: other clients own the keys there, and
            // only the gateway reads `pd`.
            if !valid.contains(&key) {
                let hint = nearest(key, &valid).map_or_else(
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
        let alias = self.read(pd, &ALIAS);
        let prefix = self.read(pd, &PREFIX);
        prefix.or_else(|| alias.as_deref().map(alias_prefix))
    }
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.to_owned())
}

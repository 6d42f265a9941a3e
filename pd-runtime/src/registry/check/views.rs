//! The rules for tools with views, and for those that views call (MCP Apps).

use super::did_you_mean;
use crate::{
    registry::{
        Registry,
        problem::{RegistryError, RegistryErrorKind},
        tool_spec::ToolSpec,
        view::View,
    },
    tool::view::Visibility,
};
use std::collections::HashSet;

impl<S: 'static> Registry<S> {
    /// Checks the views, and that the tools exist which they call.
    pub(super) fn check_views(&self, names: &HashSet<&str>, errors: &mut Vec<RegistryError>) {
        let specs = self.tools.iter().map(|tool| &tool.about);
        for about in specs {
            let Some(view) = &about.host.view else {
                continue;
            };
            let mut problems: Vec<_> = view
                .problems()
                .into_iter()
                .map(|why| RegistryErrorKind::BadView { why })
                .collect();
            if about.output_schema.is_none() {
                problems.push(RegistryErrorKind::BadView {
                    why: "the tool has no output schema, and a view reads structured content; set `output_schema`"
                        .to_owned(),
                });
            }
            problems.extend(self.calls_of(view, names));
            errors.extend(problems.into_iter().map(|kind| RegistryError {
                tool: about.name.to_string(),
                origin: about.origin.to_string(),
                kind,
            }));
        }
    }

    /// Returns an error for each tool that a view calls in vain.
    fn calls_of(&self, view: &View, names: &HashSet<&str>) -> Vec<RegistryErrorKind> {
        let why = |called: &str| match self.called(called) {
            None => {
                let hint = did_you_mean(called, names, "correct the page, or list the tool");
                Some(format!("this registry lacks{hint}"))
            }
            Some(about) if about.host.visibility == Some(Visibility::Model) => {
                Some("is for models alone; leave out its `visibility`".to_owned())
            }
            Some(_) => None,
        };
        view.calls
            .iter()
            .filter_map(|called| {
                Some(RegistryErrorKind::UncallableByView {
                    file: view.file,
                    called: (*called).to_owned(),
                    why: why(called)?,
                })
            })
            .collect()
    }

    /// Returns the tool that a view calls by this name.
    fn called(&self, name: &str) -> Option<&ToolSpec> {
        let mut specs = self.tools.iter().map(|tool| &tool.about);
        specs.find(|about| about.name == name || about.unprefixed.as_deref() == Some(name))
    }
}

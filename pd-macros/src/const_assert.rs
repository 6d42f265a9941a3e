//! Checks that tokens cannot decide and the compiler can: values for arguments whose types the
//! author defined.

mod naming;
mod wrapper_checks;

use self::naming::{hangs_on_a_type, is_concrete, is_nameable, uncertain_names};
use crate::{
    constraint::DefaultValue,
    doc::{DocLine, ErrorBullet, Example, ToolDoc},
    map_keys::MapType,
    parameter::{Argument, Parameter},
    std_types::StdType,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use serde_json::Value;
use std::collections::BTreeMap;
use syn::{Attribute, ExprPath, ReturnType, Signature, Type, ext::IdentExt};

/// The compile-time checks of one tool.
#[derive(Default)]
pub(crate) struct ConstAssertions {
    pub(crate) function: String,
    /// The arguments that checks refer to.
    pub(crate) arguments: Vec<UnprovenArgument>,
    /// The return type, if a check refers to it.
    pub(crate) returns: Option<Type>,
    /// Names that may be type parameters of the impl, which no nested item can name.
    pub(crate) uncertain: BTreeMap<String, Ident>,
    pub(crate) checks: Vec<ConstAssertion>,
    /// Checks of types that no nested item can name. They are part of the declaration itself, which
    /// the compiler evaluates for the tools of a registry.
    pub(crate) inline: Vec<ConstAssertion>,
    /// The checks of the texts that are expressions.
    pub(crate) texts: TokenStream,
}

/// An argument that tokens could not judge.
pub(crate) struct UnprovenArgument {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) name: String,
    /// `None` if a nested item cannot name the type.
    pub(crate) ty: Option<Type>,
    pub(crate) may_lack: bool,
    /// True if the argument is the only one, so that its type alone may determine all arguments.
    pub(crate) is_alone: bool,
}

/// One compile-time check, and the span for its error.
pub(crate) struct ConstAssertion {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) from: Span,
    pub(crate) to: Span,
    pub(crate) subject: AssertionSubject,
}

/// The subject of a check.
pub(crate) enum AssertionSubject {
    /// An example, by number and text.
    Example(usize, String),
    Default(String, Value),
    OneOf(String, Value),
    Keyword {
        argument: String,
        word: &'static str,
        limits: &'static str,
        value: Value,
    },
    /// A default given as a path, against one bound.
    Constant {
        argument: String,
        path: ExprPath,
        /// The path, if it may be a constant parameter of the impl.
        uncertain: Option<Ident>,
        kind: &'static str,
        bound: ConstantBound,
        limit: String,
    },
    /// The only argument, which may stand for all arguments.
    Root,
    /// A type that may belong to another framework, or take all arguments.
    Wrapper {
        ty: Type,
        uncertain: BTreeMap<String, Ident>,
        /// True if the argument is the only one.
        is_alone: bool,
        /// The suggested replacement if the type does not take all arguments.
        otherwise: String,
    },
    /// A code in `# Errors` that the error type must define.
    ErrorCode(String),
    /// The key type of a map, and the replacement for the map.
    MapKey {
        key: Box<Type>,
        pairs: String,
        /// True if the map is in the return type.
        is_returned: bool,
    },
}

/// A bound for a constant.
pub(crate) enum ConstantBound {
    /// A numeric bound, by its variant in `pd_runtime`.
    Size(&'static str, f64),
    OneOf(Vec<String>),
}

impl ConstantBound {
    fn from_keyword(keyword: &str, limit: &Value) -> Option<Self> {
        let size = |name| limit.as_f64().map(|limit| Self::Size(name, limit));
        match keyword {
            "minimum" | "min_length" => size("AtLeast"),
            "maximum" | "max_length" => size("AtMost"),
            "exclusive_minimum" => size("Above"),
            "exclusive_maximum" => size("Below"),
            "one_of" => {
                let texts: Option<Vec<_>> = limit
                    .as_array()?
                    .iter()
                    .map(|one| one.as_str().map(str::to_owned))
                    .collect();
                texts.map(Self::OneOf)
            }
            _ => None,
        }
    }
}

impl ConstAssertions {
    /// Collects the checks for the compiler.
    pub(crate) fn new(signature: &Signature, parameters: &[Parameter], doc: &ToolDoc) -> Self {
        let arguments: Vec<&Argument> = parameters
            .iter()
            .filter_map(Parameter::argument)
            .flat_map(Argument::sent)
            .collect();
        let is_method = signature.receiver().is_some();
        let mut proof = Self {
            function: signature.ident.unraw().to_string(),
            ..Self::default()
        };
        // rustc reports the checks in their order. A wrong wrapper explains later errors, so
        // wrappers precede the other checks.
        proof.check_root(&arguments);
        for argument in arguments
            .iter()
            .filter(|argument| !argument.constraints.unchecked)
        {
            proof.check_wrapper(argument, arguments.len() == 1, is_method);
        }
        for argument in arguments
            .iter()
            .filter(|argument| !argument.constraints.unchecked)
        {
            proof.check_argument(argument, is_method);
        }
        // Examples of completely known arguments were judged by `check::examples`.
        if arguments
            .iter()
            .any(|argument| !argument.known.is_complete())
        {
            proof.check_examples(&doc.examples);
        }
        proof.arguments = proof.unproven(&arguments, !doc.examples.is_empty(), is_method);
        proof.check_errors(&signature.output, is_method, &doc.errors);
        proof.check_map_keys(&arguments, &signature.output, is_method);
        proof.texts = doc.emit_checks(&quote!(__pd));
        let described = parameters.iter().filter_map(Parameter::argument);
        proof.texts.extend(described.map(|argument| {
            argument
                .doc
                .expressions
                .emit_checks(&quote!(__pd), &argument.cfgs)
        }));
        // The types of a free function are not generic, so none of its names is uncertain.
        if is_method {
            proof.find_uncertain();
        }
        proof
    }

    /// Returns the key types of maps in the return type, with the replacement for each map.
    pub(crate) fn result_keys(&self) -> impl Iterator<Item = (&Type, &str)> {
        self.checks.iter().filter_map(|check| match &check.subject {
            AssertionSubject::MapKey {
                key,
                pairs,
                is_returned: true,
            } => Some((&**key, pairs.as_str())),
            _ => None,
        })
    }

    pub(crate) fn has_result_keys(&self) -> bool {
        self.result_keys().next().is_some()
    }

    fn check_argument(&mut self, argument: &Argument, is_method: bool) {
        // For a known type, the macro judges every value itself, except for a constant's.
        if argument.known.is_complete() {
            self.check_constant(argument, is_method);
        } else {
            self.check_constraints(argument);
        }
    }

    /// Returns the arguments that a check refers to, and those whose texts only a validator can
    /// check. The runtime counts the latter as unproven.
    fn unproven(
        &self,
        arguments: &[&Argument],
        has_examples: bool,
        is_method: bool,
    ) -> Vec<UnprovenArgument> {
        // The check of a wrapper contains its type, so it refers to no argument.
        let has_checks = self
            .checks
            .iter()
            .any(|check| !matches!(check.subject, AssertionSubject::Wrapper { .. }));
        let needs_check = |argument: &Argument| has_checks && !argument.known.is_complete();
        let is_left = |argument: &Argument| has_examples && argument.has_text_rules();
        // If there are several arguments, the macro already compared their names with the examples.
        let is_alone = matches!(arguments, [only] if only.may_be_whole());
        let unproven = arguments
            .iter()
            .filter(|argument| needs_check(argument) || is_left(argument));
        unproven
            .map(|argument| UnprovenArgument {
                is_alone,
                ..UnprovenArgument::new(argument, is_method)
            })
            .collect()
    }

    fn find_uncertain(&mut self) {
        let types = self
            .arguments
            .iter()
            .filter_map(|argument| argument.ty.as_ref())
            .chain(&self.returns);
        types.for_each(|ty| uncertain_names(ty, &mut self.uncertain));
        for check in &self.checks {
            if let AssertionSubject::MapKey { key, .. } = &check.subject {
                uncertain_names(key, &mut self.uncertain);
            }
        }
    }

    fn check(&mut self, argument: &Argument, (from, to): (Span, Span), subject: AssertionSubject) {
        self.checks.push(ConstAssertion {
            cfgs: argument.cfgs.clone(),
            from,
            to,
            subject,
        });
    }

    fn check_constraints(&mut self, argument: &Argument) {
        let name = || argument.name.clone();
        if let Some(DefaultValue::Literal(value, span)) = &argument.constraints.default {
            self.check(
                argument,
                (*span, *span),
                AssertionSubject::Default(name(), value.clone()),
            );
        }
        for (keyword, value, span) in argument.constraints.entries() {
            let value = value.clone();
            if keyword.word == "one_of" {
                self.check(
                    argument,
                    (span, span),
                    AssertionSubject::OneOf(name(), value),
                );
            } else if let Some(limits) = keyword.subject.limits(keyword.word) {
                let subject = AssertionSubject::Keyword {
                    argument: name(),
                    word: keyword.word,
                    limits,
                    value,
                };
                self.check(argument, (span, span), subject);
            }
        }
    }

    /// Adds checks of a default given as a path. `Registry::check` checks a constant that a nested
    /// item may not be able to name.
    fn check_constant(&mut self, argument: &Argument, is_method: bool) {
        let Some(DefaultValue::Constant(path)) = &argument.constraints.default else {
            return;
        };
        let kind = match argument.known.present() {
            StdType::Integer { .. } | StdType::Number => "Number",
            StdType::Text => "Text",
            _ => return,
        };
        // Such a path may begin with a type parameter, which no nested item can name.
        if path.qself.is_some() || hangs_on_a_type(&path.path) {
            return;
        }
        for (keyword, value, _) in argument.constraints.entries() {
            if let Some(bound) = ConstantBound::from_keyword(keyword.word, value) {
                let limit = format!("{} = {value}", keyword.word);
                let uncertain = path.path.get_ident().filter(|_| is_method).cloned();
                let name = argument.name.clone();
                let path = path.clone();
                let ends = ends_of(&path);
                self.check(
                    argument,
                    ends,
                    AssertionSubject::Constant {
                        argument: name,
                        path,
                        uncertain,
                        kind,
                        bound,
                        limit,
                    },
                );
            }
        }
    }

    fn check_examples(&mut self, examples: &[Example]) {
        for (index, example) in examples.iter().enumerate() {
            let span = |line: Option<&DocLine>| line.unwrap_or(&example.opening).span;
            let from = span(example.lines.first());
            let to = span(example.lines.last());
            let subject = AssertionSubject::Example(index + 1, example.checked_input());
            self.checks.push(ConstAssertion {
                cfgs: Vec::new(),
                from,
                to,
                subject,
            });
        }
    }

    fn check_errors(&mut self, output: &ReturnType, is_method: bool, errors: &[ErrorBullet]) {
        let ReturnType::Type(_, ty) = output else {
            return;
        };
        let can_name = if is_method { is_nameable } else { is_concrete };
        if errors.is_empty() || !can_name(ty) {
            return;
        }
        self.returns = Some((**ty).clone());
        self.checks.extend(errors.iter().map(|error| {
            let subject = AssertionSubject::ErrorCode(error.code.clone());
            ConstAssertion {
                cfgs: Vec::new(),
                from: error.span,
                to: error.span,
                subject,
            }
        }));
    }

    fn check_map_keys(&mut self, arguments: &[&Argument], output: &ReturnType, is_method: bool) {
        let can_name = if is_method { is_nameable } else { is_concrete };
        let taken = arguments
            .iter()
            .filter(|argument| !argument.constraints.unchecked && !argument.is_part);
        let taken = taken.map(|argument| (argument.cfgs.as_slice(), &argument.ty, false));
        let returned = match output {
            ReturnType::Type(_, ty) => Some(([].as_slice(), &**ty, true)),
            ReturnType::Default => None,
        };
        for (cfgs, ty, is_returned) in taken.chain(returned) {
            for map in MapType::find_all(ty)
                .into_iter()
                .filter(|map| map.is_unknown() && can_name(map.key))
            {
                let (from, to) = ends_of(map.key);
                let subject = AssertionSubject::MapKey {
                    key: Box::new(map.key.clone()),
                    pairs: map.pairs(),
                    is_returned,
                };
                self.checks.push(ConstAssertion {
                    cfgs: cfgs.to_vec(),
                    from,
                    to,
                    subject,
                });
            }
        }
    }
}

impl UnprovenArgument {
    fn new(argument: &Argument, is_method: bool) -> Self {
        let can_name = if is_method { is_nameable } else { is_concrete };
        let needs_check = !argument.constraints.unchecked
            && !argument.known.is_complete()
            && can_name(&argument.ty);
        Self {
            cfgs: argument.cfgs.clone(),
            name: argument.name.clone(),
            ty: needs_check.then(|| argument.ty.clone()),
            may_lack: argument.may_lack(),
            is_alone: false,
        }
    }
}

fn ends_of(tokens: &impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.to_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

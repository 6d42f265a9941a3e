//! What tokens cannot judge and the compiler can: values for arguments whose types are the author's own.

mod naming;

use self::naming::{hangs_on_a_type, is_concrete, is_nameable, uncertain_names};
use crate::{
    constraint::Preset,
    doc::{Doc, ErrorBullet, Example, Line},
    known::Known,
    map_keys::MapType,
    parameter::{Argument, Parameter, Wrapper},
    ty::{plain, with_unknown},
};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use serde_json::Value;
use std::collections::BTreeMap;
use syn::{Attribute, ExprPath, ReturnType, Signature, Type, ext::IdentExt};

/// What is left to the compiler to judge of one tool.
#[derive(Default)]
pub(crate) struct Proof {
    pub(crate) function: String,
    /// Its arguments, as far as they are left to it.
    pub(crate) arguments: Vec<Unproven>,
    /// Its return type, if that is left to it.
    pub(crate) returns: Option<Type>,
    /// Names in their types that may be type parameters of the impl, which no nested item can name.
    pub(crate) uncertain: BTreeMap<String, Ident>,
    pub(crate) checks: Vec<Check>,
}

/// An argument that tokens could not judge.
pub(crate) struct Unproven {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) name: String,
    /// `None` where the type cannot be named among nested items.
    pub(crate) ty: Option<Type>,
    pub(crate) may_lack: bool,
    /// Whether no other argument stands beside it, and its type alone tells which there are.
    pub(crate) is_alone: bool,
}

/// One thing to judge, and where to say what is wrong with it.
pub(crate) struct Check {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) from: Span,
    pub(crate) to: Span,
    pub(crate) subject: Subject,
}

/// What is judged.
pub(crate) enum Subject {
    /// By number and text.
    Example(usize, String),
    Default(String, Value),
    OneOf(String, Value),
    Keyword {
        argument: String,
        word: &'static str,
        limits: &'static str,
        value: Value,
    },
    /// A default by its path, against one limit.
    Constant {
        argument: String,
        path: ExprPath,
        /// The path, if it may be a constant parameter of the impl.
        uncertain: Option<Ident>,
        kind: &'static str,
        bound: Bound,
        limit: String,
    },
    /// The only argument, which may be all of them.
    Root,
    /// A type that may be another framework's, or take all arguments.
    Wrapper {
        ty: Type,
        uncertain: BTreeMap<String, Ident>,
        /// Whether no other argument stands beside it.
        is_alone: bool,
        /// What to write if it does not take all arguments.
        otherwise: String,
    },
    /// A code that `# Errors` selects of the error type.
    ErrorCode(String),
    /// The key of a map, and what to write instead of the map.
    MapKey {
        key: Box<Type>,
        pairs: String,
        /// Whether the map is in the return type.
        is_returned: bool,
    },
}

/// A limit of a constant.
pub(crate) enum Bound {
    /// By its name in `pd_runtime`.
    Size(&'static str, f64),
    OneOf(Vec<String>),
}

impl Bound {
    fn of(keyword: &str, limit: &Value) -> Option<Self> {
        let size = |name| limit.as_f64().map(|limit| Self::Size(name, limit));
        match keyword {
            "minimum" | "min_length" => size("AtLeast"),
            "maximum" | "max_length" => size("AtMost"),
            "exclusive_minimum" => size("Above"),
            "exclusive_maximum" => size("Below"),
            "one_of" => {
                let texts: Option<Vec<_>> =
                    limit.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect();
                texts.map(Self::OneOf)
            }
            _ => None,
        }
    }
}

impl Proof {
    /// Finds what is left to the compiler.
    pub(crate) fn of(signature: &Signature, parameters: &[Parameter], doc: &Doc) -> Self {
        let arguments: Vec<&Argument> =
            parameters.iter().filter_map(Parameter::argument).flat_map(Argument::sent).collect();
        let is_method = signature.receiver().is_some();
        let mut proof = Self { function: signature.ident.unraw().to_string(), ..Self::default() };
        proof.check_root(&arguments);
        for argument in arguments.iter().filter(|argument| !argument.constraints.unchecked) {
            proof.check_wrapper(argument, arguments.len() == 1, is_method);
        }
        for argument in arguments.iter().filter(|argument| !argument.constraints.unchecked) {
            proof.check_argument(argument, is_method);
        }
        if arguments.iter().any(|argument| !argument.known.is_complete()) {
            proof.check_examples(&doc.examples);
        }
        proof.arguments = proof.unproven(&arguments, !doc.examples.is_empty(), is_method);
        proof.check_errors(&signature.output, is_method, &doc.errors);
        proof.check_map_keys(&arguments, &signature.output, is_method);
        if is_method {
            proof.find_uncertain();
        }
        proof
    }

    /// The keys of maps in the return type, and what to write instead of each map.
    pub(crate) fn result_keys(&self) -> impl Iterator<Item = (&Type, &str)> {
        self.checks.iter().filter_map(|check| match &check.subject {
            Subject::MapKey { key, pairs, is_returned: true } => Some((&**key, pairs.as_str())),
            _ => None,
        })
    }

    pub(crate) fn has_result_keys(&self) -> bool {
        self.result_keys().next().is_some()
    }

    fn check_root(&mut self, arguments: &[&Argument]) {
        if let [only] = arguments
            && only.may_be_whole()
            && !matches!(only.wrapper(), Some(Wrapper::Parameters(_) | Wrapper::OfRmcp))
            && !only.constraints.unchecked
        {
            self.check(only, ends_of(&only.ty), Subject::Root);
        }
    }

    /// Whatever is in `Parameters<…>` may be a type that no nested item can name, so the name alone is asked about.
    fn check_wrapper(&mut self, argument: &Argument, is_alone: bool, is_method: bool) {
        let can_name = if is_method { is_nameable } else { is_concrete };
        let (asked, place, otherwise) = match argument.wrapper() {
            Some(Wrapper::Parameters(ty)) => (
                with_unknown(ty),
                ty,
                "this is rmcp's `Parameters`; write `use pd_runtime::Args as Parameters`".to_owned(),
            ),
            Some(Wrapper::Pattern) => {
                let instead =
                    format!("an argument needs a name; write `name: {}` and take it apart inside", plain(&argument.ty));
                (argument.ty.clone(), &argument.ty, instead)
            }
            Some(Wrapper::OfRmcp) => (argument.ty.clone(), &argument.ty, String::new()),
            None => return,
        };
        if can_name(&asked) {
            let mut uncertain = BTreeMap::new();
            if is_method {
                uncertain_names(&asked, &mut uncertain);
            }
            self.check(argument, ends_of(place), Subject::Wrapper { ty: asked, uncertain, is_alone, otherwise });
        }
    }

    fn check_argument(&mut self, argument: &Argument, is_method: bool) {
        if argument.known.is_complete() {
            self.check_constant(argument, is_method);
        } else {
            self.check_constraints(argument);
        }
    }

    /// The arguments that a check is about, and those whose texts only a validator can judge, which are counted so.
    fn unproven(&self, arguments: &[&Argument], has_examples: bool, is_method: bool) -> Vec<Unproven> {
        let has_checks = self.checks.iter().any(|check| !matches!(check.subject, Subject::Wrapper { .. }));
        let is_asked = |argument: &Argument| has_checks && !argument.known.is_complete();
        let is_left = |argument: &Argument| has_examples && argument.has_text_rules();
        // Of others the macro knows the names.
        let is_alone = matches!(arguments, [only] if only.may_be_whole());
        let unproven = arguments.iter().filter(|argument| is_asked(argument) || is_left(argument));
        unproven.map(|argument| Unproven { is_alone, ..Unproven::of(argument, is_method) }).collect()
    }

    fn find_uncertain(&mut self) {
        let types = self.arguments.iter().filter_map(|argument| argument.ty.as_ref()).chain(&self.returns);
        types.for_each(|ty| uncertain_names(ty, &mut self.uncertain));
        for check in &self.checks {
            if let Subject::MapKey { key, .. } = &check.subject {
                uncertain_names(key, &mut self.uncertain);
            }
        }
    }

    fn check(&mut self, argument: &Argument, (from, to): (Span, Span), subject: Subject) {
        self.checks.push(Check { cfgs: argument.cfgs.clone(), from, to, subject });
    }

    fn check_constraints(&mut self, argument: &Argument) {
        let name = || argument.name.clone();
        if let Some(Preset::Literal(value, span)) = &argument.constraints.default {
            self.check(argument, (*span, *span), Subject::Default(name(), value.clone()));
        }
        for (keyword, value, span) in argument.constraints.given() {
            let value = value.clone();
            if keyword.word == "one_of" {
                self.check(argument, (span, span), Subject::OneOf(name(), value));
            } else if let Some(limits) = keyword.subject.limits(keyword.word) {
                let subject = Subject::Keyword { argument: name(), word: keyword.word, limits, value };
                self.check(argument, (span, span), subject);
            }
        }
    }

    /// A constant that a nested item may not be able to name is left to `Registry::check`.
    fn check_constant(&mut self, argument: &Argument, is_method: bool) {
        let Some(Preset::Constant(path)) = &argument.constraints.default else { return };
        let kind = match argument.known.present() {
            Known::Integer { .. } | Known::Number => "Number",
            Known::Text => "Text",
            _ => return,
        };
        if path.qself.is_some() || hangs_on_a_type(&path.path) {
            return;
        }
        for (keyword, value, _) in argument.constraints.given() {
            if let Some(bound) = Bound::of(keyword.word, value) {
                let limit = format!("{} = {value}", keyword.word);
                let uncertain = path.path.get_ident().filter(|_| is_method).cloned();
                let (name, path) = (argument.name.clone(), path.clone());
                let ends = ends_of(&path);
                self.check(argument, ends, Subject::Constant { argument: name, path, uncertain, kind, bound, limit });
            }
        }
    }

    fn check_examples(&mut self, examples: &[Example]) {
        for (index, example) in examples.iter().enumerate() {
            let span = |line: Option<&Line>| line.unwrap_or(&example.opening).span;
            let (from, to) = (span(example.lines.first()), span(example.lines.last()));
            let subject = Subject::Example(index + 1, example.judged());
            self.checks.push(Check { cfgs: Vec::new(), from, to, subject });
        }
    }

    fn check_errors(&mut self, output: &ReturnType, is_method: bool, errors: &[ErrorBullet]) {
        let ReturnType::Type(_, ty) = output else { return };
        let can_name = if is_method { is_nameable } else { is_concrete };
        if errors.is_empty() || !can_name(ty) {
            return;
        }
        self.returns = Some((**ty).clone());
        let check = |error: &ErrorBullet| {
            let subject = Subject::ErrorCode(error.code.clone());
            Check { cfgs: Vec::new(), from: error.span, to: error.span, subject }
        };
        self.checks.extend(errors.iter().map(check));
    }

    fn check_map_keys(&mut self, arguments: &[&Argument], output: &ReturnType, is_method: bool) {
        let can_name = if is_method { is_nameable } else { is_concrete };
        let taken = arguments.iter().filter(|argument| !argument.constraints.unchecked && !argument.is_part);
        let taken = taken.map(|argument| (argument.cfgs.as_slice(), &argument.ty, false));
        let returned = match output {
            ReturnType::Type(_, ty) => Some(([].as_slice(), &**ty, true)),
            ReturnType::Default => None,
        };
        for (cfgs, ty, is_returned) in taken.chain(returned) {
            for map in MapType::find_all(ty).into_iter().filter(|map| map.is_unknown() && can_name(map.key)) {
                let (from, to) = ends_of(map.key);
                let subject = Subject::MapKey { key: Box::new(map.key.clone()), pairs: map.pairs(), is_returned };
                self.checks.push(Check { cfgs: cfgs.to_vec(), from, to, subject });
            }
        }
    }
}

impl Unproven {
    fn of(argument: &Argument, is_method: bool) -> Self {
        let can_name = if is_method { is_nameable } else { is_concrete };
        let is_asked = !argument.constraints.unchecked && !argument.known.is_complete() && can_name(&argument.ty);
        Self {
            cfgs: argument.cfgs.clone(),
            name: argument.name.clone(),
            ty: is_asked.then(|| argument.ty.clone()),
            may_lack: argument.may_lack(),
            is_alone: false,
        }
    }
}

fn ends_of(tokens: &impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

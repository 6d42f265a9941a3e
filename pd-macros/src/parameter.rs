//! The function's parameters. By value: sent by the caller. By reference: lent by the server.

use crate::{
    attributes::{called, cfgs},
    constraint::Constraints,
    doc,
    errors::Errors,
    known::Known,
    lent, map_keys, rmcp, selected,
    ty::{inner_types, is_context, is_self, last_segment, owned, owned_form, peel, plain},
};
use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::{
    Attribute, Error, FnArg, Pat, PatType, Receiver, ReceiverKind, Result, Type, TypeReference, ext::IdentExt,
    spanned::Spanned,
};

/// One parameter, by what it is to the tool.
pub(crate) enum Parameter {
    Argument(Box<Argument>),
    /// The state type that the server lends: `Self`, or the `T` of a `&T`.
    State(Box<Type>),
    Context(Vec<Attribute>),
}

impl Parameter {
    pub(crate) fn argument(&self) -> Option<&Argument> {
        match self {
            Self::Argument(argument) => Some(argument),
            _ => None,
        }
    }

    pub(crate) fn state(&self) -> Option<&Type> {
        match self {
            Self::State(ty) => Some(ty),
            _ => None,
        }
    }
}

/// A parameter that only the compiler can judge: it knows whose type a name is.
#[derive(Clone, Copy)]
pub(crate) enum Wrapper<'a> {
    /// `Parameters<T>`, also inside of another type.
    Parameters(&'a Type),
    /// `Wrapper(inner): Wrapper<T>`
    Pattern,
    /// A name that rmcp gives to parts of the request.
    OfRmcp,
}

/// A parameter by value.
pub(crate) struct Argument {
    /// What generated code calls it.
    pub(crate) local: Ident,
    /// Its name on the wire.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// What the type's words say.
    pub(crate) known: Known,
    pub(crate) doc: String,
    pub(crate) constraints: Constraints,
    pub(crate) cfgs: Vec<Attribute>,
    /// Whether it stands for all arguments at once, as far as tokens can tell.
    pub(crate) whole: bool,
    /// The arguments that are sent for it, if they are several.
    pub(crate) parts: Vec<Argument>,
    /// Whether it is one of those: JSON in a text, which only a call takes apart.
    pub(crate) is_part: bool,
}

/// Attributes by which other crates describe a field, and which say nothing here.
pub(crate) const FOREIGN: &[&str] = &["serde", "schemars", "garde", "validate", "clap", "param"];

/// A server may keep a token that stops it as its state.
fn is_token(ty: &Type) -> bool {
    last_segment(peel(ty)).is_some_and(|last| last.ident == "CancellationToken")
}

/// Reads one parameter; what cannot be one is reported.
pub(crate) fn parse(input: &FnArg, errors: &mut Errors) -> Option<Parameter> {
    match input {
        FnArg::Receiver(receiver) => errors.take(parse_receiver(receiver)),
        FnArg::Typed(typed) => {
            check_attributes(&typed.attrs, errors);
            match peel(&typed.ty) {
                Type::Reference(reference) => errors.take(parse_lent(typed, reference)),
                ty => parse_argument(typed, ty, errors).map(|argument| Parameter::Argument(Box::new(argument))),
            }
        }
    }
}

fn parse_receiver(receiver: &Receiver) -> Result<Parameter> {
    let lent = match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => true,
        ReceiverKind::Typed(_, ty) => {
            matches!(peel(ty), Type::Reference(to) if to.mutability.is_none() && is_self(&to.elem))
        }
        _ => false,
    };
    if let Some(description) = described(&receiver.attrs) {
        return Err(Error::new_spanned(description, NEVER_SEEN));
    }
    if lent {
        let place = Span::mixed_site().located_at(receiver.span());
        return Ok(Parameter::State(Box::new(Type::Verbatim(quote_spanned!(place=> Self)))));
    }
    Err(Error::new_spanned(receiver, "the server lends its state to many calls at once; write `&self`"))
}

fn parse_lent(typed: &PatType, reference: &TypeReference) -> Result<Parameter> {
    if let Some(instead) = rmcp::instead_of_parameter(&reference.elem).filter(|_| !is_token(&reference.elem)) {
        return Err(Error::new_spanned(reference, instead));
    }
    if let Some(instead) = owned_form(&reference.elem) {
        let message = format!("the caller sends arguments by value; write `{instead}`");
        return Err(Error::new_spanned(reference, message));
    }
    if selected::row_of(peel(&reference.elem)).is_some() {
        let message = format!("the caller sends chosen rows by value; write `{}`", plain(&reference.elem));
        return Err(Error::new_spanned(reference, message));
    }
    if reference.mutability.is_some() {
        let elem = plain(&reference.elem);
        let lock = if is_context(&reference.elem) { "" } else { ", with a lock inside" };
        let message = format!("the server lends this to many calls at once; write `&{elem}`{lock}");
        return Err(Error::new_spanned(reference, message));
    }
    if let Some(message) = lent::refuse(peel(&reference.elem)) {
        return Err(Error::new_spanned(reference, message));
    }
    if let Some(description) = described(&typed.attrs) {
        return Err(Error::new_spanned(description, NEVER_SEEN));
    }
    parse_lent_type(typed, peel(&reference.elem))
}

fn parse_lent_type(typed: &PatType, elem: &Type) -> Result<Parameter> {
    let cfgs = cfgs(&typed.attrs);
    if is_context(elem) {
        return Ok(Parameter::Context(cfgs));
    }
    match cfgs.first() {
        Some(cfg) => Err(Error::new_spanned(cfg, "what a tool borrows cannot depend on `cfg`; put it on the function")),
        None => Ok(Parameter::State(Box::new(elem.clone()))),
    }
}

fn parse_argument(typed: &PatType, ty: &Type, errors: &mut Errors) -> Option<Argument> {
    let instead = rmcp::instead_of_parameter(ty).or_else(|| lent::refuse_owned(ty));
    let constraints = Constraints::parse(&typed.attrs, errors);
    if let Some(instead) = instead.filter(|_| !constraints.unchecked) {
        // The pattern is the other framework's, too: `Extension(user): Extension<User>`.
        errors.at(ty, instead);
        return None;
    }
    errors.take(check_owned(ty));
    let (local, whole) = errors.take(parse_pattern(&typed.pat))?;
    if !constraints.unchecked {
        map_keys::check(ty, errors);
    }
    let name = constraints.rename.as_ref().map_or_else(|| local.unraw().to_string(), syn::LitStr::value);
    let doc = doc::plain(&typed.attrs);
    let whole = whole || last_segment(ty).is_some_and(|segment| segment.ident == "Args");
    if let Some(description) = described(&typed.attrs).filter(|_| whole) {
        errors.at(description, "`Args` takes many arguments; describe each at its field of the struct");
    }
    let known = if whole { Known::Unknown } else { Known::of(ty) };
    let mut argument = Argument {
        local,
        name,
        ty: ty.clone(),
        known,
        doc,
        constraints,
        cfgs: cfgs(&typed.attrs),
        whole,
        parts: Vec::new(),
        is_part: false,
    };
    argument.parts = selected::sent_for(ty).into_iter().map(|(name, known)| argument.part(name, known)).collect();
    if let Some(arg) = called(&typed.attrs, "arg").next().filter(|_| !argument.parts.is_empty()) {
        errors.at(arg, "`Selected` is several arguments, which its columns describe; remove `#[arg(…)]`");
    }
    Some(argument)
}

/// What says something about the parameter to callers.
fn described(attributes: &[Attribute]) -> Option<&Attribute> {
    called(attributes, "arg").chain(called(attributes, "doc")).next()
}

const NEVER_SEEN: &str = "callers never see what the server lends, so there is nothing to describe; remove it";

fn check_attributes(attributes: &[Attribute], errors: &mut Errors) {
    for word in FOREIGN {
        for attribute in called(attributes, word) {
            errors.at(attribute, format_args!("`#[{word}]` is for fields; an argument is described by `#[arg(…)]`"));
        }
    }
}

/// `name`, `mut name`, or `Args(pattern)`, which needs a name of our own.
fn parse_pattern(pattern: &Pat) -> Result<(Ident, bool)> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Ok((name.ident.clone(), false)),
        Pat::TupleStruct(whole) if whole.elems.len() == 1 => {
            Ok((Ident::new("arguments", Span::mixed_site().located_at(pattern.span())), true))
        }
        _ => Err(Error::new_spanned(pattern, "an argument needs a name; write `name: Type` and take it apart inside")),
    }
}

/// An argument owns what the caller sent.
fn check_owned(ty: &Type) -> Result<()> {
    match ty {
        ty if is_context(ty) => Err(Error::new_spanned(ty, "the server lends the call; write `&CallContext`")),
        Type::ImplTrait(_) => {
            Err(Error::new_spanned(ty, "an argument's type gives its schema; write a concrete type instead of `impl`"))
        }
        _ => inner_types(ty).into_iter().try_for_each(check_owned_inside),
    }
}

fn check_owned_inside(ty: &Type) -> Result<()> {
    if selected::row_of(ty).is_some() {
        let rows = plain(ty);
        let message =
            format!("`Selected` is several arguments, so nothing stands around it; write `{rows}`, which may be empty");
        return Err(Error::new_spanned(ty, message));
    }
    let Type::Reference(reference) = ty else { return check_owned(ty) };
    let instead = owned(reference);
    Err(Error::new_spanned(ty, format_args!("an argument owns what the caller sent; write `{instead}` here")))
}

impl Argument {
    /// One of the arguments that are sent for this one.
    fn part(&self, name: &str, known: Known) -> Self {
        Self {
            local: self.local.clone(),
            name: name.to_owned(),
            ty: self.ty.clone(),
            known,
            doc: String::new(),
            constraints: Constraints::default(),
            cfgs: self.cfgs.clone(),
            whole: false,
            parts: Vec::new(),
            is_part: true,
        }
    }

    /// The arguments that callers send for it.
    pub(crate) fn sent(&self) -> &[Self] {
        if self.parts.is_empty() { std::slice::from_ref(self) } else { &self.parts }
    }

    /// Where its name on the wire was said.
    pub(crate) fn name_span(&self) -> Span {
        self.constraints.rename.as_ref().map_or(self.local.span(), Spanned::span)
    }

    /// Whether leaving the argument out is surely an error.
    pub(crate) fn is_required(&self) -> bool {
        self.known.is_required() && !self.may_lack()
    }

    /// Whether the argument has a value when it is left out, or is itself left out by a `cfg`.
    pub(crate) fn may_lack(&self) -> bool {
        self.constraints.default.is_some() || !self.cfgs.is_empty()
    }

    /// Whether there are rules for its text that only a validator can apply.
    pub(crate) fn has_text_rules(&self) -> bool {
        self.is_part || self.constraints.given().any(|(keyword, ..)| ["pattern", "format"].contains(&keyword.word))
    }

    /// What the type or the pattern is, if it looks as if it took all arguments or a part of the request.
    pub(crate) fn wrapper(&self) -> Option<Wrapper<'_>> {
        let parameters = std::iter::once(&self.ty).chain(inner_types(&self.ty)).find(|ty| rmcp::is_parameters(ty));
        let is_args = last_segment(&self.ty).is_some_and(|segment| segment.ident == "Args");
        match parameters {
            Some(parameters) => Some(Wrapper::Parameters(parameters)),
            None if self.whole && !is_args => Some(Wrapper::Pattern),
            None => rmcp::may_be_of_rmcp(&self.ty).then_some(Wrapper::OfRmcp),
        }
    }

    /// Whether the type may stand for all arguments under another name: `use pd_runtime::Args as Parameters`.
    pub(crate) fn may_be_whole(&self) -> bool {
        self.known == Known::Unknown
    }
}

//! The function's parameters. The caller sends parameters by value; the server lends parameters by
//! reference.

use crate::{
    attributes::{called, cfgs},
    constraint::Constraints,
    doc::{self, PlainDoc},
    errors::Errors,
    field_attribute, lent, map_keys,
    owned_form::{owned, owned_form},
    rmcp, selected,
    std_types::StdType,
    ty::{inner_types, is_context, is_self, last_segment, peel, plain},
};
use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::{
    Attribute, Error, FnArg, Pat, PatType, Receiver, ReceiverKind, Result, Type, TypeReference,
    ext::IdentExt, spanned::Spanned,
};

/// One parameter, by its role in the tool.
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

/// A parameter type that only the compiler can resolve, because several crates define the name.
#[derive(Clone, Copy)]
pub(crate) enum WrapperKind<'a> {
    /// `Parameters<T>`, also inside of another type.
    Parameters(&'a Type),
    /// `WrapperKind(inner): WrapperKind<T>`
    Pattern,
    /// A name that rmcp uses for parts of the request.
    OfRmcp,
}

/// A parameter by value.
pub(crate) struct Argument {
    /// The variable in generated code.
    pub(crate) local: Ident,
    /// The argument's name in the protocol.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// The result of judging the type by its name.
    pub(crate) known: StdType,
    pub(crate) doc: PlainDoc,
    pub(crate) constraints: Constraints,
    pub(crate) cfgs: Vec<Attribute>,
    /// True if the parameter takes all arguments at once, as far as tokens show.
    pub(crate) whole: bool,
    /// The arguments that callers send for this parameter, if there are several.
    pub(crate) parts: Vec<Argument>,
    /// True for one of those parts. Its value is JSON in a string, which only a call can parse.
    pub(crate) is_part: bool,
}

/// Attributes of other crates that describe fields. They have no effect on a parameter.
pub(crate) const FOREIGN: &[&str] = &["serde", "schemars", "garde", "validate", "clap", "param"];

/// Returns whether the type is a `CancellationToken`. A server may have one in its state, to stop
/// its work.
fn is_token(ty: &Type) -> bool {
    last_segment(peel(ty)).is_some_and(|last| last.ident == "CancellationToken")
}

/// Parses one parameter, and reports one that is invalid.
pub(crate) fn parse(input: &FnArg, errors: &mut Errors) -> Option<Parameter> {
    match input {
        FnArg::Receiver(receiver) => errors.take(parse_receiver(receiver)),
        FnArg::Typed(typed) => {
            check_attributes(&typed.attrs, errors);
            match peel(&typed.ty) {
                Type::Reference(reference) => errors.take(parse_lent(typed, reference)),
                ty => parse_argument(typed, ty, errors)
                    .map(|argument| Parameter::Argument(Box::new(argument))),
            }
        }
    }
}

fn parse_receiver(receiver: &Receiver) -> Result<Parameter> {
    // `&self` and `self: &Self` are the same to the server. `&mut self` and `self` cannot work,
    // because calls run concurrently.
    let lent = match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => true,
        ReceiverKind::Typed(_, ty) => {
            matches!(peel(ty), Type::Reference(to) if to.mutability.is_none() && is_self(&to.elem))
        }
        _ => false,
    };
    let lifetime = match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, None) => lifetime.as_ref(),
        _ => None,
    };
    if let Some(lifetime) = lifetime.filter(|it| it.ident == "static") {
        let message = "the server lends this for one call; write `&self`";
        return Err(Error::new_spanned(lifetime, message));
    }
    if let Some(description) = described(&receiver.attrs) {
        // The type is built from tokens, so that errors about `Self` point at the receiver.
        return Err(Error::new_spanned(description, NEVER_SEEN));
    }
    if lent {
        let place = Span::mixed_site().located_at(receiver.span());
        return Ok(Parameter::State(Box::new(Type::Verbatim(
            quote_spanned!(place=> Self),
        ))));
    }
    let is_mut = match &receiver.kind {
        ReceiverKind::Reference(..) => true,
        ReceiverKind::Typed(_, ty) => matches!(peel(ty), Type::Reference(_)),
        _ => false,
    };
    let lock = if is_mut { LOCK } else { "" };
    Err(Error::new_spanned(
        receiver,
        format_args!("the server lends its state to many calls at once; write `&self`{lock}"),
    ))
}

/// The way to change lent state. rustc suggests `&mut` for a method that writes to a field.
const LOCK: &str = ", and put what a call changes into a `Mutex` or `RwLock`";

fn parse_lent(typed: &PatType, reference: &TypeReference) -> Result<Parameter> {
    // The order of these checks decides which error an author sees: the more specific ones come
    // first.
    if let Some(instead) =
        rmcp::instead_of_parameter(&reference.elem).filter(|_| !is_token(&reference.elem))
    {
        return Err(Error::new_spanned(reference, instead));
    }
    if let Some(instead) = owned_form(&reference.elem) {
        let message = format!("the caller sends arguments by value; write `{instead}`");
        return Err(Error::new_spanned(reference, message));
    }
    if selected::row_of(peel(&reference.elem)).is_some() {
        let message = format!(
            "the caller sends chosen rows by value; write `{}`",
            plain(&reference.elem)
        );
        return Err(Error::new_spanned(reference, message));
    }
    if reference.mutability.is_some() {
        let elem = plain(&reference.elem);
        // The context contains nothing to lock.
        let lock = if is_context(&reference.elem) {
            ""
        } else {
            LOCK
        };
        let message = format!("the server lends this to many calls at once; write `&{elem}`{lock}");
        return Err(Error::new_spanned(reference, message));
    }
    if let Some(message) = lent::refuse(peel(&reference.elem)) {
        return Err(Error::new_spanned(reference, message));
    }
    if let Some(lifetime) = reference
        .lifetime
        .as_ref()
        .filter(|it| it.ident == "static")
    {
        let elem = plain(&reference.elem);
        let message = format!("the server lends this for one call; write `&{elem}`");
        return Err(Error::new_spanned(lifetime, message));
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
        Some(cfg) => Err(Error::new_spanned(
            cfg,
            "what a tool borrows cannot depend on `cfg`; put it on the function",
        )),
        None => Ok(Parameter::State(Box::new(elem.clone()))),
    }
}

fn parse_argument(typed: &PatType, ty: &Type, errors: &mut Errors) -> Option<Argument> {
    let instead = rmcp::instead_of_parameter(ty).or_else(|| lent::refuse_owned(ty));
    let constraints = Constraints::parse(&typed.attrs, errors);
    // `#[arg(unchecked)]` accepts a type that only has the name of another framework's type.
    if let Some(instead) = instead.filter(|_| !constraints.unchecked) {
        // The pattern belongs to the other framework, too (`Extension(user): Extension<User>`), so
        // checking it would add a second error.
        errors.at(ty, instead);
        return None;
    }
    errors.take(check_owned(ty));
    let (local, whole) = errors.take(parse_pattern(&typed.pat))?;
    if !constraints.unchecked {
        map_keys::check(ty, errors);
    }
    let name = constraints
        .rename
        .as_ref()
        .map_or_else(|| local.unraw().to_string(), syn::LitStr::value);
    let doc = doc::plain(&typed.attrs);
    let whole = whole || last_segment(ty).is_some_and(|segment| segment.ident == "Args");
    if let Some(description) = described(&typed.attrs).filter(|_| whole) {
        errors.at(
            description,
            "`Args` takes many arguments; describe each at its field of the struct",
        );
    }
    // The fields of `Args<T>` are unknown here, so nothing may be concluded from its type's name.
    let known = if whole {
        StdType::Unknown
    } else {
        StdType::from_type(ty)
    };
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
    argument.parts = selected::sent_for(ty)
        .into_iter()
        .map(|(name, known)| argument.part(name, known))
        .collect();
    if let Some(arg) = called(&typed.attrs, "arg")
        .next()
        .filter(|_| !argument.parts.is_empty())
    {
        errors.at(
            arg,
            "`Selected` is several arguments, which its columns describe; remove `#[arg(…)]`",
        );
    }
    Some(argument)
}

/// Returns the first attribute that describes the parameter to callers.
fn described(attributes: &[Attribute]) -> Option<&Attribute> {
    called(attributes, "arg")
        .chain(called(attributes, "doc"))
        .next()
}

const NEVER_SEEN: &str =
    "callers never see what the server lends, so there is nothing to describe; remove it";

fn check_attributes(attributes: &[Attribute], errors: &mut Errors) {
    for word in FOREIGN {
        for attribute in called(attributes, word) {
            errors.at(
                attribute,
                format_args!(
                    "`#[{word}]` is for fields; {}",
                    field_attribute::instead(attribute)
                ),
            );
        }
    }
}

/// Parses `name`, `mut name`, or `Args(pattern)`. A pattern gets a generated variable.
fn parse_pattern(pattern: &Pat) -> Result<(Ident, bool)> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Ok((name.ident.clone(), false))
        }
        // Hygiene keeps this variable apart from a parameter called `arguments`.
        Pat::TupleStruct(whole) if whole.elems.len() == 1 => Ok((
            Ident::new("arguments", Span::mixed_site().located_at(pattern.span())),
            true,
        )),
        _ => Err(Error::new_spanned(
            pattern,
            "an argument needs a name; write `name: Type` and take it apart inside",
        )),
    }
}

/// Rejects an argument type that borrows or has no name. An argument owns its value.
fn check_owned(ty: &Type) -> Result<()> {
    match ty {
        ty if is_context(ty) => Err(Error::new_spanned(
            ty,
            "the server lends the call; write `&CallContext`",
        )),
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "an argument's type gives its schema; write a concrete type instead of `impl`",
        )),
        _ if mentions_context(ty) => Err(Error::new_spanned(
            ty,
            "the server lends the call to every tool; write `&CallContext`",
        )),
        _ => inner_types(ty).into_iter().try_for_each(check_owned_inside),
    }
}

/// Returns whether the call's context is inside of the type, as in `Option<&CallContext>`.
fn mentions_context(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_context(&reference.elem),
        ty => is_context(ty) || inner_types(ty).into_iter().any(mentions_context),
    }
}

fn check_owned_inside(ty: &Type) -> Result<()> {
    if selected::row_of(ty).is_some() {
        let rows = plain(ty);
        let message = format!(
            "`Selected` is several arguments, so it cannot be wrapped; write `{rows}`, which may be empty"
        );
        return Err(Error::new_spanned(ty, message));
    }
    let Type::Reference(reference) = ty else {
        return check_owned(ty);
    };
    let instead = owned(reference);
    Err(Error::new_spanned(
        ty,
        format_args!("an argument owns what the caller sent; write `{instead}` here"),
    ))
}

impl Argument {
    /// Returns one of the arguments that are sent for this parameter.
    fn part(&self, name: &str, known: StdType) -> Self {
        Self {
            local: self.local.clone(),
            name: name.to_owned(),
            ty: self.ty.clone(),
            known,
            doc: PlainDoc::default(),
            constraints: Constraints::default(),
            cfgs: self.cfgs.clone(),
            whole: false,
            parts: Vec::new(),
            is_part: true,
        }
    }

    /// Returns the arguments that callers send for this parameter.
    pub(crate) fn sent(&self) -> &[Self] {
        if self.parts.is_empty() {
            std::slice::from_ref(self)
        } else {
            &self.parts
        }
    }

    /// Returns the span of the argument's protocol name.
    pub(crate) fn name_span(&self) -> Span {
        self.constraints
            .rename
            .as_ref()
            .map_or(self.local.span(), Spanned::span)
    }

    /// Returns whether a call without the argument certainly fails.
    pub(crate) fn is_required(&self) -> bool {
        self.known.is_required() && !self.may_lack()
    }

    /// Returns whether the argument may be absent: it has a default, or a `cfg` may remove it.
    pub(crate) fn may_lack(&self) -> bool {
        self.constraints.default.is_some() || !self.cfgs.is_empty()
    }

    /// Returns whether only a validator can check the argument's text (`pattern`, `format`, JSON in
    /// a string).
    pub(crate) fn has_text_rules(&self) -> bool {
        self.is_part
            || self
                .constraints
                .entries()
                .any(|(keyword, ..)| ["pattern", "format"].contains(&keyword.word))
    }

    /// Returns the wrapper, if the type or the pattern looks like one that takes all arguments or a
    /// part of the request.
    pub(crate) fn wrapper(&self) -> Option<WrapperKind<'_>> {
        let parameters = std::iter::once(&self.ty)
            .chain(inner_types(&self.ty))
            .find(|ty| rmcp::is_parameters(ty));
        let is_args = last_segment(&self.ty).is_some_and(|segment| segment.ident == "Args");
        match parameters {
            Some(parameters) => Some(WrapperKind::Parameters(parameters)),
            // `Args` is this crate's wrapper, so its pattern needs no check.
            None if self.whole && !is_args => Some(WrapperKind::Pattern),
            None => rmcp::may_be_of_rmcp(&self.ty).then_some(WrapperKind::OfRmcp),
        }
    }

    /// Returns whether the type may take all arguments under another name: `use pd_runtime::Args as
    /// Parameters`.
    pub(crate) fn may_be_whole(&self) -> bool {
        self.known == StdType::Unknown
    }
}

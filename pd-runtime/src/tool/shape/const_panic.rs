//! The compile-time checks of examples and `#[arg]`. A failed check is a panic during const
//! evaluation, spanned at the words at fault. No function here is called at run time.

use super::{
    Field, Shape,
    const_json::{JsonCursor, JsonNumber},
    report::{PathStep, ValuePath},
    validate::ShapeValidator,
};
use crate::{
    protocol::keys::TICKET_ARGUMENT,
    text::{const_message::ConstMessage, const_str::is_same},
    tool::error::ErrorHelp,
};

use std::borrow::Cow;

/// Refuses example number `example` of `tool` if it does not fit the arguments.
#[track_caller]
pub const fn check_example(tool: &str, example: usize, input: &str, arguments: &[Field]) {
    let mut judge = ShapeValidator::new();
    judge.example(input, arguments);
    if let Some(faults) = judge.report.faults() {
        let number = ConstMessage::new()
            .text("in example ")
            .number(example as i128);
        refuse(tool, &number.text(", "), faults);
    }
}

/// Refuses the default of an argument if it does not fit the argument's type.
#[track_caller]
pub const fn check_default(tool: &str, argument: &str, value: &str, arguments: &[Field]) {
    check_value(tool, "in the default, ", argument, value, arguments);
}

/// Refuses the values of `one_of` if one does not fit the argument's type.
#[track_caller]
pub const fn check_one_of(tool: &str, argument: &str, values: &str, arguments: &[Field]) {
    // Each value by itself, so that the message names the one at fault.
    let mut value = JsonCursor::new(values).enter();
    while !value.at_end() {
        check_value(tool, "in `one_of`, ", argument, value.source(), arguments);
        value = value.next();
    }
}

#[track_caller]
const fn check_value(tool: &str, place: &str, argument: &str, value: &str, arguments: &[Field]) {
    let mut judge = ShapeValidator::new();
    if let Some(shape) = shape_of(arguments, argument) {
        judge.value(
            JsonCursor::new(value),
            shape,
            &ValuePath::new(None, PathStep::Name(argument)),
        );
    }
    if let Some(faults) = judge.report.faults() {
        refuse(tool, &ConstMessage::new().text(place), faults);
    }
}

/// The kind of value that a keyword of `#[arg]` applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordTarget {
    /// The smallest number (`minimum`).
    From,
    /// The largest number (`maximum`).
    To,
    /// Numbers, for keywords with a value that is not compared with the type's range.
    Numbers,
    /// Strings.
    Texts,
    /// Lists.
    Lists,
    /// Objects.
    Objects,
}

/// Refuses a keyword that does not apply to the argument's type, or a limit that the type cannot
/// hold.
#[track_caller]
pub const fn check_keyword(
    tool: &str,
    argument: &str,
    keyword: &str,
    limits: KeywordTarget,
    value: &str,
    arguments: &[Field],
) {
    let Some(mut shape) = shape_of(arguments, argument) else {
        return;
    };
    // `Option` only adds `null`, to which no keyword applies.
    while let Shape::Optional(inner) = shape {
        shape = inner;
    }
    let message = ConstMessage::new().text("`").text(keyword);
    let fits = match (limits, shape) {
        // The compiler knows nothing of the type, or another check reports the argument.
        (_, Shape::Unknown | Shape::Anything | Shape::Misplaced(_) | Shape::Whole(_)) => true,
        (KeywordTarget::From | KeywordTarget::To, Shape::Integer { min, max }) => {
            return check_limit(
                tool,
                argument,
                message,
                JsonCursor::new(value),
                (*min, *max),
            );
        }
        (
            KeywordTarget::From | KeywordTarget::To | KeywordTarget::Numbers,
            Shape::Number | Shape::Integer { .. },
        ) => true,
        (KeywordTarget::Texts, Shape::Text | Shape::Character | Shape::Variants(_)) => true,
        (KeywordTarget::Lists, Shape::List(_) | Shape::Tuple(_)) => true,
        (KeywordTarget::Objects, Shape::Map(_) | Shape::Struct { .. }) => true,
        _ => false,
    };
    if !fits {
        let message = message
            .text("` does not apply to `")
            .text(argument)
            .text("`, which is ")
            .text(noun(shape));
        refuse(tool, &message.text("; "), instead(keyword, shape));
    }
}

#[track_caller]
const fn check_limit(
    tool: &str,
    argument: &str,
    message: ConstMessage,
    value: JsonCursor<'_>,
    (min, max): (i128, i128),
) {
    // A fraction or an exponent is not compared here: const code has no exact form for it.
    if let JsonNumber::Whole(limit) = value.number()
        && (limit < min || limit > max)
    {
        let message = message
            .text("` is ")
            .number(limit)
            .text(", and the type of `")
            .text(argument)
            .text("` goes from ");
        let message = message.number(min).text(" to ").number(max);
        refuse(
            tool,
            &message,
            "; write a limit within, or take another type",
        );
    }
}

/// Returns what the author probably meant. JSON Schema has its own pair of size keywords for each
/// kind of value.
const fn instead(keyword: &str, shape: &Shape) -> &'static str {
    match (keyword.as_bytes(), shape) {
        // The letters suffice: every keyword with a counterpart begins with `min` or `max`.
        ([b'm', b'i', b'n', ..], Shape::Integer { .. } | Shape::Number) => "write `minimum`",
        ([b'm', b'a', b'x', ..], Shape::Integer { .. } | Shape::Number) => "write `maximum`",
        ([b'm', b'i', b'n', ..], Shape::Text) => "write `min_length`",
        ([b'm', b'a', b'x', ..], Shape::Text) => "write `max_length`",
        ([b'm', b'i', b'n', ..], Shape::List(_)) => "write `min_items`",
        ([b'm', b'a', b'x', ..], Shape::List(_)) => "write `max_items`",
        ([b'm', b'i', b'n', ..], Shape::Map(_)) => "write `min_properties`",
        ([b'm', b'a', b'x', ..], Shape::Map(_)) => "write `max_properties`",
        _ => "remove it",
    }
}

const fn noun(shape: &Shape) -> &'static str {
    match shape {
        Shape::Boolean => "a boolean",
        Shape::Integer { .. } | Shape::Number => "a number",
        Shape::Text | Shape::Character | Shape::Variants(_) => "a string",
        Shape::List(_) | Shape::Tuple(_) => "a list",
        _ => "an object",
    }
}

/// Refuses a sole argument that cannot hold all arguments, or that is another crate's wrapper for
/// them.
#[track_caller]
pub const fn check_root(tool: &str, arguments: &[Field]) {
    let [Field { shape, .. }] = arguments else {
        return;
    };
    let wrong = match shape {
        Shape::Misplaced(instead) => *instead,
        // The gate adds this property to the schema, so an argument of that name would collide with
        // it.
        Shape::Whole(Shape::Struct { fields, .. }) => match shape_of(fields, TICKET_ARGUMENT) {
            Some(_) => {
                "a struct with a field `disclosure_ticket`, which is reserved for the gate; rename the field"
            }
            None => return,
        },
        Shape::Whole(Shape::Map(_) | Shape::Unknown | Shape::Anything) => return,
        Shape::Whole(inner) => {
            let message = ConstMessage::new()
                .text("MCP sends arguments as an object, and what is in `Args` is ");
            refuse(tool, &message.text(noun(inner)), "; write a struct")
        }
        _ => return,
    };
    refuse(tool, &ConstMessage::new().text("this is "), wrong);
}

/// Refuses a parameter that is written as a wrapper of all arguments or as a part of the request,
/// but would be one argument.
///
/// `otherwise` is the message for a type with a shape that does not contain a message.
#[track_caller]
pub const fn check_wrapper(
    tool: &str,
    shape: &Shape,
    is_whole: bool,
    is_alone: bool,
    otherwise: &str,
) {
    if let Shape::Misplaced(instead) = shape {
        refuse(tool, &ConstMessage::new().text("this is "), instead);
    }
    // `Args` takes all arguments out of the object, and leaves none for another parameter.
    if is_whole && !is_alone {
        let rule = "`Args` takes all arguments, so it must be the only argument; make the others fields of its struct";
        refuse(tool, &ConstMessage::new(), rule);
    }
    if !is_whole && !otherwise.is_empty() {
        refuse(tool, &ConstMessage::new(), otherwise);
    }
}

/// Refuses an error code that the error type does not declare. An error type without codes is open
/// and accepts every code.
#[track_caller]
pub const fn check_error_code(tool: &str, code: &str, errors: &[ErrorHelp]) {
    let mut known = ConstMessage::new();
    let mut rest = errors;
    // A const function cannot dereference a `Cow`. All texts in constants are borrowed.
    while let [
        ErrorHelp {
            code: Cow::Borrowed(one),
            ..
        },
        after @ ..,
    ] = rest
    {
        if is_same(one, code) {
            return;
        }
        known = known
            .text("`")
            .text(one)
            .text(if after.is_empty() { "`" } else { "`, " });
        rest = after;
    }
    if !errors.is_empty() {
        let message = ConstMessage::new()
            .text("the error type has no code `")
            .text(code)
            .text("`; it has ");
        refuse(tool, &message, known.as_str());
    }
}

/// Refuses a map in a tool's signature if its key type does not serialize as a string.
#[track_caller]
pub const fn check_map_key(tool: &str, key: &str, pairs: &str, shape: Shape) {
    check_key("`#[pd_tool]`", tool, key, pairs, shape);
}

/// Refuses a map in a field if its key type does not serialize as a string.
#[track_caller]
pub const fn check_field_key(owner: &str, key: &str, pairs: &str, shape: Shape) {
    check_key("`#[derive(ToolArg)]`", owner, key, pairs, shape);
}

#[track_caller]
const fn check_key(attribute: &str, owner: &str, key: &str, pairs: &str, shape: Shape) {
    let kind = match shape {
        Shape::List(_) | Shape::Tuple(_) => "a list",
        Shape::Map(_) | Shape::Struct { .. } => "an object",
        Shape::Optional(_) => "an `Option`",
        // serde_json writes numbers and booleans as string keys, so other shapes are fine.
        _ => return,
    };
    let message = ConstMessage::new()
        .text("a key of a JSON object is a text, and `")
        .text(key)
        .text("` is ")
        .text(kind);
    refuse_at(
        attribute,
        owner,
        &message.text("; write `").text(pairs),
        "`",
    );
}

const fn shape_of<'a>(mut arguments: &'a [Field], name: &str) -> Option<&'a Shape> {
    while let [field, rest @ ..] = arguments {
        if is_same(field.name, name) {
            return Some(&field.shape);
        }
        arguments = rest;
    }
    None
}

/// Fails the compilation of a tool's crate with a message about `#[pd_tool]`.
#[track_caller]
pub(crate) const fn refuse(tool: &str, place: &ConstMessage, what: &str) -> ! {
    refuse_at("`#[pd_tool]`", tool, place, what)
}

#[track_caller]
#[allow(
    clippy::panic,
    reason = "this is how a const function refuses to compile"
)]
const fn refuse_at(attribute: &str, owner: &str, place: &ConstMessage, what: &str) -> ! {
    let message = ConstMessage::new()
        .text(attribute)
        .text(" on `")
        .text(owner)
        .text("`: ")
        .text(place.as_str())
        .text(what);
    panic!("{}", message.as_str())
}

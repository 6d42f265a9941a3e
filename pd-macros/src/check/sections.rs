//! Rules for the sections of the doc comment: no duplicate examples and no duplicate error codes.

use crate::{
    doc::{ErrorBullet, Example, ToolDoc},
    errors::Errors,
};

/// Reports duplicates. A model would look for a difference between two equal entries.
pub(super) fn check(doc: &ToolDoc, errors: &mut Errors) {
    each_with_earlier(&doc.examples, |example: &Example, earlier| {
        let is_same = |other: &Example| {
            other.arguments == example.arguments && other.tool_arguments == example.tool_arguments
        };
        // Only the later one is reported, because the author deletes one of the two.
        if earlier.iter().any(is_same) {
            errors.push(
                example.opening.span,
                "an example before this one has the same arguments; keep one of the two",
            );
        }
    });
    each_with_earlier(&doc.errors, |bullet: &ErrorBullet, earlier| {
        if earlier.iter().any(|other| other.code == bullet.code) {
            let message = format!(
                "`{}` occurs in `# Errors` twice; make it one bullet",
                bullet.code
            );
            errors.push(bullet.span, message);
        }
    });
}

fn each_with_earlier<T>(items: &[T], mut look: impl FnMut(&T, &[T])) {
    for (index, item) in items.iter().enumerate() {
        look(item, items.get(..index).unwrap_or_default());
    }
}

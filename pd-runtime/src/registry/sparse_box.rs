//! Parts that most tools do not have.

use std::ops::{Deref, DerefMut};

/// A value that takes a pointer until it differs from the default.
///
/// It reads as the value itself. The first change allocates memory, so code that may have nothing
/// to change checks before it writes.
#[derive(Debug, Clone)]
pub(crate) struct SparseBox<T>(Option<Box<T>>);

/// A type whose default exists once in the process, so that it can be borrowed from no owner.
pub(crate) trait StaticDefault: Default + 'static {
    /// Returns the default.
    fn static_default() -> &'static Self;
}

impl<T> Default for SparseBox<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: StaticDefault> Deref for SparseBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::static_default())
    }
}

impl<T: StaticDefault> DerefMut for SparseBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: StaticDefault> From<T> for SparseBox<T> {
    fn from(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

/// Implements [`StaticDefault`] by a static for each type.
macro_rules! static_default {
    ($($part:ty),+ $(,)?) => {
        $(impl $crate::registry::sparse_box::StaticDefault for $part {
            fn static_default() -> &'static Self {
                static DEFAULT: std::sync::LazyLock<$part> = std::sync::LazyLock::new(Default::default);
                &DEFAULT
            }
        })+
    };
}
pub(super) use static_default;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Clone, PartialEq)]
    struct RarePart {
        notes: Vec<String>,
    }

    static_default!(RarePart);

    #[test]
    fn only_a_change_takes_memory() {
        let mut part = SparseBox::<RarePart>::default();
        assert_eq!(size_of_val(&part), size_of::<usize>());
        assert!(part.notes.is_empty() && part.0.is_none());
        let before = part.clone();
        part.notes.push("slow".to_owned());
        assert_eq!(part.notes, ["slow"]);
        assert!(part.0.is_some() && before.notes.is_empty());
    }
}

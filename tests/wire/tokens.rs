//! The tokens of lists, signatures and whole conversations, counted by the tokenizer. Signatures cost least, and lose nothing.

mod conversation;
mod listing;
mod selective;
mod signatures;
mod steps;
mod which_listing;

//! What lists, signatures and whole conversations cost a model, counted by the tokenizer; and that signatures, which cost least,

//! lose nothing.
mod conversation;
mod listing;
mod selective;
mod signatures;

//! Rows that were chosen, joined with the rest that was sent along. What is fetched is tried in `fetch::tests`.

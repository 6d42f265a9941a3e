//! A tool with an interface: a board of cards, which hosts render as a page (MCP Apps).
//!
//! What to notice:
//!
//! - `ui` names the page. The compiler reads it: it reports a page that is missing, that loads what hosts block, or that
//!   calls a tool which the registry lacks.
//! - The page reads the structured content of results. A host without views shows the text of the same result.
//! - `move_card` is for the page alone: no model finds or calls it.
//!
//! ```sh
//! cargo run --example board -- tour
//! cargo run --example board -- serve
//! ```

use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    process::ExitCode,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The most cards.
const CARDS_MAX: usize = 100;

/// The server's state: cards, kept until it stops.
#[derive(Debug, Default)]
struct Board(Mutex<Vec<Card>>);

/// Where a card is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "lowercase")]
enum Column {
    Todo,
    Doing,
    Done,
}

/// A card of the board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Card {
    /// Its number.
    id: usize,
    /// What there is to do.
    text: String,
    /// Where it is.
    column: Column,
}

/// All cards.
#[derive(Debug, Serialize, JsonSchema)]
struct Cards {
    /// The cards, the oldest first.
    cards: Vec<Card>,
}

/// Why a card was not added or moved.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum BoardError {
    /// Move cards to `done`; the board forgets none before it stops.
    #[error("the board has {CARDS_MAX} cards, and takes no more")]
    Full,
    /// Read the board for its numbers.
    #[error("no card has the number {0}")]
    NoCard(usize),
}

impl Board {
    /// Returns every card with its number and its column.
    #[pd_tool(summary = "Show the board", ui = "board/board.html", read_only)]
    fn show_board(&self) -> Json<Cards> {
        Json(Cards {
            cards: self.cards().clone(),
        })
    }

    /// Puts a card into the column `todo`, and returns the board.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "text": "Water the plants" }
    /// ```
    #[pd_tool(summary = "Add a card to the board", related(Board::show_board))]
    fn add_card(
        &self,
        /// What there is to do.
        #[arg(min_length = 1, max_length = 80)]
        text: String,
    ) -> Result<Json<Cards>, BoardError> {
        let mut cards = self.cards();
        if cards.len() == CARDS_MAX {
            return Err(BoardError::Full);
        }
        let id = cards.len() + 1;
        cards.push(Card {
            id,
            text,
            column: Column::Todo,
        });
        drop(cards);
        Ok(self.show_board())
    }

    /// Moves a card, and returns the board.
    #[pd_tool(summary = "Move a card to a column", visibility = "app", idempotent)]
    fn move_card(
        &self,
        /// The number of the card.
        id: usize,
        /// Where it goes.
        column: Column,
    ) -> Result<Json<Cards>, BoardError> {
        let mut cards = self.cards();
        let moved = cards.iter_mut().find(|card| card.id == id);
        moved.ok_or(BoardError::NoCard(id))?.column = column;
        drop(cards);
        Ok(self.show_board())
    }

    fn cards(&self) -> MutexGuard<'_, Vec<Card>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn registry() -> Registry<Board> {
    pd_runtime::registry! {
        //! A board of cards that lasts as long as the server runs.
        Board::{show_board, add_card, move_card},
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(PdServer::builder(registry(), Board::default())).await
}

#[test]
fn the_registry_keeps_its_promises() -> Result<(), pd_runtime::check::RegistryErrors> {
    registry().check().map(drop)
}

#[test]
fn a_reviewer_has_nothing_to_remark() {
    assert_eq!(registry().lint(), []);
}

#[tokio::test]
async fn a_card_moves_from_column_to_column() -> Result<(), ToolError> {
    let board = Board::default();
    let (text, moved) = (
        serde_json::json!({ "text": "Water the plants" }),
        serde_json::json!({ "id": 1, "column": "done" }),
    );
    registry().call(&board, "add_card", text).await?;
    registry().call(&board, "move_card", moved.clone()).await?;
    assert_eq!(
        board.cards().first().map(|card| card.column),
        Some(Column::Done)
    );
    let missing = registry().call(&Board::default(), "move_card", moved).await;
    assert!(missing.is_err_and(|error| error.to_string().contains("no card has the number 1")));
    Ok(())
}

//! Progress bars on standard error. Without a terminal, nothing is drawn.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// The time that work takes before its bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two drawings of a bar, so that its clock goes on while nothing ends.
const TICK: Duration = Duration::from_millis(200);
const TEMPLATE: &str = "{msg}  {bar:24}  {pos} of {len}, {elapsed}";

/// A bar that appears once its work takes a second, and disappears with it.
#[derive(Debug)]
pub struct DelayedBar(ProgressBar);

impl DelayedBar {
    /// Creates a hidden bar with the name of the work.
    pub fn new(work: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        // The template is constant. If it were not valid, the bar would have the default style.
        let style = ProgressStyle::with_template(TEMPLATE).map(|style| style.progress_chars("██░"));
        let bar = if let Ok(style) = style {
            bar.with_style(style)
        } else {
            bar
        };
        Self(bar.with_message(work))
    }

    /// Sets how much is done.
    pub fn set(&self, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        if self.0.elapsed() >= DELAY && !self.0.is_finished() {
            self.show();
        }
        if done == total {
            self.0.finish_and_clear();
        }
    }

    fn show(&self) {
        if self.0.is_hidden() {
            // This target draws on terminals only.
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Waits for the work, and shows the bar meanwhile.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        tokio::select! {
            result = &mut work => return result,
            () = tokio::time::sleep(DELAY) => {}
        }
        self.show();
        self.0.enable_steady_tick(TICK);
        let result = work.await;
        self.0.finish_and_clear();
        result
    }
}

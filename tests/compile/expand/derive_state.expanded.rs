//! `#[derive(State)]` on named, tuple and generic structs.
use pd_runtime::prelude::*;
pub struct Clock;
#[derive(State)]
pub struct App<T: Send> {
    clock: Clock,
    #[cfg(unix)]
    store: Vec<T>,
    #[state(skip)]
    spare: Clock,
}
#[automatically_derived]
impl<T: Send> ::pd_runtime::__private::Provide<Clock> for App<T> {
    fn provide(&self) -> &Clock {
        &self.clock
    }
}
#[cfg(unix)]
#[automatically_derived]
impl<T: Send> ::pd_runtime::__private::Provide<Vec<T>> for App<T> {
    fn provide(&self) -> &Vec<T> {
        &self.store
    }
}
#[derive(State)]
#[pd(crate = ::pd_runtime)]
pub struct Pair(Clock, String);
#[automatically_derived]
impl ::pd_runtime::__private::Provide<Clock> for Pair {
    fn provide(&self) -> &Clock {
        &self.0
    }
}
#[automatically_derived]
impl ::pd_runtime::__private::Provide<String> for Pair {
    fn provide(&self) -> &String {
        &self.1
    }
}
fn main() {
    let _ = |app: App<u8>| app.spare;
}

//! The table of all measurements, and the promise that code mode keeps.

use super::{arm::Arm, workflow::Measurement};
use std::fmt;

/// The most round trips of a workflow by a program: find, describe, run.
const ROUND_TRIPS: usize = 3;
/// The most that a program's model reads, in percent of what a model reads that has all tools.
const PERCENT: usize = 10;

/// All measurements, with the arms of a workflow in order.
#[derive(Debug, Default)]
pub(crate) struct Report(pub(crate) Vec<Measurement>);

impl Report {
    /// The promises that a measurement breaks.
    pub(crate) fn broken_promises(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for measurement in &self.0 {
            let Measurement {
                workflow,
                arm,
                cost,
                is_right,
                answer,
                ..
            } = measurement;
            if !is_right {
                broken.push(format!("{workflow}, {arm}: the answer is wrong: {answer}"));
            }
            let promises = measurement.has_steps && *arm == Arm::RunCode;
            if promises && cost.round_trips > ROUND_TRIPS {
                broken.push(format!(
                    "{workflow}: {} round trips, over {ROUND_TRIPS}",
                    cost.round_trips
                ));
            }
            if promises && cost.input * 100 > self.full_input(workflow) * PERCENT {
                let percent = self.percent(measurement);
                broken.push(format!(
                    "{workflow}: a program's model reads {percent:.1} % of all, over {PERCENT} %"
                ));
            }
        }
        broken
    }

    /// The tokens that a model reads with all tools in full.
    fn full_input(&self, workflow: &str) -> usize {
        let is_full = |one: &&Measurement| one.workflow == workflow && one.arm == Arm::Full;
        self.0
            .iter()
            .find(is_full)
            .map_or(0, |full| full.cost.input)
    }

    fn percent(&self, measurement: &Measurement) -> f64 {
        100.0 * measurement.cost.input as f64 / self.full_input(measurement.workflow).max(1) as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| workflow             | arm                   | list | all input |  of full | output | round trips | waited, ms | right |\n\
             |----------------------|-----------------------|-----:|----------:|---------:|-------:|------------:|-----------:|-------|"
        )?;
        for measurement in &self.0 {
            let Measurement {
                workflow,
                arm,
                cost,
                is_right,
                ..
            } = measurement;
            let (arm, percent) = (arm.to_string(), self.percent(measurement));
            let (waited, right) = (
                cost.waited.as_secs_f64() * 1e3,
                if *is_right { "yes" } else { "no" },
            );
            writeln!(
                f,
                "| {workflow:20} | {arm:21} | {:>4} | {:>9} | {percent:>6.1} % | {:>6} | {:>11} | {waited:>10.1} | {right:5} |",
                cost.list, cost.input, cost.output, cost.round_trips
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{super::conversation::Cost, *};
    use serde_json::Value;

    fn measurement(arm: Arm, input: usize, round_trips: usize, is_right: bool) -> Measurement {
        let cost = Cost {
            input,
            round_trips,
            ..Cost::default()
        };
        Measurement {
            workflow: "work",
            has_steps: true,
            arm,
            cost,
            is_right,
            answer: Value::Null,
        }
    }

    #[test]
    fn a_program_that_costs_too_much_or_answers_wrong_breaks_a_promise() {
        let broken = |program| {
            Report(vec![measurement(Arm::Full, 1_000, 5, true), program])
                .broken_promises()
                .len()
        };
        let program =
            |input, round_trips, is_right| measurement(Arm::RunCode, input, round_trips, is_right);
        assert_eq!(broken(program(100, 3, true)), 0);
        assert_eq!(broken(program(101, 3, true)), 1);
        assert_eq!(broken(program(100, 4, true)), 1);
        assert_eq!(broken(program(100, 3, false)), 1);
        let single = Measurement {
            has_steps: false,
            ..program(5_000, 4, true)
        };
        assert_eq!(broken(single), 0);
    }
}

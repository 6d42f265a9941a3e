//! The nested arguments of the calendar's tools, and the words that they choose from.

use jiff::civil::Date;
use pd_runtime::ToolArg;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

/// Some days.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct DayRange {
    /// The first day, such as `2026-05-04`.
    pub(crate) from: Date,
    /// The last day, such as `2026-05-08`.
    pub(crate) to: Date,
}

/// The time of an appointment.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct TimeSlot {
    /// The local time at which it starts, such as `2026-05-04T15:00`.
    #[schemars(regex(pattern = r"^\d{4}-\d\d-\d\dT\d\d:\d\d"))]
    pub(crate) start: String,
    /// The length in minutes.
    pub(crate) minutes: Option<u32>,
}

/// A person to invite.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToolArg)]
pub(crate) struct Attendee {
    /// The person's mail address.
    pub(crate) email: String,
    /// Whether the appointment depends on the person.
    pub(crate) role: Role,
}

/// Whether an appointment depends on a person.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The appointment does not take place without the person.
    Required,
    /// The person may stay away.
    Optional,
}

/// The distance between two repetitions.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frequency {
    Daily,
    Weekly,
    Monthly,
}

/// The people who get a message about a change.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Notify {
    Everyone,
    ExternalOnly,
    Nobody,
}

/// An answer to an invitation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Response {
    Accepted,
    Declined,
    Tentative,
}

/// A message before an appointment.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToolArg)]
pub(crate) struct Reminder {
    /// The way of the message.
    pub(crate) channel: Channel,
    /// How many minutes before the appointment.
    pub(crate) minutes_before: u32,
}

/// The way of a reminder.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Channel {
    Email,
    Popup,
    Sms,
}

/// What another person may see and do in a calendar.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Access {
    /// When its owner is busy, and nothing else.
    FreeBusy,
    /// All appointments.
    Read,
    /// All appointments, which the person may change.
    Write,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// The hours of a day.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Hours {
    /// The beginning, such as `09:00`.
    #[schemars(regex(pattern = r"^\d\d:\d\d$"))]
    pub(crate) from: String,
    /// The end, such as `17:30`.
    #[schemars(regex(pattern = r"^\d\d:\d\d$"))]
    pub(crate) to: String,
}

impl fmt::Display for TimeSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start)?;
        self.minutes
            .map_or(Ok(()), |minutes| write!(f, " for {minutes} minutes"))
    }
}

//! A calendar as a server: ten tools whose arguments nest and choose from lists of words. Its state
//! never changes, so that each trial begins with the same appointments.

use super::calendar_terms::{
    Access, Attendee, Day, DayRange, Frequency, Hours, Notify, Reminder, Response, TimeSlot,
};
use jiff::civil::Date;
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The appointments of one person.
#[derive(Debug)]
pub(crate) struct Calendar {
    events: Vec<Event>,
}

/// One appointment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Event {
    id: &'static str,
    title: &'static str,
    start: &'static str,
    minutes: u32,
    organizer: &'static str,
}

/// A repetition of an appointment.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToolArg)]
pub(crate) struct Recurrence {
    /// The distance between two appointments.
    frequency: Frequency,
    /// The number of appointments in all.
    count: u32,
}

#[derive(Debug, thiserror::Error, ToolErrors)]
pub(crate) enum CalendarError {
    /// Ids come from `list_events` and `search_events`.
    #[error("no such event: `{0}`")]
    NoSuchEvent(String),
    /// Swap the two days.
    #[error("the range ends before it begins")]
    EmptyRange,
}

impl Default for Calendar {
    fn default() -> Self {
        let event = |id, title, start, minutes, organizer| Event {
            id,
            title,
            start,
            minutes,
            organizer,
        };
        let events = vec![
            event(
                "evt-101",
                "Planning",
                "2026-03-02T14:00",
                90,
                "ana@example.org",
            ),
            event(
                "evt-102",
                "Dentist",
                "2026-03-03T08:30",
                45,
                "me@example.org",
            ),
            event(
                "evt-103",
                "Lunch with Sam",
                "2026-03-04T12:00",
                60,
                "sam@example.org",
            ),
            event(
                "evt-104",
                "Trade fair",
                "2026-03-05T09:00",
                480,
                "bo@example.org",
            ),
            event(
                "evt-105",
                "Budget review",
                "2026-03-06T11:00",
                60,
                "me@example.org",
            ),
        ];
        Self { events }
    }
}

impl Calendar {
    /// Returns the appointments of some days, the earliest first.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "range": { "from": "2026-05-04", "to": "2026-05-08" } }
    /// ```
    #[pd_tool(
        summary = "List appointments of a range of days",
        related(Calendar::search_events),
        read_only
    )]
    fn list_events(
        &self,
        /// The days.
        range: DayRange,
    ) -> Result<Json<Vec<Event>>, CalendarError> {
        let (from, to) = (range.from.to_string(), range.to.to_string());
        if from > to {
            return Err(CalendarError::EmptyRange);
        }
        let is_in = |event: &&Event| {
            event
                .start
                .get(..10)
                .is_some_and(|day| (&*from..=&*to).contains(&day))
        };
        Ok(Json(self.events.iter().filter(is_in).cloned().collect()))
    }

    /// Compares the words with titles and organizers. Upper and lower case are the same.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "text": "offsite" }
    /// ```
    #[pd_tool(
        summary = "Find appointments by a word",
        related(Calendar::list_events),
        read_only
    )]
    fn search_events(
        &self,
        /// The word, or a part of it.
        #[arg(min_length = 1)]
        text: String,
    ) -> Json<Vec<Event>> {
        let text = text.to_lowercase();
        let is_hit = |event: &&Event| {
            event.title.to_lowercase().contains(&text) || event.organizer.contains(&text)
        };
        Json(self.events.iter().filter(is_hit).cloned().collect())
    }

    /// Enters an appointment and invites its attendees.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "title": "Retrospective", "time": { "start": "2026-05-04T15:00", "minutes": 45 },
    ///   "attendees": [{ "email": "kim@example.org", "role": "optional" }] }
    /// ```
    #[pd_tool(
        summary = "Enter an appointment and invite people",
        related(Calendar::move_event)
    )]
    fn create_event(
        &self,
        /// The title that all attendees see.
        #[arg(min_length = 1)]
        title: String,
        /// The time of the first appointment.
        time: TimeSlot,
        /// The people to invite.
        #[arg(default = [])]
        attendees: Vec<Attendee>,
        /// The repetition, if there is one.
        recurrence: Option<Recurrence>,
        /// The place.
        location: Option<String>,
    ) -> String {
        let times = recurrence.map_or_else(String::new, |again| {
            format!(", {} times {:?}", again.count, again.frequency)
        });
        let place = location.map_or_else(String::new, |place| format!(" at {place}"));
        let invited = attendees
            .iter()
            .map(|one| format!("{} ({:?})", one.email, one.role))
            .collect::<Vec<_>>();
        format!(
            "Entered evt-106 `{title}` {time}{times}{place}. Invited: [{}].",
            invited.join(", ")
        )
    }

    /// Moves an appointment and tells its attendees.
    #[pd_tool(
        summary = "Move an appointment to another time",
        related(Calendar::search_events)
    )]
    fn move_event(
        &self,
        /// The id of the appointment, such as `evt-7`.
        event_id: String,
        /// The new time. Without `minutes` the appointment keeps its length.
        time: TimeSlot,
    ) -> Result<String, CalendarError> {
        Ok(format!(
            "Moved `{}` to {time}.",
            self.event(&event_id)?.title
        ))
    }

    /// Removes an appointment from all calendars.
    #[pd_tool(
        summary = "Cancel an appointment",
        related(Calendar::search_events),
        destructive
    )]
    fn cancel_event(
        &self,
        /// The id of the appointment, such as `evt-7`.
        event_id: String,
        /// The people who get a message.
        notify: Notify,
    ) -> Result<String, CalendarError> {
        Ok(format!(
            "Cancelled `{}`; messages go to: {notify:?}.",
            self.event(&event_id)?.title
        ))
    }

    /// Answers the organizer of an appointment.
    #[pd_tool(summary = "Answer an invitation", related(Calendar::search_events))]
    fn respond_to_invitation(
        &self,
        /// The id of the appointment, such as `evt-7`.
        event_id: String,
        /// The answer.
        response: Response,
        /// A sentence to the organizer.
        comment: Option<String>,
    ) -> Result<String, CalendarError> {
        let (event, comment) = (self.event(&event_id)?, comment.unwrap_or_default());
        Ok(format!(
            "Answered {} about `{}`: {response:?}. {comment}",
            event.organizer, event.title
        ))
    }

    /// Sends one message before an appointment.
    #[pd_tool(
        summary = "Set a reminder of an appointment",
        related(Calendar::search_events)
    )]
    fn set_reminder(
        &self,
        /// The id of the appointment, such as `evt-7`.
        event_id: String,
        /// How and when to remind.
        reminder: Reminder,
    ) -> Result<String, CalendarError> {
        let title = self.event(&event_id)?.title;
        Ok(format!(
            "A reminder of `{title}` goes by {:?} {} minutes before.",
            reminder.channel, reminder.minutes_before
        ))
    }

    /// Compares the calendars of all participants within their working hours.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "participants": ["kim@example.org"], "minutes": 30,
    ///   "range": { "from": "2026-05-04", "to": "2026-05-05" } }
    /// ```
    #[pd_tool(
        summary = "Find a time at which people are free",
        related(Calendar::create_event),
        read_only
    )]
    fn find_free_time(
        &self,
        /// Their mail addresses.
        #[arg(min_items = 1)]
        participants: Vec<String>,
        /// The length of the appointment in minutes.
        #[arg(minimum = 5)]
        minutes: u32,
        /// The days to look at.
        range: DayRange,
    ) -> Json<Vec<String>> {
        let day: Date = range.from;
        Json(vec![
            format!(
                "{day}T09:15, {minutes} minutes, {} people",
                participants.len()
            ),
            format!("{day}T16:00"),
        ])
    }

    /// Gives one person access to a calendar. Access that the person had before is replaced.
    #[pd_tool(summary = "Share a calendar with a person")]
    fn share_calendar(
        &self,
        /// The name of the calendar: `work` or `home`.
        #[arg(one_of = ["work", "home"])]
        calendar: String,
        /// The person's mail address.
        person: String,
        /// What the person may see and do.
        access: Access,
    ) -> String {
        format!("{person} has the access {access:?} to `{calendar}`.")
    }

    /// Replaces the working hours, in which others find free time.
    #[pd_tool(summary = "Set the working hours of the week", idempotent)]
    fn set_working_hours(
        &self,
        /// The working days.
        #[arg(min_items = 1)]
        days: Vec<Day>,
        /// The hours of each working day.
        hours: Hours,
    ) -> String {
        format!(
            "Working hours: {days:?}, from {} to {}.",
            hours.from, hours.to
        )
    }

    fn event(&self, id: &str) -> Result<&Event, CalendarError> {
        self.events
            .iter()
            .find(|event| event.id == id)
            .ok_or_else(|| CalendarError::NoSuchEvent(id.to_owned()))
    }
}

pub(crate) fn registry() -> Registry<Calendar> {
    pd_runtime::registry! {
        //! The calendars of one person. Ids of appointments look like `evt-7`.
        #![name = "calendar"]

        Calendar::{list_events, search_events},

        /// Enter, move and cancel appointments, and answer invitations.
        appointments: Calendar::{create_event, move_event, cancel_event, respond_to_invitation, set_reminder},

        /// Share calendars, and find time with other people.
        people: Calendar::{find_free_time, share_calendar, set_working_hours},
    }
}

#[test]
fn the_registry_keeps_its_promises() -> Result<(), pd_runtime::check::RegistryErrors> {
    registry().check().map(drop)
}

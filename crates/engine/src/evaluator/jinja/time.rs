//! Dates. There is one moment in an expression, the recorded one: `now()` gives it however often it is asked. What it gives
//! behaves as Python's `datetime` does, in UTC and without fractions of a second; its `date()` and `time()` are the halves.

use super::calendar::{Calendar, Clock};
use super::strftime::strftime;
use minijinja::value::{DynObject, Kwargs, Object, ObjectRepr, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The name under which the moment is sent, in whole seconds since 1970.
pub(super) const NOW: &str = "now";

/// `now`, before it is called.
pub(super) fn now(seconds: i64) -> Value {
    Value::from_object(Now(Moment {
        half: Half::Both,
        calendar: Calendar::of(seconds),
        clock: Clock::of(seconds),
    }))
}

/// The text of a value, if it is a date.
pub(super) fn text(value: &Value) -> Option<String> {
    value.downcast_object_ref::<Moment>().map(ToString::to_string)
}

struct Now(Moment);

impl fmt::Debug for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<function now>")
    }
}

impl Object for Now {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        Ok(self.0.value())
    }
}

/// Which part of a moment a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    Both,
    Date,
    Time,
}

/// A date with its time, or one of both; what it is not is midnight, or never shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    half: Half,
    calendar: Calendar,
    clock: Clock,
}

impl Moment {
    fn value(self) -> Value {
        Value::from_object(self)
    }

    fn field(&self, name: &str) -> Option<Value> {
        let (has_date, has_time) = (self.half != Half::Time, self.half != Half::Date);
        Some(match name {
            "year" if has_date => self.calendar.year.into(),
            "month" if has_date => self.calendar.month.into(),
            "day" if has_date => self.calendar.day.into(),
            "hour" if has_time => self.clock.hour.into(),
            "minute" if has_time => self.clock.minute.into(),
            "second" if has_time => self.clock.second.into(),
            "microsecond" if has_time => 0.into(),
            "tzinfo" if has_time => ().into(),
            _ => return None,
        })
    }

    fn of_both(&self, name: &str, args: &[Value]) -> Result<Value, Error> {
        match name {
            "date" => {
                let () = from_args(args)?;
                Ok(Moment { half: Half::Date, clock: Clock::default(), ..*self }.value())
            }
            "time" => {
                let () = from_args(args)?;
                Ok(Moment { half: Half::Time, ..*self }.value())
            }
            "timestamp" => {
                let () = from_args(args)?;
                let seconds = self.calendar.days() * 86_400 + self.clock.seconds();
                #[expect(clippy::cast_precision_loss, reason = "no year has so many seconds")]
                Ok((seconds as f64).into())
            }
            _ => self.of_date(name, args),
        }
    }

    fn of_date(&self, name: &str, args: &[Value]) -> Result<Value, Error> {
        let no_arguments = || from_args::<()>(args);
        match name {
            "weekday" => no_arguments().map(|()| self.calendar.weekday().into()),
            "isoweekday" => no_arguments().map(|()| (self.calendar.weekday() + 1).into()),
            "ctime" => {
                no_arguments()?;
                strftime("%a %b %e %H:%M:%S %Y", self.calendar, self.clock).map(Value::from)
            }
            _ => self.of_all(name, args),
        }
    }

    fn of_all(&self, name: &str, args: &[Value]) -> Result<Value, Error> {
        match name {
            "isoformat" => self.iso_format(args),
            "strftime" => {
                let (format,): (&str,) = from_args(args)?;
                strftime(format, self.calendar, self.clock).map(Value::from)
            }
            "replace" => self.replace(args),
            _ => Err(ErrorKind::UnknownMethod.into()),
        }
    }

    fn iso_format(&self, args: &[Value]) -> Result<Value, Error> {
        if self.half == Half::Date {
            return from_args(args).map(|()| self.to_string().into());
        }
        let (between, kwargs): (Option<&str>, Kwargs) = from_args(args)?;
        let between =
            between.map_or_else(|| kwargs.get::<Option<&str>>("sep"), |it| Ok(Some(it)))?.unwrap_or("T");
        let time = match kwargs.get::<Option<&str>>("timespec")?.unwrap_or("auto") {
            "auto" | "seconds" => "%H:%M:%S",
            "minutes" => "%H:%M",
            "hours" => "%H",
            "milliseconds" => "%H:%M:%S.000",
            "microseconds" => "%H:%M:%S.000000",
            other => return Err(refused(format!("`isoformat` knows no timespec `{other}`"))),
        };
        kwargs.assert_all_used()?;
        let date = if self.half == Half::Both { "%Y-%m-%d" } else { "" };
        let (date, time) =
            (strftime(date, self.calendar, self.clock)?, strftime(time, self.calendar, self.clock)?);
        Ok(if date.is_empty() { time } else { format!("{date}{between}{time}") }.into())
    }

    /// The same with other parts, given by name.
    fn replace(&self, args: &[Value]) -> Result<Value, Error> {
        let (given,): (Kwargs,) = from_args(args)?;
        let part = |name: &str, now: u8| Ok::<_, Error>(given.get::<Option<u8>>(name)?.unwrap_or(now));
        let mut moment = *self;
        if self.half != Half::Time {
            let year = given.get::<Option<i64>>("year")?.unwrap_or(self.calendar.year);
            let (month, day) = (part("month", self.calendar.month)?, part("day", self.calendar.day)?);
            moment.calendar = Calendar::new(year, month, day)
                .ok_or_else(|| refused(format!("there is no day {year}-{month:02}-{day:02}")))?;
        }
        if self.half != Half::Date {
            let clock = self.clock;
            let (hour, minute, second) =
                (part("hour", clock.hour)?, part("minute", clock.minute)?, part("second", clock.second)?);
            moment.clock = Clock::new(hour, minute, second)
                .ok_or_else(|| refused(format!("there is no time {hour:02}:{minute:02}:{second:02}")))?;
        }
        given.assert_all_used()?;
        Ok(moment.value())
    }
}

impl Object for Moment {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.field(key.as_str()?)
    }

    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        name: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match self.half {
            Half::Both => self.of_both(name, args),
            Half::Date => self.of_date(name, args),
            Half::Time => self.of_all(name, args),
        }
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Moment>().map(|other| (**self).cmp(other))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.half {
            Half::Both => write!(f, "{} {}", self.calendar, self.clock),
            Half::Date => write!(f, "{}", self.calendar),
            Half::Time => write!(f, "{}", self.clock),
        }
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn refused(words: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, words)
}

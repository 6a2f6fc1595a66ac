//! Reads one resource, whole or up to its bound.

use super::step;
use super::uri::{self, Address};
use crate::mcp::fit::fill;
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs::{self, Sight};
use crate::mcp::traces;
use crate::mcp::visit::Visit;
use crate::mcp::workflows;
use engine::store::{Reader, RunRow};
use engine::view::{Detail, Held, Values};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, ResourceContents};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::Arc;

/// The most that one read gives.
pub(super) const BYTES_MAX: usize = 1 << 20;

/// The most computations that one read gives.
const TRACES_MAX: usize = 10_000;

/// What a resource holds.
struct Text {
    text: String,
    kind: &'static str,
}

/// Reads a resource.
pub(in crate::mcp) async fn read(visit: &Arc<Visit>, uri: String) -> Result<ReadResourceResult, ErrorData> {
    let Some(address) = uri::parse(&uri) else { return Err(unknown(&uri)) };
    let looked = visit.look(move |visit, reader| text(visit, reader, address)).await;
    match looked.and_then(|found| found) {
        Ok(Text { text, kind }) => {
            let contents = ResourceContents::text(text, uri).with_mime_type(kind);
            Ok(ReadResourceResult::new(vec![contents]))
        }
        Err(problem) => Err(missing(&uri, problem)),
    }
}

fn text(visit: &Visit, reader: &Reader, address: Address) -> Result<Text, Problem> {
    let sight = Sight::of(visit, false);
    let find = |id: &str| runs::find(reader, id, &sight);
    match address {
        Address::Workflows => Ok(json_text(json!(workflows::names(&*visit.library()?)))),
        Address::Definition(name) => definition(visit, &name),
        Address::Runs => Ok(json_text(json!(runs::list(visit, reader, &sight)?))),
        Address::Run(id) => {
            let view = runs::view_of(visit, reader, &find(&id)?.id)?;
            let document = view.to_json(Values(reader), Detail::Whole).map_err(runs::not_loaded)?;
            Ok(json_text(document))
        }
        Address::Journal(id) => journal(reader, &find(&id)?),
        Address::State(id, seq) => {
            let row = find(&id)?;
            if let Some(seq) = seq.filter(|seq| *seq > row.head.seq) {
                let error = format!("run {} has no entry {seq}: its last one is {}", row.id, row.head.seq);
                return Err(Problem::new("unknown-entry", error).help("Name one of its entries"));
            }
            let held =
                Held::load_until(reader, &row.id, seq.unwrap_or(u64::MAX)).map_err(runs::not_loaded)?;
            Ok(json_text(Value::Object(held.map(|held| held.flat()).unwrap_or_default())))
        }
        Address::Traces(id, field) => {
            let row = find(&id)?;
            let traces = traces::Traces::of(visit, reader, &row.id, field.as_deref(), TRACES_MAX)?;
            Ok(json_text(traces.to_json(&row.id, true, BYTES_MAX)))
        }
        Address::Step(id, step) => {
            let view = runs::view_of(visit, reader, &find(&id)?.id)?;
            Ok(json_text(step::whole(&view, reader, &step)?))
        }
        Address::Piece { run, step, side, name, from } => {
            let view = runs::view_of(visit, reader, &find(&run)?.id)?;
            Ok(json_text(step::piece(&view, reader, &step, (side, &name), from)?))
        }
    }
}

fn definition(visit: &Visit, name: &str) -> Result<Text, Problem> {
    let library = visit.library()?;
    let definition = workflows::find(&library, name)?;
    let source = &definition.reading.source;
    if source.text.is_empty() {
        // Then there was nothing to read, and the reason is the answer.
        workflows::plan(definition)?;
    }
    let kind =
        if source.text.trim_start().starts_with('{') { "application/json" } else { "application/yaml" };
    // The library reads no file that is larger than one read here gives.
    Ok(Text { text: source.text.to_string(), kind })
}

fn json_text(value: Value) -> Text {
    let filled = if value.is_array() { None } else { fill(&value, BYTES_MAX, 0) };
    Text { text: filled.unwrap_or(value).to_string(), kind: "application/json" }
}

/// The lines of a journal that fit; the last line says what does not.
fn journal(reader: &Reader, row: &RunRow) -> Result<Text, Problem> {
    let mut out = Bounded::default();
    reader.export(&row.id, &mut out).map_err(|error| {
        Problem::new("unreadable-run", error.to_string())
            .help("A person looks at it with `switchback verify`")
    })?;
    let (mut kept, total) = (out.kept, out.total);
    if total > kept.len() {
        // Only whole lines: each is a document of its own.
        let end = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
        kept.truncate(end);
        let word = json!({ "left_out_bytes": total - end, "all_of_it": format!("switchback show {} --journal", row.id) });
        kept.extend_from_slice(format!("{word}\n").as_bytes());
    }
    Ok(Text { text: String::from_utf8_lossy(&kept).into_owned(), kind: "application/x-ndjson" })
}

/// Keeps the beginning of what is written, and counts all of it.
#[derive(Default)]
struct Bounded {
    kept: Vec<u8>,
    total: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = BYTES_MAX - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.total += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unknown(uri: &str) -> ErrorData {
    let known = [uri::WORKFLOWS, uri::RUNS, "workflow://definition/{name}", "switchback://run/{id}"];
    let of_run = [
        "journal",
        "state",
        "state/{entry}",
        "transformations",
        "transformations/{field}",
        "step/{step}",
        "step/{step}/{side}/{name}/{from}",
    ];
    let of_run = of_run.map(|part| format!("switchback://run/{{id}}/{part}"));
    let known: Vec<&str> = known.into_iter().chain(of_run.iter().map(String::as_str)).collect();
    let data = json!({ "uri": said(uri), "available_options": known });
    ErrorData::resource_not_found(format!("there is no resource {}", said(uri)), Some(data))
}

fn missing(uri: &str, problem: Problem) -> ErrorData {
    let mut data = problem.into_json();
    let error = data["error"].as_str().unwrap_or_default().to_owned();
    data["uri"] = said(uri).into();
    match data["code"].as_str() {
        Some(code) if code.starts_with("unknown") || code.starts_with("ambiguous") => {
            ErrorData::resource_not_found(error, Some(data))
        }
        _ => ErrorData::internal_error(error, Some(data)),
    }
}

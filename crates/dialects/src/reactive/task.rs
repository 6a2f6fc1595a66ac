//! Tasks of sub-agents: their inputs, their steps, and what is done when they fail. A task becomes a body of the plan, and
//! each item is a lane through it.

use super::code::As;
use super::inputs::is_declared;
use super::reader::Reader;
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::language::Path;
use kernel::plan::{Body, Expr, Foreign, Language, Node};
use serde_json::Value;

/// How deep tasks may use tasks.
pub const DEPTH_MAX: usize = 5;

const TASK: Shape = Shape {
    has_no: "a task has no key",
    keys: &["description", "inputs", "steps", "error_handling"],
    elsewhere: &[
        ("name", "a task is called by its key"),
        ("default_state", "tasks share the state of their workflow: it belongs there"),
        ("state_schema", "tasks share the state of their workflow: it belongs there"),
        ("prompt", "it belongs to the `parallel_foreach` step: `sub_agent_prompt_override`"),
        ("on_error", "it belongs to the `parallel_foreach` step: `on_sub_agent_error`"),
    ],
};

const ERRORS: Shape = Shape {
    has_no: "the `error_handling` of a task has no key",
    keys: &["return_on_error", "cleanup_on_error"],
    elsewhere: &[
        ("on_error", "it belongs to the `parallel_foreach` step: `on_sub_agent_error`"),
        ("on_failure", "did you mean `cleanup_on_error`?"),
    ],
};

impl<'n> Reader<'_, 'n> {
    /// The body of a task, which is read once.
    pub(super) fn task_body(&mut self, task: usize, named: &'n Text) -> u32 {
        if self.inside.contains(&task) || self.inside.len() >= DEPTH_MAX {
            self.not_inside(task, named);
            return 0;
        }
        if let Some(body) = self.task_bodies.get(&task) {
            return *body;
        }
        let (node, file) = (self.world.tasks[task].node, self.world.tasks[task].spot.file);
        self.inside.push(task);
        let before = std::mem::take(&mut self.site);
        self.site.task = Some(task);
        self.site.variables = ["item", "index"].map(str::to_owned).into();
        self.site.variables.extend(self.world.tasks[task].inputs.iter().map(|name| (*name).to_owned()));
        let body = self.in_file(file, |reader| {
            reader.afresh();
            let nodes = reader.task_nodes(task, node);
            let body = reader.open_body();
            reader.bodies[body as usize] = nodes;
            body
        });
        self.site = before;
        self.inside.pop();
        self.task_bodies.insert(task, body);
        body
    }

    fn not_inside(&mut self, task: usize, named: &'n Text) {
        let way = self.inside.iter().chain([&task]).map(|task| format!("`{}`", self.world.tasks[*task].name));
        let names = way.collect::<Vec<_>>().join(" -> ");
        let is_circle = self.inside.contains(&task);
        self.sheet().error(|sheet| match is_circle {
            true => sheet
                .error("task-cycle", named.place(), format!("tasks use each other in a circle: {names}"))
                .hint("let one of them do without the next"),
            false => sheet
                .error(
                    "too-deep",
                    named.place(),
                    format!("tasks use tasks more than {DEPTH_MAX} deep: {names}"),
                )
                .hint("let one task do what two do now"),
        });
    }

    fn task_nodes(&mut self, task: usize, node: &'n Text) -> Body {
        let name = self.world.tasks[task].name;
        if node.as_map().is_none() {
            let hint = format!("write `{name}: {{steps: [...]}}`");
            shape::wrong_kind(self.sheet(), node, &format!("the task `{name}`"), "a mapping", &hint);
            return Body::new();
        }
        let meant = shape::check_keys(self.sheet(), node, &TASK);
        super::head::description(self.sheet(), node);
        let body = match node.get("steps").filter(|steps| !steps.is_null()) {
            Some(steps) => self.list(steps, "steps"),
            None => {
                if !meant.contains("steps") {
                    let (owner, place) = (format!("the task `{name}`"), self.world.tasks[task].spot.span);
                    shape::missing(
                        self.sheet(),
                        place,
                        &owner,
                        "steps",
                        "say what is done: `steps: [{type: mcp_call, ...}]`",
                    );
                }
                Body::new()
            }
        };
        self.cleaned(node, body)
    }

    /// Puts what is done after a failure around the steps of a task.
    fn cleaned(&mut self, node: &'n Text, main: Body) -> Body {
        let Some(rules) = node.get("error_handling").filter(|rules| !rules.is_null()) else { return main };
        if !shape::is_map(
            self.sheet(),
            rules,
            "`error_handling`",
            "write `error_handling: {cleanup_on_error: [...]}`",
        ) {
            return main;
        }
        shape::check_keys(self.sheet(), rules, &ERRORS);
        let told = rules.get("return_on_error").filter(|flag| !flag.is_null());
        let told = told.is_none_or(|flag| self.flag(flag, "return_on_error"));
        let cleanup = rules.get("cleanup_on_error").filter(|list| !list.is_null());
        let mut catch = cleanup.map_or_else(Body::new, |list| {
            self.at(|site| site.has_error = true, |reader| reader.list(list, "cleanup_on_error"))
        });
        if catch.is_empty() && told {
            return main;
        }
        if told {
            catch.push(Node::Raise);
        }
        let (tried, caught) = (self.open_body(), self.open_body());
        self.bodies[tried as usize] = main;
        self.bodies[caught as usize] = catch;
        vec![Node::Try { body: tried, catch: Some(caught) }]
    }

    /// What each lane of a task is given: its inputs, and what names its item. The place is that of the step that uses the
    /// task. Fields of the item are read as they are.
    pub(super) fn lane_given(&mut self, task: usize) -> Vec<(String, Expr)> {
        let (node, file) = (self.world.tasks[task].node, self.world.tasks[task].spot.file);
        let mut given = Vec::new();
        if let Some(inputs) = node.get("inputs").filter(|inputs| !inputs.is_null()) {
            self.in_file(file, |reader| {
                let hint = "name each input: `inputs: {files: {type: array}}`";
                if shape::is_map(reader.sheet(), inputs, "`inputs`", hint) {
                    given = reader.given_inputs(inputs);
                }
            });
        }
        if given.iter().all(|(name, _)| name != "batch_id") {
            given.push(("batch_id".to_owned(), batch_id(self.world.tasks[task].name)));
        }
        given
    }

    fn given_inputs(&mut self, inputs: &'n Text) -> Vec<(String, Expr)> {
        let declared = crate::steps::declared(self.sheet(), inputs, is_declared);
        // The only input that is required, or the only one there is, is the item where that is no object.
        let required: Vec<&str> =
            declared.iter().filter(|input| input.required).map(|input| input.name.as_str()).collect();
        let single = match (required.as_slice(), declared.as_slice()) {
            ([one], _) => Some((*one).to_owned()),
            ([], [one]) => Some(one.name.clone()),
            _ => None,
        };
        let mut given = Vec::new();
        for (name, _, value) in shape::unique(inputs) {
            let expr = match declared.iter().find(|input| input.name == name) {
                Some(input) => {
                    let is_single = single.as_deref() == Some(name);
                    of_item(input_of_item(name, input.default.as_ref(), input.required, is_single))
                }
                None => self.at(
                    |site| site.variables = ["item", "index"].map(str::to_owned).into(),
                    |reader| reader.value(value),
                ),
            };
            given.push((name.to_owned(), expr));
        }
        given
    }
}

/// An expression over the item and its number.
pub(super) fn of_item(source: String) -> Expr {
    let reads = ["item", "index"].map(|name| Path::of(name, &[])).to_vec();
    Expr::Foreign(Foreign { language: Language::JavaScript, source, reads, given: Vec::new(), origin: None })
}

/// How an item becomes an input of a task: its field of that name, all of it where it is no object, or what is declared.
fn input_of_item(name: &str, default: Option<&Value>, required: bool, is_single: bool) -> String {
    let key = Value::from(name).to_string();
    let otherwise = match default {
        Some(value) => format!("({value})"),
        None if required => {
            let why = Value::from(format!("the item has no `{name}`, which the task needs")).to_string();
            format!("(() => {{ throw new Error({why}); }})()")
        }
        None => "null".to_owned(),
    };
    let is_object = "item !== null && typeof item === 'object' && !Array.isArray(item)";
    let whole = if is_single { "item" } else { otherwise.as_str() };
    format!("{is_object} ? (item[{key}] !== undefined ? item[{key}] : {otherwise}) : {whole}")
}

/// What the task of an item is called.
pub(super) fn task_id(task: &str) -> Expr {
    id_of_item(task, "item.task_id ?? item.id ?? item.batch_id")
}

/// What the batch of an item is called: what the item says of it, else as its task.
fn batch_id(task: &str) -> Expr {
    let own = "(item !== null && typeof item === 'object' ? item.batch_id ?? item.id : undefined)";
    of_item(format!("{own} ?? {}", source_of_id(task, "item.task_id")))
}

/// What names an item: what one of its fields says, the item where it is a short name itself, or else its number.
fn id_of_item(task: &str, fields: &str) -> Expr {
    of_item(source_of_id(task, fields))
}

fn source_of_id(task: &str, fields: &str) -> String {
    let name = Value::from(task).to_string();
    format!(
        "(() => {{ const id = item !== null && typeof item === 'object' ? {fields} : item; \
         const fits = typeof id === 'number' && id !== item || typeof id === 'string' && /^[A-Za-z0-9_.:-]{{1,64}}$/.test(id); \
         return fits ? String(id) : {name} + '_' + index; }})()"
    )
}

/// A text for sub-agents, in place of what they are usually told.
pub(super) fn prompt<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text) -> Option<Expr> {
    shape::text(reader.sheet(), node, "`sub_agent_prompt_override`")?;
    Some(reader.text(node, As::Text))
}

//! The flows as data: a graph of blocks, bodies of nodes; the machine has its own file.

use super::{Expr, Machine, Write};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the next step is chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Each block as soon as it is ready.
    Graph(Graph),
    /// One node after the other, in lanes.
    Sequence(Sequence),
    /// One state at a time.
    Machine(Machine),
}

/// Blocks and what they wait for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// The blocks; block `n` does step `n` of the plan.
    pub blocks: Vec<Block>,
    /// Most blocks that run at once.
    pub width_max: u32,
    /// Block by name.
    pub names: BTreeMap<String, u32>,
}

/// One block of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The blocks it waits for.
    pub depends_on: Vec<u32>,
    /// The blocks that wait for it.
    pub dependents: Vec<u32>,
    /// Whether it runs once they have ended.
    pub condition: Option<Expr>,
    /// Whether some condition or output looks at how it ended, so that its failure is handled.
    pub watched: bool,
    /// Where it is done once for each item of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<Each>,
}

/// What a block is done for, item by item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Each {
    /// The items.
    pub items: Expr,
    /// Most items at once; as many as the graph has room for, if nothing is said.
    pub width_max: Option<u32>,
}

impl Graph {
    /// A graph of blocks given by name, dependencies and condition.
    pub fn new(blocks: Vec<(String, Vec<u32>, Option<Expr>)>, width_max: u32) -> Self {
        let names = blocks.iter().zip(0..).map(|((name, ..), position)| (name.clone(), position)).collect();
        let mut dependents = vec![Vec::new(); blocks.len()];
        for ((_, depends_on, _), position) in blocks.iter().zip(0..) {
            depends_on.iter().for_each(|earlier| dependents[*earlier as usize].push(position));
        }
        let blocks = blocks
            .into_iter()
            .zip(dependents)
            .map(|((_, depends_on, condition), dependents)| Block {
                depends_on,
                dependents,
                condition,
                watched: false,
                for_each: None,
            })
            .collect();
        Graph { blocks, width_max, names }
    }
}

/// Bodies of nodes; the run starts in body 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// The bodies.
    pub bodies: Vec<Body>,
}

/// Nodes in order.
pub type Body = Vec<Node>;

/// One node of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Do a step, then write what it gave.
    Do {
        /// The step.
        step: u32,
        /// Changes of the state after success; all or none.
        writes: Vec<Write>,
        /// What its failure does.
        on_failure: OnFailure,
        /// Changes of the state after a failure, whether the lane goes on or not; they read `error`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        otherwise: Vec<Write>,
    },
    /// Change the state.
    Set {
        /// The changes; all or none.
        writes: Vec<Write>,
    },
    /// The body of the first condition that holds.
    Branch {
        /// Conditions and bodies, in order.
        arms: Vec<(Expr, u32)>,
        /// The body where none holds.
        otherwise: Option<u32>,
    },
    /// A body again and again while a condition holds.
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: u32,
        /// Most rounds; one more fails the run.
        iterations_max: u32,
        /// Whether the loop is left with a warning at its bound, and nothing fails.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        leave: bool,
    },
    /// A body once for each item, one after the other.
    Foreach {
        /// The items.
        items: Expr,
        /// The name of the item in the body.
        variable: String,
        /// The body.
        body: u32,
    },
    /// A body once for each item, each in a lane of its own.
    Fork {
        /// The items.
        items: Expr,
        /// The name of the item in the body.
        variable: String,
        /// The body.
        body: u32,
        /// Most lanes at once.
        width_max: u32,
        /// What a failed lane does.
        on_failure: OnFailure,
        /// Where the lanes' results go, in order of the items.
        collect: Option<String>,
        /// Where the lanes are tasks of others: what each of them is called and given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tasks: Option<Box<Tasks>>,
    },
    /// What this lane gives, for `collect`.
    Give {
        /// The value.
        value: Expr,
    },
    /// Leave the innermost loop.
    Break,
    /// Go to a node of this body or of one around it.
    Goto {
        /// The target.
        to: Place,
        /// Most jumps; one more fails the run.
        iterations_max: u32,
    },
    /// End the run with a value.
    Return {
        /// The value.
        value: Expr,
    },
    /// The run fails.
    Fail {
        /// Why.
        message: Expr,
    },
    /// A body that may fail. Whoever reads what they did not declare is not caught.
    Try {
        /// The body.
        body: u32,
        /// What is done after a failure; it reads `error`. Without it the lane goes on.
        catch: Option<u32>,
    },
    /// A body in which what fails is done again where it failed, once what follows the failure has come to its end.
    Again {
        /// The body.
        body: u32,
        /// What is done after a failure; it reads `error`.
        catch: u32,
        /// Most times; one more failure is not caught here.
        times_max: u32,
    },
    /// Fails again with the failure that was caught.
    Raise,
    /// Ends the run as it stands, with its outputs.
    Exit,
    /// Tells a warning.
    Warn {
        /// What is said.
        message: Expr,
    },
    /// A child run for each item.
    Spread(Spread),
    /// A node that the definition has as a step: it reads what that step may read, and is passed by where `when` does not
    /// hold. What holds within a step holds by Python's rules: an empty list does not, and text does as it says.
    Within {
        /// The step. Where the node does a step, it is that one.
        step: u32,
        /// Whether it is done.
        when: Option<Expr>,
        /// The node, which is not within another step.
        node: Box<Node>,
    },
}

impl Node {
    /// The node itself, whatever it is within.
    pub fn inner(&self) -> &Node {
        if let Node::Within { node, .. } = self { node } else { self }
    }

    /// The step that it is within, and whether that is done.
    pub(crate) fn who(&self) -> Option<(u32, Option<&Expr>)> {
        if let Node::Within { step, when, .. } = self { Some((*step, when.as_ref())) } else { None }
    }
}

/// Lanes that are tasks of sub-agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tasks {
    /// The step of the definition that has them.
    pub step: u32,
    /// What is done for each item, by name.
    pub task: String,
    /// What the task of an item is called; the same name again is told apart by a number.
    pub id: Expr,
    /// Variables of each lane, and what its sub-agent is told; they read the item and its `index`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(String, Expr)>,
    /// What sub-agents are told in place of what they are usually told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Expr>,
    /// How often a failed lane is begun again, each time after all others have ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries_max: u32,
    /// The path of a list to which the failures of lanes are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<String>>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A child run for each item of a list. All items begin, whatever becomes of others, and the lane goes on when all have ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The step whose work is the child.
    pub step: u32,
    /// The name of the task; children are named after it.
    pub task: String,
    /// The items.
    pub items: Expr,
    /// How an item becomes what the child is given.
    pub given: ItemInputs,
    /// Most children at once.
    pub width_max: u32,
    /// What a failed child does, once all have ended.
    pub on_failure: OnFailure,
    /// Where the results go, in order of the items.
    pub collect: Option<String>,
}

/// How an item becomes the inputs of a child: by name where it is an object that has all that is required, else as the
/// only one that is. It is given as [`ITEM`](super::ITEM) in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemInputs {
    /// The inputs that the child has.
    pub names: Vec<String>,
    /// Those that must be given.
    pub required: Vec<String>,
    /// The input that an item is given as.
    pub single: Option<String>,
}

/// A node's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The body.
    pub body: u32,
    /// The position in it.
    pub position: u32,
}

/// What a failure does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The run fails.
    #[default]
    Fail,
    /// The lane goes on with the next node.
    Continue,
    /// What said no has been done all the same: what it gave is written. Everything else fails the run.
    Take,
}

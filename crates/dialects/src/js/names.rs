//! The names that a piece of JavaScript takes from outside: those that nothing in it declares.
//!
//! Declarations may follow their uses, so that names are told apart only when all has been seen.

use oxc_ast::ast::{
    AssignmentTarget, BindingIdentifier, CallExpression, Class, ComputedMemberExpression, Expression,
    Function, IdentifierReference, NewExpression, SimpleAssignmentTarget, StaticMemberExpression,
    UnaryExpression, VariableDeclaration,
};
use oxc_ast_visit::{VisitJs, walk_js as walk};
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

/// A name from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// The name.
    pub(crate) root: String,
    /// The field of it that is read, where that is written out: `a.b`, `a['b']`.
    pub(crate) key: Option<String>,
    /// Where it stands, its field included.
    pub(crate) at: Range<usize>,
    /// How it is used.
    pub(crate) used: Used,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Used {
    /// Its value is read.
    Read,
    /// It is only looked whether there is one: `typeof a`.
    Asked,
    /// It is given a value.
    Written,
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<usize>,
    declared: BTreeSet<String>,
    /// Whether it is that of a function, to which a `var` belongs wherever it stands.
    of_function: bool,
}

/// Collects names.
#[derive(Debug)]
pub(super) struct Reader {
    scopes: Vec<Scope>,
    scope: usize,
    found: Vec<(Name, usize)>,
    clock: bool,
    is_var: bool,
}

impl Default for Reader {
    fn default() -> Self {
        let outside = Scope { of_function: true, ..Scope::default() };
        Reader { scopes: vec![outside], scope: 0, found: Vec::new(), clock: false, is_var: false }
    }
}

impl Reader {
    /// The names from outside, and whether the time is asked for.
    pub(super) fn finish(self) -> (Vec<Name>, bool) {
        let Reader { scopes, found, clock, .. } = self;
        let is_declared = |name: &str, scope: usize| {
            let mut around = std::iter::successors(Some(scope), |scope| scopes[*scope].parent);
            around.any(|scope| scopes[scope].declared.contains(name))
        };
        let free = found.into_iter().filter(|(name, scope)| !is_declared(&name.root, *scope));
        let mut names: Vec<Name> = free.map(|(name, _)| name).collect();
        names.sort_by_key(|name| name.at.start);
        let asks = names.iter().any(|name| name.root == "now");
        let is_outer = |root: &str| names.iter().any(|name| name.root == root);
        let clock = asks || clock && is_outer("Date");
        (names, clock)
    }

    fn name(&mut self, root: &str, key: Option<&str>, span: oxc_span::Span, used: Used) {
        let at = span.start as usize..span.end as usize;
        let name = Name { root: root.to_owned(), key: key.map(str::to_owned), at, used };
        self.found.push((name, self.scope));
    }

    /// Takes a member of a bare name; whether it was one.
    fn member(&mut self, object: &Expression<'_>, key: &str, span: oxc_span::Span) -> bool {
        let Expression::Identifier(root) = object else { return false };
        self.clock |= root.name == "Date" && key == "now";
        self.name(&root.name, Some(key), span, Used::Read);
        true
    }

    fn declare(&mut self, name: &str, scope: usize) {
        self.scopes[scope].declared.insert(name.to_owned());
    }

    fn function(&self) -> usize {
        let mut around = std::iter::successors(Some(self.scope), |scope| self.scopes[*scope].parent);
        around.find(|scope| self.scopes[*scope].of_function).unwrap_or_default()
    }
}

impl<'a> VisitJs<'a> for Reader {
    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        let of_function = flags.is_function() || flags.is_top();
        self.scopes.push(Scope { parent: Some(self.scope), of_function, ..Scope::default() });
        self.scope = self.scopes.len() - 1;
    }

    fn leave_scope(&mut self) {
        self.scope = self.scopes[self.scope].parent.unwrap_or_default();
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        let before = std::mem::replace(&mut self.is_var, it.kind.is_var());
        walk::walk_variable_declaration(self, it);
        self.is_var = before;
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        let scope = if self.is_var { self.function() } else { self.scope };
        self.declare(&it.name, scope);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(id) = it.id.as_ref().filter(|_| it.is_declaration()) {
            self.declare(&id.name, self.scope);
        }
        let before = std::mem::replace(&mut self.is_var, false);
        walk::walk_function(self, it, flags);
        self.is_var = before;
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let before = std::mem::replace(&mut self.is_var, false);
        walk::walk_class(self, it);
        self.is_var = before;
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        // What a default value declares, as in `var {a = b => b} = c`, is its own affair.
        let before = std::mem::replace(&mut self.is_var, false);
        walk::walk_expression(self, it);
        self.is_var = before;
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.name(&it.name, None, it.span, Used::Read);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if !self.member(&it.object, &it.property.name, it.span) {
            walk::walk_static_member_expression(self, it);
        }
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        match &it.expression {
            Expression::StringLiteral(key) if self.member(&it.object, &key.value, it.span) => {}
            _ => walk::walk_computed_member_expression(self, it),
        }
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        match &it.argument {
            Expression::Identifier(name) if it.operator.is_typeof() => {
                self.name(&name.name, None, name.span, Used::Asked);
            }
            _ => walk::walk_unary_expression(self, it),
        }
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.name(&name.name, None, name.span, Used::Written);
            }
            _ => walk::walk_simple_assignment_target(self, it),
        }
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'a>) {
        match it {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.name(&name.name, None, name.span, Used::Written);
            }
            _ => walk::walk_assignment_target(self, it),
        }
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        let of_now = matches!(&it.callee, Expression::Identifier(name) if name.name == "Date");
        self.clock |= of_now && it.arguments.is_empty();
        walk::walk_new_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.clock |= matches!(&it.callee, Expression::Identifier(name) if name.name == "Date");
        walk::walk_call_expression(self, it);
    }
}

//! Where in a file of Rust a mutant can be switched on while the program runs.

use std::collections::HashMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::list::Genre;

/// The syntax around the mutants of one file, in bytes of it.
#[derive(Default)]
pub struct Places {
    /// From a mutant's genre and the first byte that it changes to the expression whose value it changes.
    expressions: HashMap<(Genre, usize), Range<usize>>,
    bodies: Vec<Body>,
    /// What the compiler evaluates, and so no program that runs.
    constants: Vec<Range<usize>>,
}

/// The body of a function, with its braces.
#[derive(Clone)]
pub struct Body {
    pub block: Range<usize>,
    /// Whether the function returns an `impl Iterator`, so that its returns must be of one type.
    pub returns_impl: bool,
}

/// What a mutant changes.
pub enum Place {
    Expression(Range<usize>),
    Body(Body),
}

impl Places {
    pub fn of(text: &str) -> Self {
        let mut places = Self::default();
        places.visit_file(&syn::parse_file(text).expect("a file that cargo-mutants can read"));
        places
    }

    /// The place of a mutant that changes these bytes, unless it is in what the compiler evaluates.
    pub fn find(&self, genre: Genre, changed: &Range<usize>) -> Option<Place> {
        let inside =
            |outer: &Range<usize>| outer.start <= changed.start && changed.end <= outer.end;
        let body = self.bodies.iter().filter(|body| inside(&body.block));
        let body = body.min_by_key(|body| body.block.len())?;
        if self
            .constants
            .iter()
            .any(|constant| inside(constant) && constant.len() < body.block.len())
        {
            return None;
        }
        if genre == Genre::FnValue {
            return Some(Place::Body(body.clone()));
        }
        self.expressions.get(&(genre, changed.start)).cloned().map(Place::Expression)
    }

    fn note(&mut self, genre: Genre, changed: &impl Spanned, whole: &impl Spanned) {
        self.expressions.insert((genre, bytes(changed).start), bytes(whole));
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let returns_impl = match &signature.output {
            syn::ReturnType::Type(_, output) => matches!(**output, syn::Type::ImplTrait(_)),
            syn::ReturnType::Default => false,
        };
        self.bodies.push(Body { block: bytes(block), returns_impl });
    }

    fn constant(&mut self, whole: &impl Spanned) {
        self.constants.push(bytes(whole));
    }
}

impl<'a> Visit<'a> for Places {
    fn visit_item_fn(&mut self, it: &'a syn::ItemFn) {
        self.body(&it.sig, &it.block);
        visit::visit_item_fn(self, it);
    }

    fn visit_impl_item_fn(&mut self, it: &'a syn::ImplItemFn) {
        self.body(&it.sig, &it.block);
        visit::visit_impl_item_fn(self, it);
    }

    fn visit_trait_item_fn(&mut self, it: &'a syn::TraitItemFn) {
        if let Some(block) = &it.default {
            self.body(&it.sig, block);
        }
        visit::visit_trait_item_fn(self, it);
    }

    fn visit_expr_binary(&mut self, it: &'a syn::ExprBinary) {
        self.note(Genre::BinaryOperator, &it.op, it);
        visit::visit_expr_binary(self, it);
    }

    fn visit_expr_unary(&mut self, it: &'a syn::ExprUnary) {
        self.note(Genre::UnaryOperator, &it.op, it);
        visit::visit_expr_unary(self, it);
    }

    fn visit_expr_match(&mut self, it: &'a syn::ExprMatch) {
        for arm in &it.arms {
            self.note(Genre::MatchArm, arm, it);
            if let Some((_, guard)) = &arm.guard {
                self.note(Genre::MatchArmGuard, guard, guard);
            }
        }
        visit::visit_expr_match(self, it);
    }

    fn visit_expr_struct(&mut self, it: &'a syn::ExprStruct) {
        for field in &it.fields {
            self.note(Genre::StructField, field, it);
        }
        visit::visit_expr_struct(self, it);
    }

    fn visit_expr_const(&mut self, it: &'a syn::ExprConst) {
        self.constant(it);
    }

    fn visit_expr_repeat(&mut self, it: &'a syn::ExprRepeat) {
        self.constant(&it.len);
        self.visit_expr(&it.expr);
    }

    fn visit_type_array(&mut self, it: &'a syn::TypeArray) {
        self.constant(&it.len);
    }

    fn visit_item_const(&mut self, it: &'a syn::ItemConst) {
        self.constant(it);
    }

    fn visit_item_static(&mut self, it: &'a syn::ItemStatic) {
        self.constant(it);
    }
}

fn bytes(syntax: &impl Spanned) -> Range<usize> {
    syntax.span().byte_range()
}

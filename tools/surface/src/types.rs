//! Types as rustdoc writes them in JSON, and whether two of them can be one: this decides which `impl` blocks apply to
//! the type that an alias names.

use std::collections::HashMap;

use serde_json::Value;

/// A type, of which only the shape matters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// A type parameter.
    Parameter(String),
    /// A type constructor and its arguments; a constant argument is one without arguments.
    Made(String, Vec<Type>),
    /// What only the compiler can compute, such as `<H as HandleLayout>::Word`.
    Computed,
}

/// Replaces the type parameters of `ty` by what `arguments` has for them.
fn filled(ty: &Type, arguments: &HashMap<String, Type>) -> Type {
    match ty {
        Type::Parameter(name) => arguments.get(name).unwrap_or(ty).clone(),
        Type::Made(name, parts) => {
            Type::Made(name.clone(), parts.iter().map(|part| filled(part, arguments)).collect())
        }
        Type::Computed => Type::Computed,
    }
}

/// Reads types from rustdoc's index of items.
#[derive(Clone, Copy)]
pub(crate) struct Types<'a> {
    index: &'a Value,
}

impl<'a> Types<'a> {
    pub(crate) fn new(index: &'a Value) -> Self {
        Types { index }
    }

    /// The type `value`, with aliases replaced by what they name. Its type parameters get `owner` in front of their
    /// names, so that those of two items differ.
    pub(crate) fn read(self, value: &'a Value, owner: &str) -> Type {
        let Some((kind, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else {
            // `!`, `_` and the like have no fields.
            return Type::Made(value.to_string(), Vec::new());
        };
        match kind.as_str() {
            "generic" => Type::Parameter(format!("{owner}{}", inner.as_str().unwrap_or_default())),
            "resolved_path" => self.path(inner, owner),
            "qualified_path" => Type::Computed,
            "tuple" => {
                Type::Made("()".into(), self.all(inner.as_array().into_iter().flatten(), owner))
            }
            "slice" => Type::Made("[]".into(), vec![self.read(inner, owner)]),
            "array" => {
                Type::Made("[;]".into(), vec![self.read(&inner["type"], owner), Type::Computed])
            }
            "borrowed_ref" | "raw_pointer" => Type::Made(
                format!("{kind} {}", inner["is_mutable"]),
                vec![self.read(&inner["type"], owner)],
            ),
            _ => Type::Made(inner.to_string(), Vec::new()),
        }
    }

    fn all(self, values: impl Iterator<Item = &'a Value>, owner: &str) -> Vec<Type> {
        values.map(|value| self.read(value, owner)).collect()
    }

    /// A path with its arguments, those with defaults too.
    fn path(self, path: &'a Value, owner: &str) -> Type {
        let id = path["id"].to_string();
        let item = &self.index[&id];
        let kind = item["inner"]
            .as_object()
            .and_then(|inner| inner.keys().next())
            .map_or("", String::as_str);
        let parameters = item["inner"][kind]["generics"]["params"].as_array();
        let given = path["args"]["angle_bracketed"]["args"].as_array();
        let mut given =
            given.into_iter().flatten().filter(|argument| argument.get("lifetime").is_none());
        let Some(parameters) = parameters else {
            // An item of another crate, or one that is hidden: it has no defaults that matter here.
            return Type::Made(
                path["id"].to_string(),
                given.map(|argument| self.argument(argument, owner)).collect(),
            );
        };
        let mut arguments = HashMap::new();
        let mut in_order = Vec::new();
        for parameter in
            parameters.iter().filter(|parameter| parameter["kind"].get("lifetime").is_none())
        {
            let argument = match given.next() {
                Some(argument) => self.argument(argument, owner),
                None => filled(&self.read(&parameter["kind"]["type"]["default"], ""), &arguments),
            };
            arguments.insert(
                parameter["name"].as_str().unwrap_or_default().to_owned(),
                argument.clone(),
            );
            in_order.push(argument);
        }
        match kind {
            "type_alias" => filled(&self.read(&item["inner"][kind]["type"], ""), &arguments),
            _ => Type::Made(id, in_order),
        }
    }

    fn argument(self, argument: &'a Value, owner: &str) -> Type {
        match argument.get("type") {
            Some(ty) => self.read(ty, owner),
            // A constant, or `_`.
            None => Type::Computed,
        }
    }
}

/// What the type parameters of two types must be for the types to be equal.
#[derive(Default)]
struct Solution(HashMap<String, Type>);

impl Solution {
    fn known<'a>(&'a self, mut ty: &'a Type) -> &'a Type {
        while let Type::Parameter(name) = ty {
            match self.0.get(name) {
                Some(known) => ty = known,
                None => break,
            }
        }
        ty
    }

    fn unite(&mut self, left: &Type, right: &Type) -> bool {
        let (left, right) = (self.known(left).clone(), self.known(right).clone());
        match (&left, &right) {
            (Type::Computed, _) | (_, Type::Computed) => true,
            _ if left == right => true,
            (Type::Parameter(name), other) | (other, Type::Parameter(name)) => {
                self.0.insert(name.clone(), other.clone());
                true
            }
            (Type::Made(name, parts), Type::Made(other, others)) => {
                name == other
                    && parts.len() == others.len()
                    && parts.iter().zip(others).all(|(part, other)| self.unite(part, other))
            }
        }
    }
}

/// Whether arguments exist for which both types are the same one.
pub(crate) fn can_be_equal(left: &Type, right: &Type) -> bool {
    Solution::default().unite(left, right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `struct Pool<T, G = Fixed>`, `type Growing<T, S = Doubling> = Pool<T, Grows<S>>`, and two structs without
    /// parameters.
    fn index() -> Value {
        let parameter = |name: &str, default: Value| json!({ "name": name, "kind": { "type": { "default": default } } });
        let unit = || json!({ "inner": { "struct": { "generics": { "params": [] } } } });
        json!({
            "1": { "inner": { "struct": { "generics": { "params": [
                parameter("T", Value::Null), parameter("G", path(3, &[]))
            ] } } } },
            "2": { "inner": { "type_alias": {
                "generics": { "params": [parameter("T", Value::Null), parameter("S", path(4, &[]))] },
                "type": path(1, &[json!({ "generic": "T" }), path(5, &[json!({ "generic": "S" })])]),
            } } },
            "3": unit(),
            "4": unit(),
            "5": { "inner": { "struct": { "generics": { "params": [parameter("S", Value::Null)] } } } },
        })
    }

    fn path(id: u32, arguments: &[Value]) -> Value {
        let arguments: Vec<_> =
            arguments.iter().map(|argument| json!({ "type": argument })).collect();
        json!({ "resolved_path": { "id": id, "args": { "angle_bracketed": { "args": arguments } } } })
    }

    fn equal(left: &Value, right: &Value) -> bool {
        let index = index();
        let types = Types::new(&index);
        can_be_equal(&types.read(left, "left "), &types.read(right, "right "))
    }

    #[test]
    fn an_alias_is_what_it_names_with_its_defaults() {
        let t = || json!({ "generic": "T" });
        assert!(equal(&path(2, &[t()]), &path(1, &[t(), path(5, &[path(4, &[])])])));
        assert!(
            !equal(&path(2, &[t()]), &path(1, &[t(), path(5, &[path(3, &[])])])),
            "another argument of the alias"
        );
    }

    #[test]
    fn a_parameter_stands_for_any_type_but_for_one_at_a_time() {
        let (t, g) = (|| json!({ "generic": "T" }), || json!({ "generic": "G" }));
        assert!(equal(&path(1, &[t(), g()]), &path(2, &[t()])), "an impl for each G");
        assert!(
            !equal(&path(1, &[t()]), &path(2, &[t()])),
            "an impl for the default, which does not grow"
        );
        assert!(
            equal(&path(1, &[t(), path(5, &[g()])]), &path(2, &[t()])),
            "an impl for each pool that grows"
        );
        assert!(
            !equal(&path(1, &[t(), t()]), &path(1, &[path(3, &[]), path(4, &[])])),
            "T would have to be two types"
        );
    }

    #[test]
    fn what_the_compiler_computes_may_be_anything() {
        assert!(equal(&path(1, &[json!({ "qualified_path": {} })]), &path(1, &[path(4, &[])])));
    }
}

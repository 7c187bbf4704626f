//! The public items of a crate, from rustdoc's JSON, with their methods.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::types::{Types, can_be_equal};

/// A method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// How it takes its object.
    pub(crate) receiver: String,
    pub(crate) values: Values,
}

/// What a method has to do with the values of its pool, by its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Values {
    /// It does not name their type.
    Unnamed,
    Named,
    /// It returns references to them.
    Lent,
}

/// The methods of each item, without those of traits; a trait has its own. An item is named by its module, kind and name,
/// such as `pool/struct.Pool`.
pub(crate) type Items = BTreeMap<String, BTreeSet<Method>>;

/// What kinds of items are listed.
const KINDS: [(&str, &str); 8] = [
    ("struct", "struct"),
    ("enum", "enum"),
    ("trait", "trait"),
    ("macro", "macro"),
    ("function", "fn"),
    ("type_alias", "type"),
    ("constant", "constant"),
    ("union", "union"),
];

fn kind(item: &Value) -> &str {
    item["inner"].as_object().and_then(|inner| inner.keys().next()).map_or("", String::as_str)
}

/// Rustdoc was asked for what is private or hidden, too, because an alias may name it.
fn is_public(item: &Value) -> bool {
    let mut attributes = item["attrs"].as_array().into_iter().flatten();
    let is_hidden =
        |attribute: &Value| attribute["other"].as_str().is_some_and(|text| text.contains("hidden"));
    // What a trait has is as public as the trait.
    (item["visibility"] == "public" || item["visibility"] == "default")
        && !attributes.any(is_hidden)
}

fn ids(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().into_iter().flatten().map(Value::to_string)
}

pub(crate) struct Crate<'a> {
    json: &'a Value,
    /// The names of each item: module and name.
    names: BTreeMap<String, BTreeSet<(String, String)>>,
}

/// A walk over the modules.
#[derive(Default)]
struct Walk {
    /// What public modules define.
    at_home: BTreeMap<String, (String, String)>,
    /// Each `use`: what it names, the module that it stands in, and the name that it gives.
    uses: Vec<(String, String, String)>,
    modules: BTreeSet<String>,
}

impl<'a> Crate<'a> {
    /// Of what rustdoc writes with `--output-format json`.
    pub(crate) fn new(json: &'a Value) -> Result<Self, String> {
        let root = json["root"].to_string();
        let mut this = Crate { json, names: BTreeMap::new() };
        if kind(this.item(&root)) != "module" {
            return Err(format!(
                "this is not rustdoc's JSON, or it is of an unknown form ({})",
                json["format_version"]
            ));
        }
        let mut walk = Walk::default();
        this.visit(&root, "", &mut walk);
        // The other names of what a public module defines only refer to it.
        let at_home = std::mem::take(&mut walk.at_home);
        let public = walk.modules.clone();
        // `pub use` of a module makes it public under that name.
        while let Some((id, module, name)) = walk.uses.pop() {
            if at_home.contains_key(&id) || public.contains(&id) {
                continue;
            } else if kind(this.item(&id)) == "module" {
                this.visit(&id, &format!("{module}{name}/"), &mut walk);
            } else {
                this.names.entry(id).or_default().insert((module, name));
            }
        }
        for (id, name) in at_home.into_iter().chain(walk.at_home) {
            this.names.entry(id).or_default().insert(name);
        }
        Ok(this)
    }

    fn item(&self, id: &str) -> &'a Value {
        &self.json["index"][id]
    }

    fn visit(&self, module: &str, path: &str, walk: &mut Walk) {
        walk.modules.insert(module.to_owned());
        for id in ids(&self.item(module)["inner"]["module"]["items"]) {
            let item = self.item(&id);
            let name = item["name"].as_str().unwrap_or_default();
            match kind(item) {
                _ if !is_public(item) => {}
                "module" => self.visit(&id, &format!("{path}{name}/"), walk),
                "use" => self.follow(&item["inner"]["use"], path, walk),
                _ => drop(walk.at_home.insert(id, (path.to_owned(), name.to_owned()))),
            }
        }
    }

    /// Notes what a `use` names, or all that its glob does.
    fn follow(&self, r#use: &Value, path: &str, walk: &mut Walk) {
        let target = r#use["id"].to_string();
        match (kind(self.item(&target)), r#use["is_glob"] == true) {
            ("module", true) => self.visit(&target, path, walk),
            ("use", _) => self.follow(&self.item(&target)["inner"]["use"], path, walk),
            _ => walk.uses.push((
                target,
                path.to_owned(),
                r#use["name"].as_str().unwrap_or_default().to_owned(),
            )),
        }
    }

    pub(crate) fn items(&self) -> Items {
        let mut items = Items::new();
        for (id, names) in &self.names {
            let item = self.item(id);
            let Some((of_json, prefix)) =
                KINDS.into_iter().find(|(of_json, _)| *of_json == kind(item))
            else {
                continue;
            };
            if !is_public(item) {
                continue;
            }
            let methods = self.methods(id, &item["inner"][of_json]);
            items.extend(
                names
                    .iter()
                    .map(|(module, name)| (format!("{module}{prefix}.{name}"), methods.clone())),
            );
        }
        items
    }

    fn methods(&self, id: &str, inner: &'a Value) -> BTreeSet<Method> {
        if kind(self.item(id)) == "type_alias" {
            return self.methods_of_alias(&inner["type"]);
        }
        let inherent = ids(&inner["impls"]).map(|block| &self.item(&block)["inner"]["impl"]);
        let inherent = inherent
            .filter(|block| block["trait"].is_null())
            .flat_map(|block| ids(&block["items"]));
        let own = if kind(self.item(id)) == "trait" { Some(ids(&inner["items"])) } else { None };
        self.functions(inherent.chain(own.into_iter().flatten()))
    }

    /// The methods of the `impl` blocks that may apply to the type that an alias names.
    fn methods_of_alias(&self, mut target: &'a Value) -> BTreeSet<Method> {
        let types = Types::new(&self.json["index"]);
        let named = types.read(target, "alias ");
        // An alias may name another one.
        while let Some(next) =
            self.item(&target["resolved_path"]["id"].to_string())["inner"].get("type_alias")
        {
            target = &next["type"];
        }
        let of_type = self.item(&target["resolved_path"]["id"].to_string());
        let blocks = ids(&of_type["inner"][kind(of_type)]["impls"])
            .map(|id| &self.item(&id)["inner"]["impl"]);
        let blocks = blocks.filter(|block| block["trait"].is_null());
        let blocks =
            blocks.filter(|block| can_be_equal(&types.read(&block["for"], "impl "), &named));
        self.functions(blocks.flat_map(|block| ids(&block["items"])))
    }

    fn functions(&self, items: impl Iterator<Item = String>) -> BTreeSet<Method> {
        let items = items
            .map(|id| self.item(&id))
            .filter(|item| kind(item) == "function" && is_public(item));
        let methods = items.map(|item| Method {
            name: item["name"].as_str().unwrap_or_default().to_owned(),
            receiver: receiver(item),
            values: values(&item["inner"]["function"]["sig"]),
        });
        methods.collect()
    }
}

fn values(signature: &Value) -> Values {
    if has(&signature["output"], &|part| has(&part["borrowed_ref"]["type"], &is_value)) {
        Values::Lent
    } else if has(signature, &is_value) {
        Values::Named
    } else {
        Values::Unnamed
    }
}

/// The type of the values is `T` in all pools.
fn is_value(part: &Value) -> bool {
    part["generic"] == "T"
}

/// Whether `wanted` is true of a part of the JSON.
fn has(part: &Value, wanted: &dyn Fn(&Value) -> bool) -> bool {
    wanted(part)
        || match part {
            Value::Array(parts) => parts.iter().any(|part| has(part, wanted)),
            Value::Object(parts) => parts.values().any(|part| has(part, wanted)),
            _ => false,
        }
}

/// How a function takes its object: `&self`, `&mut self`, `self`, or `no self`.
fn receiver(function: &Value) -> String {
    let first = &function["inner"]["function"]["sig"]["inputs"][0];
    if first[0] != "self" {
        return "no self".into();
    }
    let reference = &first[1]["borrowed_ref"];
    match (reference["type"]["generic"] == "Self", reference["is_mutable"] == true) {
        (true, true) => "&mut self".into(),
        (true, false) => "&self".into(),
        (false, _) if first[1]["generic"] == "Self" => "self".into(),
        (false, _) => "self: another type".into(),
    }
}

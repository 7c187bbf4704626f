//! The public methods of a peer, from its source in cargo's registry.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use syn::punctuated::Punctuated;
use syn::{Attribute, Generics, ImplItem, Item, ItemImpl, Token, TraitItem, Type, Visibility};

use crate::snake;

/// Traits of a pool that are asked for like methods.
const TRAITS: [&str; 9] = [
    "Clone",
    "Default",
    "Eq",
    "Extend",
    "FromIterator",
    "Index",
    "IndexMut",
    "IntoIterator",
    "PartialEq",
];

/// The methods of the public types and traits of a crate, by file and type: also constants, and `TRAITS`, whose names
/// are as those of methods (`index_mut`).
#[derive(Debug, Default)]
pub struct Methods(BTreeMap<(String, String), BTreeSet<String>>);

impl Methods {
    /// Reads the files in `src` of the crate `name`, in the version that `Cargo.lock` names. Types without methods of
    /// their own, such as iterators, are left out.
    ///
    /// # Panics
    ///
    /// If the crate's source is not in cargo's registry, or is no Rust.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let mut methods = Self::default();
        for entry in fs::read_dir(source(name).join("src")).expect("a folder of source") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.file_name().expect("a file").to_string_lossy().into_owned();
                let text = fs::read_to_string(&path).expect("a file of text");
                methods.add(&file, syn::parse_file(&text).expect("the source of a crate").items);
            }
        }
        methods
    }

    /// The files and types.
    pub fn types(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.keys().map(|(file, name)| (file.as_str(), name.as_str()))
    }

    /// The methods of a type.
    ///
    /// # Panics
    ///
    /// If there is no such type.
    #[must_use]
    pub fn of_type(&self, file: &str, name: &str) -> &BTreeSet<String> {
        let methods = self.0.get(&(file.to_owned(), name.to_owned()));
        methods.unwrap_or_else(|| panic!("no public type {name} in {file}"))
    }

    fn add(&mut self, file: &str, items: Vec<Item>) {
        let mut own = BTreeMap::<String, BTreeSet<String>>::new();
        let mut traits = own.clone();
        let mut public = BTreeSet::new();
        for item in items {
            match item {
                Item::Struct(item) if is_public(&item.vis) => {
                    let derived = derived(&item.attrs, &item.generics);
                    traits.entry(item.ident.to_string()).or_default().extend(derived);
                    public.insert(item.ident.to_string());
                }
                Item::Enum(item) if is_public(&item.vis) => {
                    public.insert(item.ident.to_string());
                }
                Item::Trait(item) if is_public(&item.vis) => {
                    let names = item.items.iter().filter_map(|item| match item {
                        TraitItem::Fn(method) => Some(snake(&method.sig.ident)),
                        _ => None,
                    });
                    own.entry(item.ident.to_string()).or_default().extend(names);
                    public.insert(item.ident.to_string());
                }
                Item::Impl(item) => {
                    // `&SlotMap` is an `IntoIterator`, as `SlotMap` is.
                    let Type::Path(path) = &*item.self_ty else { continue };
                    let Some(name) = path.path.segments.last() else { continue };
                    let all = if item.trait_.is_some() { &mut traits } else { &mut own };
                    all.entry(name.ident.to_string()).or_default().extend(public_items(&item));
                }
                _ => {}
            }
        }
        own.retain(|name, methods| public.contains(name) && !methods.is_empty());
        for (name, mut methods) in own {
            methods.extend(traits.remove(&name).unwrap_or_default());
            self.0.insert((file.to_owned(), name), methods);
        }
    }
}

/// The derived traits that are asked for. Plain data, such as a key, is without parameters, and derives what it should.
fn derived(attributes: &[Attribute], generics: &Generics) -> Vec<String> {
    let is_plain = generics.params.is_empty();
    let derives =
        attributes.iter().filter(|attribute| attribute.path().is_ident("derive") && !is_plain);
    let paths = derives.flat_map(|attribute| {
        let paths = Punctuated::<syn::Path, Token![,]>::parse_terminated;
        attribute.parse_args_with(paths).expect("traits")
    });
    paths.filter_map(|path| asked(&path)).collect()
}

/// The trait that is implemented, or the methods and constants.
fn public_items(item: &ItemImpl) -> Vec<String> {
    if let Some((_, path, _)) = &item.trait_ {
        return asked(path).into_iter().collect();
    }
    let names = item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) if is_public(&method.vis) => Some(snake(&method.sig.ident)),
        ImplItem::Const(constant) if is_public(&constant.vis) => Some(snake(&constant.ident)),
        _ => None,
    });
    names.collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The name of a trait that is asked for, as of a method.
fn asked(path: &syn::Path) -> Option<String> {
    let name = &path.segments.last()?.ident;
    TRAITS.iter().any(|asked| name == asked).then(|| snake(name))
}

/// The folder of a crate's source.
fn source(name: &str) -> PathBuf {
    let folder = format!("{name}-{}", version(name));
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(env::home_dir()?.join(".cargo"))).expect("a home directory");
    let registries = cargo.join("registry/src");
    let entries = fs::read_dir(&registries)
        .unwrap_or_else(|error| panic!("{}: {error}", registries.display()));
    let found = entries
        .map(|entry| entry.expect("an entry").path().join(&folder))
        .find(|path| path.is_dir());
    found.unwrap_or_else(|| panic!("{}: no registry has {folder}", registries.display()))
}

/// The version of a crate by `Cargo.lock`, which names one.
fn version(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = fs::read_to_string(path).expect("the workspace has a Cargo.lock");
    let (_, after) =
        lock.split_once(&format!("name = \"{name}\"\nversion = \"")).expect("a dependency");
    after.split('"').next().expect("a version").to_owned()
}

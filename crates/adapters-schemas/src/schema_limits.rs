//! Which schemas the catalogue takes. A schema is a graph: its nodes are the subschemas, and its edges lead from each to
//! those that it applies, to the same value or to a part of it. The limits bound the work for every payload:
//!
//! - References lead to a place of the same document: `#` or a JSON Pointer. Nothing is fetched.
//! - A schema that refers to itself applies itself once to each part of a value at most, so that the work grows with the
//!   payload, and not exponentially with its depth.
//! - All paths together apply at most [`WORK_MAX`] subschemas to one value and its parts.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The most subschemas that are applied, counted along all paths.
const WORK_MAX: u64 = 10_000;
/// The longest path of subschemas.
const PATH_MAX: usize = 200;
/// The longest path of a schema that refers to itself, within one value.
const OWN_PATH_MAX: usize = 8;
/// The URI of the only dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Keywords that would change where references lead, or that lead where the payload says.
const REFUSED: [&str; 4] = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"];

/// Keywords with one subschema, with several in a list, and with several by name. `true` if the subschema is for the
/// value itself.
const ONE: [(&str, Applies); 11] = [
    ("not", Applies::InPlace),
    ("if", Applies::InPlace),
    ("then", Applies::InPlace),
    ("else", Applies::InPlace),
    ("additionalProperties", Applies::ToParts),
    ("items", Applies::ToParts),
    ("contains", Applies::ToPartsOfOthers),
    ("propertyNames", Applies::ToPartsOfOthers),
    ("unevaluatedProperties", Applies::ToPartsOfOthers),
    ("unevaluatedItems", Applies::ToPartsOfOthers),
    ("contentSchema", Applies::Never),
];
const LISTS: [(&str, Applies); 4] = [
    ("allOf", Applies::InPlace),
    ("anyOf", Applies::InPlace),
    ("oneOf", Applies::InPlace),
    ("prefixItems", Applies::ToParts),
];
const MAPS: [(&str, Applies); 5] = [
    ("dependentSchemas", Applies::InPlace),
    ("properties", Applies::ToParts),
    ("patternProperties", Applies::ToPartsOfOthers),
    ("$defs", Applies::Never),
    ("definitions", Applies::Never),
];

/// What a keyword applies its subschema to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Applies {
    /// The same value.
    InPlace,
    /// Parts of the value, which no other keyword of this kind applies a subschema to.
    ToParts,
    /// Parts of the value, which other keywords may apply subschemas to.
    ToPartsOfOthers,
    /// Nothing: another subschema refers to it.
    Never,
}

/// Checks all limits.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err("must be an object, true or false".to_owned());
    }
    let mut graph = Graph::default();
    graph.add(schema, schema, "#")?;
    graph.check_components()
}

/// The subschemas by their place in memory.
#[derive(Default)]
struct Graph {
    numbers: HashMap<*const Value, usize>,
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    pointer: String,
    edges: Vec<(usize, Applies)>,
    /// Whether a keyword applies the subschemas for the same value a second time.
    repeats: bool,
}

impl Graph {
    /// Adds a subschema with those that it contains, and those that it refers to.
    fn add<'a>(&mut self, root: &'a Value, schema: &'a Value, pointer: &str) -> Result<usize, String> {
        if let Some(number) = self.numbers.get(&std::ptr::from_ref(schema)) {
            return Ok(*number);
        }
        let number = self.nodes.len();
        self.numbers.insert(std::ptr::from_ref(schema), number);
        self.nodes.push(Node { pointer: pointer.to_owned(), ..Node::default() });
        let Value::Object(members) = schema else { return Ok(number) };
        check_members(members, pointer)?;
        let mut edges = Vec::new();
        for (child, name, applies) in children(members) {
            edges.push((self.add(root, child, &format!("{pointer}/{name}"))?, applies));
        }
        if let Some(reference) = members.get("$ref") {
            let (target, place) = resolve(root, reference, pointer)?;
            edges.push((self.add(root, target, &place)?, Applies::InPlace));
        }
        self.nodes[number].repeats =
            ["unevaluatedProperties", "unevaluatedItems"].iter().any(|name| members.contains_key(*name));
        self.nodes[number].edges = edges;
        Ok(number)
    }
}

fn check_members(members: &Map<String, Value>, pointer: &str) -> Result<(), String> {
    if let Some(refused) = REFUSED.iter().find(|name| members.contains_key(**name)) {
        return Err(format!("{pointer}/{refused}: this keyword is not supported"));
    }
    if pointer != "#" && members.contains_key("$id") {
        return Err(format!("{pointer}/$id: only the whole schema may have an id"));
    }
    match members.get("$schema") {
        Some(dialect) if dialect.as_str().map(|uri| uri.trim_end_matches('#')) != Some(DIALECT) => {
            Err(format!("{pointer}/$schema: must be {DIALECT}"))
        }
        _ => Ok(()),
    }
}

/// The subschemas of an object, each with the end of its pointer.
fn children(members: &Map<String, Value>) -> Vec<(&Value, String, Applies)> {
    let is_schema = |value: &&Value| value.is_object() || value.is_boolean();
    let mut found = Vec::new();
    for (keyword, applies) in ONE {
        found.extend(members.get(keyword).filter(is_schema).map(|child| (child, keyword.to_owned(), applies)));
    }
    for (keyword, applies) in LISTS {
        let list = members.get(keyword).and_then(Value::as_array).into_iter().flatten().filter(is_schema);
        found.extend(list.enumerate().map(|(index, child)| (child, format!("{keyword}/{index}"), applies)));
    }
    for (keyword, applies) in MAPS {
        let map = members.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let map = map.filter(|(_, child)| is_schema(child));
        found.extend(map.map(|(name, child)| (child, format!("{keyword}/{}", escaped(name)), applies)));
    }
    found
}

/// A name in a JSON Pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The target of a reference, and its place.
fn resolve<'a>(root: &'a Value, reference: &Value, pointer: &str) -> Result<(&'a Value, String), String> {
    let wrong = |detail: &str| format!("{pointer}/$ref: {detail}");
    let reference = reference.as_str().ok_or_else(|| wrong("must be a string"))?;
    let target = match reference.strip_prefix('#') {
        Some(place) if place.is_empty() || (place.starts_with('/') && !place.contains('%')) => root.pointer(place),
        _ => {
            return Err(wrong(
                "must be # or a JSON Pointer after #, without percent signs: only references within the document are followed",
            ));
        }
    };
    let target = target.filter(|target| target.is_object() || target.is_boolean());
    target.map(|target| (target, reference.to_owned())).ok_or_else(|| wrong("leads to no schema of the document"))
}

/// The work of a component, and the longest path that begins in it.
#[derive(Clone, Copy)]
struct Measure {
    work: u64,
    path: usize,
}

impl Graph {
    /// Checks the components, whose nodes refer to each other, each after those that it leads to (Tarjan).
    fn check_components(&self) -> Result<(), String> {
        let mut search = Search { indexes: vec![None; self.nodes.len()], ..Search::default() };
        search.low = vec![0; self.nodes.len()];
        search.component = vec![None; self.nodes.len()];
        for node in 0..self.nodes.len() {
            if search.indexes[node].is_none() {
                search.visit(self, node)?;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Search {
    indexes: Vec<Option<usize>>,
    low: Vec<usize>,
    stack: Vec<usize>,
    /// The measure of each node's component, once it is known.
    component: Vec<Option<Measure>>,
    next: usize,
}

impl Search {
    fn visit(&mut self, graph: &Graph, node: usize) -> Result<(), String> {
        let index = self.next;
        self.next += 1;
        (self.indexes[node], self.low[node]) = (Some(index), index);
        self.stack.push(node);
        for &(target, applies) in &graph.nodes[node].edges {
            match self.indexes[target] {
                // What only waits for references is checked by itself.
                _ if applies == Applies::Never => {}
                None => {
                    self.visit(graph, target)?;
                    self.low[node] = self.low[node].min(self.low[target]);
                }
                Some(index) if self.component[target].is_none() => self.low[node] = self.low[node].min(index),
                Some(_) => {}
            }
        }
        if self.low[node] != index {
            return Ok(());
        }
        let start = self.stack.iter().rposition(|on_stack| *on_stack == node).unwrap_or(0);
        let members = self.stack.split_off(start);
        let measure = self.measure(graph, &members)?;
        for member in members {
            self.component[member] = Some(measure);
        }
        Ok(())
    }

    fn measure(&self, graph: &Graph, members: &[usize]) -> Result<Measure, String> {
        check_own_references(graph, members)?;
        let mut measure = Measure { work: 0, path: 0 };
        for member in members {
            let node = &graph.nodes[*member];
            measure.work += 1;
            for (target, applies) in node.edges.iter().filter(|(_, applies)| *applies != Applies::Never) {
                let Some(of_target) = self.component[*target] else { continue };
                let times = if node.repeats && *applies == Applies::InPlace { 2 } else { 1 };
                measure.work = measure.work.saturating_add(of_target.work.saturating_mul(times));
                measure.path = measure.path.max(of_target.path);
            }
        }
        measure.path += 1;
        let pointer = &graph.nodes[members[0]].pointer;
        if measure.work > WORK_MAX {
            return Err(format!("{pointer}: applies more than {WORK_MAX} subschemas"));
        }
        if measure.path > PATH_MAX {
            return Err(format!("{pointer}: applies subschemas of subschemas more than {PATH_MAX} levels deep"));
        }
        Ok(measure)
    }
}

/// Checks a component: one that refers to itself applies itself once to each part of a value at most.
fn check_own_references(graph: &Graph, members: &[usize]) -> Result<(), String> {
    let own = |member: usize| {
        let edges = graph.nodes[member].edges.iter().filter(|(_, applies)| *applies != Applies::Never);
        edges.filter(|(target, _)| members.contains(target)).copied().collect::<Vec<_>>()
    };
    let mut next_in_place = HashMap::new();
    for member in members {
        let (edges, pointer) = (own(*member), &graph.nodes[*member].pointer);
        let in_place = edges.iter().filter(|(_, applies)| *applies == Applies::InPlace).count();
        let overlaps = edges.iter().any(|(_, applies)| *applies == Applies::ToPartsOfOthers);
        if overlaps || (in_place > 0 && edges.len() > 1) || (in_place > 0 && graph.nodes[*member].repeats) {
            return Err(format!(
                "{pointer}: refers to itself in several ways, or by a keyword that overlaps with others"
            ));
        }
        if in_place > 0 {
            next_in_place.insert(*member, edges[0].0);
        }
    }
    for member in members {
        let (mut steps, mut at) = (0, *member);
        while let Some(next) = next_in_place.get(&at) {
            (steps, at) = (steps + 1, *next);
            if steps > OWN_PATH_MAX {
                let pointer = &graph.nodes[*member].pointer;
                return Err(format!(
                    "{pointer}: refers to itself for the same value, or by more than {OWN_PATH_MAX} steps"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each level applies the next one twice.
    fn doubling(levels: usize, keyword: &str) -> Value {
        let mut definitions = Map::new();
        for level in 0..levels {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            definitions.insert(format!("l{level}"), json!({ keyword: [next.clone(), next] }));
        }
        definitions.insert(format!("l{levels}"), json!({ "type": "string" }));
        json!({ "$ref": "#/$defs/l0", "$defs": definitions })
    }

    #[test]
    fn usual_schemas_are_taken() {
        for schema in [
            json!(true),
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/b" } }, "$defs": { "b": { "type": "string" } } }),
            json!({ "$schema": DIALECT, "$id": "https://x.example/a", "const": { "$ref": "https://not.a/reference" } }),
            json!({ "type": "object", "properties": { "$ref": { "type": "string" }, "$id": false } }),
            // A tree, a list, and a node that may be null.
            json!({ "properties": { "left": { "$ref": "#" }, "right": { "$ref": "#" } }, "required": ["left"] }),
            json!({ "$ref": "#/$defs/n", "$defs": { "n": { "items": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/n" }] } } } }),
            doubling(8, "allOf"),
        ] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn what_would_need_too_much_is_refused() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..40 {
            deep = json!({ "allOf": [deep], "unevaluatedProperties": false });
        }
        for (schema, part) in [
            (json!(1), "must be an object"),
            (json!({ "$ref": "https://x.example/a" }), "#/$ref: must be #"),
            (json!({ "$ref": "other.json" }), "must be #"),
            (json!({ "$ref": "#name" }), "must be #"),
            (json!({ "$ref": "#/$defs/%61" }), "must be #"),
            (json!({ "$ref": 1 }), "must be a string"),
            (
                json!({ "properties": { "a/b": { "$ref": "#/$defs/none" } } }),
                "#/properties/a~1b/$ref: leads to no schema",
            ),
            (json!({ "$ref": "#/type", "type": "string" }), "leads to no schema"),
            (json!({ "$dynamicRef": "#" }), "not supported"),
            (json!({ "$schema": "http://json-schema.org/draft-07/schema#" }), "#/$schema: must be"),
            (json!({ "properties": { "a": { "$id": "x" } } }), "#/properties/a/$id"),
            (json!({ "$ref": "#" }), "refers to itself for the same value"),
            (json!({ "allOf": [{ "not": { "$ref": "#" } }] }), "refers to itself for the same value"),
            (
                json!({ "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }], "$defs": { "a": { "items": { "$ref": "#" } } } }),
                "several ways",
            ),
            (json!({ "contains": { "$ref": "#" }, "items": { "$ref": "#" } }), "overlaps"),
            (json!({ "patternProperties": { "a": { "$ref": "#" } } }), "overlaps"),
            (doubling(20, "anyOf"), "applies more than 10000"),
            (doubling(64, "oneOf"), "applies more than 10000"),
            (deep, "applies more than 10000"),
        ] {
            let refusal = check(&schema).unwrap_err();
            assert!(refusal.contains(part), "{schema}: {refusal}");
        }
        let steps: Map<String, Value> =
            (0..300).map(|n| (format!("a{n}"), json!({ "$ref": format!("#/$defs/a{}", n + 1) }))).collect();
        let mut chain = json!({ "$ref": "#/$defs/a0", "$defs": steps });
        chain["$defs"]["a300"] = json!({});
        assert!(check(&chain).unwrap_err().contains("levels deep"));
    }
}

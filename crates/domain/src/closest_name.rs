/// Below this Jaro-Winkler similarity, suggestions would share only a few letters with the name.
const SIMILARITY_MIN: f64 = 0.8;

/// The known name that is most similar to `name`, if one is similar enough. Upper and lower case are equal.
pub fn closest_name<Known: AsRef<str>>(name: &str, known: impl IntoIterator<Item = Known>) -> Option<Known> {
    let name = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&known.as_ref().to_lowercase(), &name), known))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_name_that_was_meant() {
        let known = ["label", "expiresAt", "scopes", "idToken", "capabilities"];
        for (name, meant) in [
            ("scope", Some("scopes")),
            ("expires_at", Some("expiresAt")),
            ("LABEL", Some("label")),
            ("lable", Some("label")),
            ("capabilties", Some("capabilities")),
            ("ID_TOKEN", Some("idToken")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(closest_name(name, known), meant, "{name}");
        }
        assert_eq!(closest_name("scope", [""; 0]), None);
    }
}

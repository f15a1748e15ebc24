use adapters_web::PortalColor;

use super::settings::{Setting, listed, web_origin};

/// The longest name, in characters, so that it fits beside the logo.
const NAME_LENGTH_MAX: usize = 40;

/// The settings of the portal.
pub(super) const PORTAL_SETTINGS: &[Setting] = &[
    Setting::new(
        "PORTAL_NAME",
        "The name of your application, which visitors who come by a [portal link](console.md#portal-links) see instead of \
              Gatepost.",
        || format!("1 to {NAME_LENGTH_MAX} characters without line breaks"),
        |draft, given| given.optional(name).map(|name| draft.configuration.portal.name = name),
        |configuration| configuration.portal.name.clone(),
    )
    .when_unset("Gatepost"),
    Setting::new(
        "PORTAL_LOGO",
        "The logo that these visitors see, an SVG image. Usually a file that `PORTAL_LOGO_FILE` names, of at most 64 KiB.",
        || "an SVG image".into(),
        |draft, given| given.optional(svg).map(|logo| draft.configuration.portal.logo = logo),
        |configuration| configuration.portal.logo.as_ref().map(|_| "an SVG image".to_owned()),
    )
    .when_unset("that of Gatepost"),
    Setting::new(
        "PORTAL_COLOR",
        "The colour of links and buttons that these visitors see. On dark pages it is as light as it must be to be read.",
        || PortalColor::ALLOWED.into(),
        |draft, given| given.optional(PortalColor::parse).map(|color| draft.configuration.portal.color = color),
        |configuration| configuration.portal.color.map(|color| color.to_string()),
    )
    .when_unset("that of Gatepost"),
    Setting::new(
        "PORTAL_FRAME_ANCESTORS",
        "Origins whose pages may show the portal [in a frame](console.md#in-a-frame). Nothing else of the service may be \
              in a frame.",
        || "origins such as https://app.example.com, separated by commas: scheme, host and port only, without * and \
             without a slash at the end"
            .into(),
        |draft, given| given.many(web_origin).map(|origins| draft.configuration.portal.frame_ancestors = origins),
        |configuration| listed(&configuration.portal.frame_ancestors),
    ),
];

fn name(text: &str) -> Option<String> {
    let is_short = (1..=NAME_LENGTH_MAX).contains(&text.chars().count());
    (is_short && text.trim() == text && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// An SVG image by its element; browsers do the rest.
fn svg(text: &str) -> Option<String> {
    let is_image = text.trim_start().starts_with('<') && text.contains("<svg") && text.contains("</svg>");
    is_image.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_logos_are_what_they_say() {
        assert_eq!(name("Acme Müller & Co."), Some("Acme Müller & Co.".into()));
        for wrong in ["", " Acme", "Ac\nme", &"a".repeat(41)] {
            assert_eq!(name(wrong), None, "{wrong:?}");
        }
        assert!(svg("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n").is_some());
        for wrong in ["", "logo.svg", "<html></html>", "\u{89}PNG"] {
            assert_eq!(svg(wrong), None, "{wrong:?}");
        }
    }
}

use actix_web::HttpRequest;
use actix_web::http::header;
use serde_json::{Map, Value, json};

use crate::color::{Palette, PortalColor};

/// Screens that the portal shows before its session begins, and after it.
const OUTSIDE: [&str; 2] = ["/console/portal", "/console/signed-out"];

/// The brand that visitors see, and the pages that may show the console in a frame. See decision 79.
#[derive(Clone, Debug, Default)]
pub struct PortalSettings {
    /// The name of the host application.
    pub name: Option<String>,
    /// Its logo, an SVG image.
    pub logo: Option<String>,
    /// Its colour.
    pub color: Option<PortalColor>,
    /// The origins of pages that may show the portal in a frame.
    pub frame_ancestors: Vec<String>,
    /// The name of the cookie of portal sessions in frames.
    pub cookie: &'static str,
}

impl PortalSettings {
    /// The brand as the console reads it.
    pub(crate) fn brand(&self) -> Value {
        let palette = |palette: Palette| {
            let properties = palette.properties().map(|(name, value)| (format!("--{name}"), Value::from(value)));
            Value::Object(properties.collect::<Map<String, Value>>())
        };
        let logo = self.logo.as_ref().map(|_| "/console/brand/logo");
        json!({
            "name": self.name,
            "logo": logo,
            "light": self.color.map(|color| palette(color.on_light())),
            "dark": self.color.map(|color| palette(color.on_dark())),
        })
    }

    /// The value of `frame-ancestors` for the page that answers this request. Only a request of the portal may be answered
    /// in a frame. A browser that has signed in does not send its cookie from a frame of another site.
    pub(crate) fn ancestors_of(&self, request: &HttpRequest) -> String {
        let is_portal = OUTSIDE.contains(&request.path()) || self.has_cookie(request);
        if self.frame_ancestors.is_empty() || !is_portal {
            return "'none'".to_owned();
        }
        self.frame_ancestors.join(" ")
    }

    fn has_cookie(&self, request: &HttpRequest) -> bool {
        let lines = request.headers().get_all(header::COOKIE).filter_map(|line| line.to_str().ok());
        let mut names = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        names.any(|(name, _)| name == self.cookie)
    }
}

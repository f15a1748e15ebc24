use actix_web::http::{Method, header};
use actix_web::web::{self, Data, Path, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Resource, Route};
use pages::File;

use self::packed::{FILES, VERSION};
use crate::portal::PortalSettings;
use crate::source::SHELL;
use crate::web_folder::WebFolder;

/// The output of `build.rs`: the files of the folder `web`, and the version of all of them together.
mod packed {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
    include!(concat!(env!("OUT_DIR"), "/version.rs"));
}

/// Only this service, only files, no inline script or style, and no string that becomes markup or code.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'";
/// An image that is opened as a page runs no script.
const POLICY_OF_IMAGES: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";
/// The path has a version, which is made from all files.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The routes of the console, and of `/`, which leads to it. Without the console, `/` is a page that names the API.
///
/// `/console/{screen}` matches every path that no earlier route matches: routes such as `/console/login`, which belong
/// to another adapter, must come first.
pub fn routes(has_console: bool, portal: PortalSettings) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
    let portal = Data::new(portal);
    move |config| {
        config.app_data(Data::clone(&portal));
        if !has_console {
            config.service(read("/", || web::to(api_page)));
            return;
        }
        config
            .service(read("/", || web::to(to_the_console)))
            .service(read("/console", || web::to(to_the_console)))
            .service(read("/console/assets/{version}/{file:.*}", || web::to(asset)))
            .service(read("/console/brand", || web::to(brand)))
            .service(read("/console/brand/logo", || web::to(logo)))
            .service(read("/console/{screen:.*}", || web::to(shell)));
    }
}

/// A path that answers GET and HEAD. The framework leaves the body out of the answer to HEAD.
fn read(path: &str, handler: fn() -> Route) -> Resource {
    web::resource(path).route(handler().method(Method::GET)).route(handler().method(Method::HEAD))
}

/// The page at `/` with `CONSOLE=false`.
async fn api_page() -> HttpResponse {
    let version = env!("CARGO_PKG_VERSION");
    let content =
        format!("<p>Version {version}. This instance has no console. <a href=\"/docs\">Read about the API</a>.</p>");
    HttpResponse::Ok().content_type(pages::MEDIA_TYPE).body(pages::page("API keys and webhooks", "", &content))
}

async fn to_the_console() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, "/console/")).finish()
}

/// The same page for every screen: the script in it reads the address.
async fn shell(request: HttpRequest, portal: Data<PortalSettings>, folder: Option<Data<WebFolder>>) -> HttpResponse {
    let policy = CONTENT_SECURITY_POLICY.replace("{ancestors}", &portal.ancestors_of(&request));
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .insert_header(("cross-origin-opener-policy", "same-origin"));
    let found = match folder {
        Some(folder) => folder.shell(answer),
        None => File::find(&FILES, SHELL).map(|shell| shell.answer(&request, answer)),
    };
    found.unwrap_or_else(|| HttpResponse::NotFound().finish())
}

/// The brand of the host application, which everybody may read.
async fn brand(portal: Data<PortalSettings>) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-cache")).json(portal.brand())
}

async fn logo(portal: Data<PortalSettings>) -> HttpResponse {
    let Some(logo) = &portal.logo else { return HttpResponse::NotFound().finish() };
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY_OF_IMAGES))
        .content_type("image/svg+xml")
        .body(logo.clone())
}

/// A file of another version is not found: a page must not mix versions.
async fn asset(request: HttpRequest, path: Path<(String, String)>, folder: Option<Data<WebFolder>>) -> HttpResponse {
    let (version, file) = path.into_inner();
    let found = match folder {
        Some(folder) => folder.asset(&file),
        None => File::find(&FILES, &file).filter(|_| version == VERSION).map(|file| {
            let mut answer = HttpResponse::Ok();
            answer.insert_header((header::CACHE_CONTROL, IMMUTABLE));
            file.answer(&request, answer)
        }),
    };
    found.unwrap_or_else(|| HttpResponse::NotFound().finish())
}

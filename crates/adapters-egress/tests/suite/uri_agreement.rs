//! Every target that can be saved can be sent: the HTTP library reads the parts of a URL that the URL standard writes.

use domain::webhooks::TargetUrl;
use http::{HeaderValue, Uri};
use proptest::prelude::*;
use url::Position;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_library_reads_what_requests_are_made_of(
        scheme in "(https?|HTTP):[/\\\\]{0,3}",
        rest in "([a-zA-Z0-9.:@%\\[\\]#?/\\\\_!$&'()*+,;=~^`|{}<>\" \\-]|\\PC){0,30}",
    ) {
        let Some(target) = TargetUrl::from_stored(&format!("{scheme}{rest}")) else { return Ok(()) };
        let url = target.url();
        let path: Uri = url[Position::BeforePath..Position::AfterQuery].parse().unwrap();
        prop_assert_eq!((path.path(), path.query()), (url.path(), url.query()));
        prop_assert!(HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]).is_ok());
        // User info and other hosts than DNS names are refused before an attempt.
        if let Ok(whole) = url[..Position::AfterQuery].parse::<Uri>() {
            prop_assert_eq!(whole.path_and_query(), path.path_and_query());
        }
    }

    #[test]
    fn whatever_the_path_the_library_can_read_it(path in "\\PC{0,40}", query in "\\PC{0,40}") {
        let target = TargetUrl::from_stored(&format!("https://receiver.example/{path}?{query}")).unwrap();
        let url = target.url();
        prop_assert!(url[..Position::AfterQuery].parse::<Uri>().is_ok(), "{}", target.as_str());
        prop_assert!(url[Position::BeforePath..Position::AfterQuery].parse::<Uri>().is_ok(), "{}", target.as_str());
    }
}

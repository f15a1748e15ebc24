//! Two parsers read a target: that of the URL standard, whose host is checked, and that of the client, whose host is
//! connected to. If they disagreed, an allowed URL could lead to a refused host.

use domain::webhooks::TargetUrl;
use http::Uri;
use proptest::prelude::*;
use url::Host;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn both_parsers_see_the_same_place(
        scheme in "(https?|HTTP):[/\\\\]{0,3}",
        rest in "([a-zA-Z0-9.:@%\\[\\]#?/\\\\_!$&'()*+,;=~^`|{}<>\" \\-]|\\PC){0,30}",
    ) {
        let Some(target) = TargetUrl::from_stored(&format!("{scheme}{rest}")) else { return Ok(()) };
        // A URL that the client cannot parse is never sent.
        let Ok(uri) = target.as_str().parse::<Uri>() else { return Ok(()) };
        prop_assert_eq!(uri.scheme_str(), Some(target.url().scheme()));
        prop_assert_eq!(uri.port_u16(), target.url().port());
        prop_assert_eq!(uri.host().map(Host::parse), target.url().host().map(|host| Ok(host.to_owned())));
    }

    /// A target that can be saved can be sent.
    #[test]
    fn whatever_the_path_the_client_can_read_it(path in "\\PC{0,40}", query in "\\PC{0,40}") {
        let target = TargetUrl::from_stored(&format!("https://receiver.example/{path}?{query}")).unwrap();
        prop_assert!(target.as_str().parse::<Uri>().is_ok(), "{}", target.as_str());
    }
}

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

const HEADING: &str = "Owner";

// The user who calls, also for an organization. Not a doc comment: clap would show it as the help of each command.
#[derive(Debug, Default, Args)]
pub(crate) struct Member {
    /// A user name of the running `gatepost dev`
    #[arg(long, help_heading = HEADING, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    user: Option<String>,
    /// An organization to which the user belongs
    #[arg(long, help_heading = HEADING, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    organization: Option<String>,
}

impl Member {
    /// The user name.
    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The organization of the user.
    pub(crate) fn organization(&self) -> Option<gatepost_client::Owner> {
        self.organization.clone().map(gatepost_client::Owner::Organization)
    }

    /// Whether a user or an organization is named.
    pub(crate) fn is_named(&self) -> bool {
        self.user.is_some() || self.organization.is_some()
    }
}

// The owner of keys and webhooks. Not a doc comment either.
#[derive(Debug, Default, Args)]
pub(crate) struct Owner {
    #[command(flatten)]
    member: Member,
    /// Any user, with the operator token; with `GATEPOST_OPERATOR_TOKEN`, --user does the same
    #[arg(long, help_heading = HEADING, value_name = "ID", value_parser = NonEmptyStringValueParser::new(),
        conflicts_with_all = ["user", "organization", "for_organization"])]
    for_user: Option<String>,
    /// Any organization, with the operator token
    #[arg(long, help_heading = HEADING, value_name = "ID", value_parser = NonEmptyStringValueParser::new(),
        conflicts_with_all = ["user", "organization"])]
    for_organization: Option<String>,
}

impl Owner {
    /// The owner with this user name, or the one of the credential.
    pub(crate) fn named(user: Option<String>) -> Self {
        Self { member: Member { user, organization: None }, ..Self::default() }
    }

    /// The user who calls with an own credential.
    pub(crate) fn member(&self) -> &Member {
        &self.member
    }

    /// Whether an owner is named.
    pub(crate) fn is_named(&self) -> bool {
        !self.as_arguments().is_empty()
    }

    /// The arguments to repeat in a suggested command.
    pub(crate) fn as_arguments(&self) -> String {
        let Self { member: Member { user, organization }, for_user, for_organization } = self;
        let given = [
            ("user", user),
            ("organization", organization),
            ("for-user", for_user),
            ("for-organization", for_organization),
        ];
        given.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", value.as_ref()?))).collect()
    }

    /// The owner for whom the operator calls; `None` if the owner's own credential is used, as for an organization of a
    /// user.
    pub(crate) fn of_operator(&self, has_operator_token: bool) -> Option<gatepost_client::Owner> {
        let Member { user, organization } = &self.member;
        let of_token = user.as_ref().filter(|_| has_operator_token && organization.is_none());
        let user = self.for_user.as_ref().or(of_token).map(|id| gatepost_client::Owner::User(id.clone()));
        user.or_else(|| self.for_organization.clone().map(gatepost_client::Owner::Organization))
    }
}

// The owner that the host names. Not a doc comment either.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Recipient {
    /// The id of the user, which is the `sub` of their ID tokens
    #[arg(long, value_name = "USER_ID")]
    user: Option<String>,
    /// The id of the organization
    #[arg(long, value_name = "ORGANIZATION_ID")]
    organization: Option<String>,
}

impl From<Recipient> for gatepost_client::Owner {
    fn from(Recipient { user, organization }: Recipient) -> Self {
        // One of the two is required.
        user.map_or_else(|| Self::Organization(organization.unwrap_or_default()), Self::User)
    }
}

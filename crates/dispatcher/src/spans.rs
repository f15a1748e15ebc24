use std::time::Duration;

use domain::ports::ClaimedDelivery;
use domain::webhooks::{AttemptOutcome, OurFault, Verdict};
use domain::{Attribute, OpenSpan, SpanEnd};

use crate::dispatcher::Dispatcher;
use crate::state::Flight;

/// The name of the span of an attempt.
const NAME: &str = "webhook attempt";

impl Dispatcher {
    /// The span of an attempt, if the publication of the event was traced, and this instance traces.
    pub(crate) fn open_span(&self, delivery: &ClaimedDelivery) -> Option<OpenSpan> {
        let publication = delivery.trace?;
        self.tracer.as_ref().map(|tracer| tracer.attempt(publication))
    }

    /// Records the span of an attempt that has ended, or that was cut off and has no outcome.
    pub(crate) fn end_span(&self, flight: &Flight, outcome: Option<&AttemptOutcome>, duration: Duration) {
        let Some((tracer, span)) = self.tracer.as_ref().zip(flight.span) else { return };
        let is_error = outcome.map(AttemptOutcome::verdict) != Some(Verdict::Delivered);
        let attributes = attributes(flight, outcome);
        tracer.end(span, SpanEnd { name: NAME.to_owned(), duration, attributes, is_error });
    }
}

/// The attributes of an HTTP client by OpenTelemetry's conventions, without the URL, and the ids by which an operator
/// finds the delivery.
fn attributes(flight: &Flight, outcome: Option<&AttemptOutcome>) -> Vec<Attribute> {
    let Flight { subscription, delivery, target, .. } = flight;
    let mut attributes: Vec<Attribute> = vec![
        ("http.request.method", "POST".into()),
        ("gatepost.subscription.id", subscription.to_string().into()),
        ("gatepost.delivery.id", delivery.id.to_string().into()),
        ("gatepost.event.id", delivery.event.to_string().into()),
        ("gatepost.attempt", delivery.attempt.into()),
    ];
    let url = target.url.url();
    attributes.extend(url.host_str().map(|host| ("server.address", host.to_owned().into())));
    attributes.extend(url.port_or_known_default().map(|port| ("server.port", port.into())));
    attributes.push(match outcome {
        Some(AttemptOutcome::Answered(answer)) => ("http.response.status_code", answer.status.into()),
        Some(AttemptOutcome::Failed { reason, .. }) => ("error.type", reason.code().into()),
        Some(AttemptOutcome::NotCharged(fault)) => ("error.type", name_of(*fault).into()),
        None => ("error.type", "cut_off".into()),
    });
    attributes
}

fn name_of(fault: OurFault) -> &'static str {
    match fault {
        OurFault::Resolver => "resolver",
        OurFault::ConnectionLimit => "connection_limit",
        OurFault::Request => "request",
    }
}

use std::time::Duration;

use domain::ports::{ClaimRequest, Completion, DeliveryQueue, HandedOver};
use domain::webhooks::{ClaimEnd, FairShares};

use super::fault::Fault;
use super::store::Saboteur;

impl Saboteur {
    pub(super) fn offered(&self, request: Option<&ClaimRequest>) -> u32 {
        let Some(request) = request else {
            return if self.is(Fault::KeepsOffers) { 0 } else { self.inner.offer_claims(None) };
        };
        self.memo().offered = Some(request.clone());
        let everything = ClaimRequest {
            lanes_max: u32::MAX,
            room: u32::MAX,
            rooms: Vec::new(),
            shares: FairShares::new(u32::MAX),
            payload_bytes_max: u64::MAX,
            ..request.clone()
        };
        match self.fault {
            Fault::IgnoresOfferedRoom => self.inner.offer_claims(Some(&everything)),
            Fault::KeepsOffers if request.room == 0 => 0,
            Fault::KeepsOffers => {
                let at = request.at.plus(Duration::from_hours(1));
                self.inner.offer_claims(Some(&ClaimRequest { at, ..request.clone() }))
            }
            _ => self.inner.offer_claims(Some(request)),
        }
    }

    pub(super) async fn come_out(&self) -> Vec<HandedOver> {
        let more = std::mem::take(&mut self.memo().handed_over);
        if !more.is_empty() {
            return more;
        }
        let claims = self.inner.handed_over().await;
        match self.fault {
            Fault::HandsNothingOver => return Vec::new(),
            Fault::HandsOverWhatWaits => self.give_back_all(&claims).await,
            Fault::HandsOverRepetitions => self.memo().came_out.clone_from(&claims),
            _ => {}
        }
        claims
    }

    /// Notes more to hand over after a publication.
    pub(super) async fn published_again(&self, has_repetition: bool) {
        let offered = self.memo().offered.clone();
        match (self.fault, offered) {
            (Fault::HandsOverRepetitions, _) if has_repetition => {
                let mut memo = self.memo();
                let came_out = memo.came_out.clone();
                memo.handed_over.extend(came_out);
            }
            (Fault::HandsOverPaused, Some(offered)) => {
                let later = ClaimRequest { at: offered.at.plus(Duration::from_hours(1)), ..offered };
                let lanes = self.inner.claim(&later).await.expect("the reference never fails");
                let claim = HandedOver { claim: later.claim, at: later.at, lanes, is_stored: true };
                self.memo().handed_over.push(claim);
            }
            _ => {}
        }
    }

    async fn give_back_all(&self, claims: &[HandedOver]) {
        for claim in claims {
            let end = ClaimEnd::GivenBack { at: claim.at, due_at: claim.at };
            let deliveries =
                claim.lanes.iter().flat_map(|lane| lane.deliveries.iter().map(|one| (lane.subscription, one.id)));
            let completions: Vec<Completion> = deliveries
                .map(|(subscription, delivery)| Completion {
                    subscription,
                    delivery,
                    claim: claim.claim,
                    end: end.clone(),
                })
                .collect();
            self.inner.complete(&completions).await.expect("the reference never fails");
        }
    }
}

use async_trait::async_trait;
use domain::ports::{
    CancelDeliveryRequest, DeliveryCommands, RecoverRequest, Recovered, RetryByHand, RetryDeliveryRequest,
    RetryFailedRequest, RetryOfFailed, StoreError,
};
use domain::webhooks::Delivery;

use crate::PostgresStore;

#[async_trait]
impl DeliveryCommands for PostgresStore {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        let answer = self.run(request).await?;
        if let RetryByHand::Due(_) = answer {
            self.change_signal.notify_of_deliveries();
        }
        Ok(answer)
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        self.run(request).await
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        let answer = self.run(request).await?;
        if let RetryOfFailed::Due(1..) = answer {
            self.change_signal.notify_of_deliveries();
        }
        Ok(answer)
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        let recovered = self.run(request).await?;
        if recovered.is_some_and(|one| request.enables || one.deliveries > 0) {
            self.change_signal.notify_of_deliveries();
        }
        Ok(recovered)
    }
}

import { receiveWebhooks } from "@gatepost/client/next";

export const POST = receiveWebhooks(process.env.WEBHOOK_SECRET, ({ payload }) => console.log(payload));

import { callerOf, requireApiKey } from "@gatepost/client/next";
import { gatepost, keys } from "../../lib/gatepost";

export const dynamic = "force-dynamic";

export const GET = requireApiKey(keys, "orders:read", (request) => {
  return Response.json({ ordersOf: callerOf(request).owner });
});

export const POST = requireApiKey(keys, "", async (request) => {
  const { owner } = callerOf(request);
  return Response.json(await gatepost.publishEvent({ ...owner, type: "order.created", data: { orderId: "or_1" } }));
});

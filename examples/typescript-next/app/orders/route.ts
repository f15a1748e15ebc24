import { callerOf, requireApiKey } from "@gatepost/client/next";
import { gatepost, keys } from "../../lib/gatepost";

export const dynamic = "force-dynamic";

export const GET = requireApiKey(keys, "orders:read", (request) => {
  return Response.json({ ordersOf: callerOf(request).owner });
});

export const POST = requireApiKey(keys, "", async (request) => {
  await gatepost.publishEvent({ ...callerOf(request).owner, type: "order.created", data: { orderId: "or_1" } });
  return new Response(null, { status: 202 });
});

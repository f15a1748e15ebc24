// What the types must allow, and what they must refuse. It is compiled and not run.
import { type Caller, Gatepost, type Pages, type Schemas, type Verifier } from "@gatepost/client";
import { requireApiKey } from "@gatepost/client/next";

/** As `NextRequest` of Next. */
interface OwnRequest extends Request {
  readonly nextUrl: URL;
}

export const route = (keys: Verifier) =>
  requireApiKey(keys, "orders:read", async (request: OwnRequest, { params }: { params: Promise<{ id: string }> }) =>
    Response.json({ path: request.nextUrl.pathname, id: (await params).id }),
  );

export async function types(gatepost: Gatepost, caller: Caller): Promise<void> {
  const created: Schemas["CreatedApiKey"] = await gatepost.createApiKey({ label: "CI" });
  const deliveries: Pages<Schemas["DeliveryPage"], Schemas["Delivery"]> = gatepost.listDeliveries();
  for await (const { id } of deliveries) await gatepost.retryDelivery({ id }, { timeoutMs: 1_000 });
  for await (const attempt of await gatepost.streamAttempts()) {
    const { deliveryId }: Schemas["StreamedAttempt"] = attempt;
    void deliveryId;
  }
  const nothing: undefined = await gatepost.deleteSubscription({ id: created.keyId });
  const page: string = await gatepost.docsPage();
  const icon: Uint8Array = await gatepost.favicon();
  void [nothing, page, icon];
  await gatepost.publishEvent({ ...caller.owner, type: "a.b", data: 1 });
  await gatepost.createPortalLink(caller.owner);
  const schema = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
  await gatepost.eventTypes.apply([{ name: "a.b", schema, examples: [{ id: "1" }] }]);
  await gatepost.putEventType({ name: "a.b", schema });
  const whole: object = await gatepost.openapiDocument();
  void whole;
  const organization: string = caller.owner.userId === undefined ? caller.owner.organizationId : "none";
  void organization;
  // @ts-expect-error the owner may be an organization
  const user: string = caller.userId;
  void user;
  // @ts-expect-error a label is missing
  await gatepost.createApiKey({});
  // @ts-expect-error arguments are missing
  await gatepost.findSubscription();
  // @ts-expect-error a typing error
  await gatepost.listEvents({ userID: "alice" });
  // @ts-expect-error a number is no id
  await gatepost.findSubscription({ id: 1 });
}

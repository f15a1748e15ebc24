import { GatepostError } from "./error.js";
import { verifyWebhook, type Webhook, type WebhookKeys, type WebhookOptions } from "./webhooks.js";

/** The arguments of `receiveWebhooks`. After an error of the handler, Gatepost sends the webhook again. */
export type Receiver = [keys: WebhookKeys, handler: (webhook: Webhook) => unknown, options?: WebhookOptions];

type Body = Parameters<typeof verifyWebhook>[0];
type Message = { headers: Parameters<typeof verifyWebhook>[1] };

/** Larger than any webhook of Gatepost. */
export const BODY_BYTES_MAX = 2 * 1024 * 1024;
export const TEXT = { "content-type": "text/plain; charset=utf-8" };
/** Mistakes of the host: no sender is told about them. */
const OF_HOST = ["body_not_raw", "invalid_argument", "invalid_secret"];

/** What to answer: after the handler 204, and before it why the webhook is refused. */
export async function answerTo(
  { headers }: Message,
  body: Body | undefined,
  [keys, handler, options]: Receiver,
): Promise<[status: number, reason: string]> {
  if (body === undefined) return [413, "the webhook is too large"];
  let webhook: Webhook;
  try {
    webhook = await verifyWebhook(body, headers, keys, options);
  } catch (error) {
    if (!(error instanceof GatepostError) || OF_HOST.includes(`${error.code}`)) throw error;
    return [400, error.message];
  }
  if (!isEvent(webhook)) return [400, "the body is not a JSON object"];
  await handler(webhook);
  return [204, ""];
}

/** The same for a request of `fetch`. */
export async function responseTo(request: Request, receiver: Receiver): Promise<Response> {
  if (request.bodyUsed) throw wasRead();
  const [status, reason] = await answerTo(request, await bodyOf(request.body ?? []), receiver);
  return new Response(reason || null, { status, headers: TEXT });
}

/** The bytes; `undefined` if they are too many. It reads to the end: a sender may read the answer only then. */
export async function bodyOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const kept: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size <= BODY_BYTES_MAX) kept.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return size <= BODY_BYTES_MAX ? new Uint8Array(await new Blob(kept).arrayBuffer()) : undefined;
}

export function wasRead(): GatepostError {
  return new GatepostError(
    "receiveWebhooks needs the bytes of the body, which something has read before it, such as express.json(): put " +
      "receiveWebhooks before that",
    { code: "body_not_raw" },
  );
}

function isEvent(webhook: Webhook): boolean {
  try {
    const payload: unknown = webhook.payload;
    return typeof payload === "object" && payload !== null && !Array.isArray(payload);
  } catch {
    return false;
  }
}

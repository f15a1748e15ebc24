import { verifyWebhook } from "@gatepost/client";

export async function POST(request: Request) {
  try {
    const webhook = await verifyWebhook(await request.arrayBuffer(), request.headers, process.env.WEBHOOK_SECRET);
    console.log("genuine:", webhook.payload.type);
    return new Response(null, { status: 204 });
  } catch (error) {
    console.warn(`refused: ${error}`);
    return new Response(null, { status: 400 });
  }
}

import { gatepost } from "../../lib/gatepost";

export const dynamic = "force-dynamic";

export default async function Portal() {
  const userId = "alice"; // the user of your session
  const { url } = await gatepost.createPortalLink({ userId });
  const style = { width: "100%", height: 700, border: 0 };
  return <iframe src={url} title="API keys and webhooks" allow="clipboard-write" style={style} />;
}

// The changes of all users' items, with filters and an export.

import { html } from "../vendor/preact.js";
import { addressOf, call } from "../lib/api.js";
import { usePages } from "../lib/pages.js";
import { useFilter } from "../lib/router.js";
import { ago, DAY } from "../lib/time.js";
import { Choice, Filters, SearchField } from "../lib/fields.js";
import { Page } from "../lib/ui.js";
import { ACTIONS, OnlyTarget, Table, useLoggedNames } from "./audit.js";

/** @type {[string, string][]} */
const PERIODS = [
  ["", "Any time"],
  ["1", "Last 24 hours"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
];

export default function OperatorAudit() {
  const [filter, change, set] = useFilter();
  const { userId = "", organizationId = "", actor = "", action = "", target = "", days = "" } = filter;
  const since = () => (days ? ago(Number(days) * DAY) : undefined);
  const asked = () => ({ userId, organizationId, actor, action, target, since: since() });
  const list = usePages(async (cursor) => {
    const { events, nextCursor } = await call("listAllAuditEvents", { ...asked(), cursor });
    return { rows: events, next: nextCursor };
  }, [userId, organizationId, actor, action, target, days].join(" "));
  const names = useLoggedNames(list.rows, { userId, organizationId });
  const downloads = html`
    <a class="button" href=${addressOf("listAllAuditEvents", { ...asked(), format: "csv" })} download="audit.csv">Download CSV</a>
    <a class="button" href=${addressOf("listAllAuditEvents", { ...asked(), format: "jsonl" })} download="audit.jsonl">Download JSON</a>
  `;
  return html`
    <${Page} title="All changes" lead="Who did what to whose keys, webhooks and sessions, when and from where." actions=${downloads}>
      <${Filters} label="Filter the audit log">
        <${SearchField} label="User id" value=${userId} onChange=${(/** @type {string} */ text) => change({ userId: text, organizationId: "" })} isMain />
        <${SearchField} label="Organization id" value=${organizationId} onChange=${(/** @type {string} */ text) => change({ organizationId: text, userId: "" })} />
        <${SearchField} label="Done by" hint="user:ID, organization:ID, operator:NAME or service" value=${actor} onChange=${set("actor")} />
        <${Choice} label="Action" value=${action} options=${ACTIONS} onChange=${set("action")} />
        <${Choice} label="When" value=${days} options=${PERIODS} onChange=${set("days")} />
      <//>
      <${OnlyTarget} target=${target} names=${names} show=${set("target")} />
      ${list.frame(
        { empty: "Nothing was changed", hint: "No change matches the filter." },
        html`<${Table} events=${list.rows} names=${names} show=${set("target")} showsUser />`,
      )}
    <//>
  `;
}

// Finds a user by the subject at the identity provider.

import { html, useState } from "../vendor/preact.js";
import { navigate } from "../lib/router.js";
import { Form, Page, TextField } from "../lib/ui.js";

export default function Users() {
  const [userId, setUserId] = useState("");
  const go = () => navigate(`/console/operator/users/${encodeURIComponent(userId.trim())}`);
  return html`
    <${Page} title="Users" lead="What a user has, and what happened to it. The user sees in the audit log what you read.">
      <${Form} submit=${go} isRunning=${false} label="Show the user" isReady=${userId.trim() !== ""}>
        <${TextField} label="User id" type="search" data-search spellcheck="false" value=${userId} set=${setUserId}
          hint="The subject (sub) of the user at your identity provider, exactly as its tokens have it." />
      <//>
    <//>
  `;
}

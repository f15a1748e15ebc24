// A screen, or a part of one, that is loaded when it is shown.

import { html, useEffect, useState } from "../vendor/preact.js";
import { Loading, Page } from "./ui.js";

/** @typedef {import("./router.js").Route} Route */

/** @param {{ route: Route, parameters?: Record<string, any>, loading?: unknown }} props */
export function Screen({ route, parameters = {}, loading = html`<${Loading} />` }) {
  const [screen, setScreen] = useState(/** @type {{ show: (props: any) => unknown } | undefined} */ (undefined));
  useEffect(() => {
    let isHere = true;
    route.load().then(
      (module) => isHere && setScreen({ show: module.default }),
      () => isHere && setScreen({ show: Outdated }),
    );
    return () => void (isHere = false);
  }, [route]);
  return screen ? html`<${screen.show} ...${parameters} />` : loading;
}

/** The server has another version now, without the files of this page. */
const Outdated = () => html`
  <${Page} title="Reload this page" lead="The server has a new version of the console, or cannot be reached.">
    <button type="button" class="primary" onClick=${() => location.reload()}>Reload</button>
  <//>
`;

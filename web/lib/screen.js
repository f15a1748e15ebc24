// A screen, or a part of one, that is loaded when it is shown.

import { html, useEffect, useState } from "../vendor/preact.js";
import { Dialog, Loading, Page } from "./ui.js";

/** @typedef {import("./router.js").Route} Route */

/** @typedef {{ show: (props: any) => unknown }} Shown */

/** @param {Route} route @param {Shown["show"]} missing @returns {Shown | undefined} */
function useLoaded(route, missing) {
  const [loaded, setLoaded] = useState(/** @type {Shown | undefined} */ (undefined));
  useEffect(() => {
    let isHere = true;
    route.load().then(
      (module) => isHere && setLoaded({ show: module.default }),
      () => isHere && setLoaded({ show: missing }),
    );
    return () => void (isHere = false);
  }, [route]);
  return loaded;
}

/** @param {{ route: Route, parameters?: Record<string, any> }} props */
export function Screen({ route, parameters = {} }) {
  const screen = useLoaded(route, Outdated);
  return screen ? html`<${screen.show} ...${parameters} />` : html`<${Loading} />`;
}

/** A part of the page, which works without it. @param {{ route: Route, parameters: Record<string, any> }} props */
export function Part({ route, parameters }) {
  const part = useLoaded(route, Missing);
  return part && html`<${part.show} ...${parameters} />`;
}

const LEAD = "The server has a new version of the console, or cannot be reached.";
const Reload = () => html`<button type="button" class="primary" onClick=${() => location.reload()}>Reload</button>`;

/** The server has another version now, without the files of this page. */
const Outdated = () => html`<${Page} title="Reload this page" lead=${LEAD}><${Reload} /><//>`;

/** @param {{ onClose?: () => void }} props */
const Missing = ({ onClose }) =>
  onClose
    ? html`<${Dialog} title="Reload this page" onClose=${onClose}><p>${LEAD}</p><${Reload} /><//>`
    : html`<p class="quiet">A part of this page is missing. ${LEAD}</p>`;

// The name, logo and colours of the host application, which visitors see instead of those of Gatepost.

import { useEffect, useState } from "../vendor/preact.js";
import { call } from "./api.js";

/** @typedef {Record<string, string>} Properties */
/** @typedef {{ name: string | null, logo: string | null, light: Properties | null, dark: Properties | null }} Brand */

/** What the titles of pages end with. */
export const product = { name: "Gatepost" };

/** Whether the page is in a frame of the host application. */
export const isFramed = window.top !== window;

/**
 * The brand, for a visitor. Others see Gatepost, and the console reads nothing.
 * @param {boolean} isVisitor
 * @returns {Brand | undefined}
 */
export function useBrand(isVisitor) {
  const [brand, setBrand] = useState(/** @type {Brand | undefined} */ (undefined));
  useEffect(() => {
    if (!isVisitor) return;
    call("GET", "/console/brand").then(
      (/** @type {Brand} */ read) => {
        wear(read);
        setBrand(read);
      },
      // Without it the page works, and looks like Gatepost.
      () => undefined,
    );
  }, [isVisitor]);
  return brand;
}

/** @param {Brand} brand */
function wear({ name, light, dark }) {
  document.title = document.title.replace(product.name, name ?? product.name);
  product.name = name ?? product.name;
  if (!light || !dark) return;
  // A style sheet of the script, because the policy of the page allows no inline style.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root { ${block(light)} } @media (prefers-color-scheme: dark) { :root { ${block(dark)} } }`);
  document.adoptedStyleSheets = [sheet];
}

/** @param {Properties} properties */
const block = (properties) => Object.entries(properties).map(([name, value]) => `${name}: ${value};`).join(" ");

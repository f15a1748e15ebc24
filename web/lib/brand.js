// The name, logo and colours of the host application, which visitors see instead of Gatepost's.

import { useEffect, useState } from "../vendor/preact.js";
import { send } from "./api.js";
import { isFramed } from "./frame.js";

/** The name of the portal without `PORTAL_NAME`. */
export const PORTAL = "API keys and webhooks";

/** @typedef {Record<string, string>} Properties */
/** @typedef {{ name: string | null, logo: string | null, light: Properties | null, dark: Properties | null }} Brand */

/** The end of the titles of pages, and whether the reader is a visitor, who may not know Gatepost. A frame is for visitors. */
export const product = { name: isFramed ? PORTAL : "Gatepost", isPortal: isFramed };

/**
 * The brand, for a visitor. Others see Gatepost, and the console reads no brand.
 * @param {boolean} isVisitor
 * @returns {Brand | undefined}
 */
export function useBrand(isVisitor) {
  const [brand, setBrand] = useState(/** @type {Brand | undefined} */ (undefined));
  useEffect(() => {
    product.isPortal = isVisitor;
    if (!isVisitor) return;
    product.name = PORTAL;
    readBrand().then(
      (read) => {
        wear(read);
        setBrand(read);
      },
      // Without it the page works, and has a neutral name.
      () => undefined,
    );
  }, [isVisitor]);
  return brand;
}

/** @returns {Promise<Brand>} */
const readBrand = async () => (await send("/console/brand", {})).json();

/** @param {Brand} brand */
function wear({ name, light, dark }) {
  const shown = name ?? PORTAL;
  document.title = document.title.replace(product.name, shown);
  product.name = shown;
  if (!light || !dark) return;
  // A style sheet of the script, because the policy of the page allows no inline style.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root { ${block(light)} } @media (prefers-color-scheme: dark) { :root { ${block(dark)} } }`);
  document.adoptedStyleSheets = [sheet];
}

/** @param {Properties} properties */
const block = (properties) =>
  Object.entries(properties)
    .map(([name, value]) => `${name}: ${value};`)
    .join(" ");

/** The query of the page after a visit. */
export const VISIT = "?visit";

/** The URL to which visitors return, kept until the tab closes. A browser may forbid a frame to store data. */
const RETURN_URL = "gatepost:return-url";
export const returnUrl = () => stored(() => sessionStorage.getItem(RETURN_URL));
/** @param {string} url */
export const keepReturnUrl = (url) => stored(() => sessionStorage.setItem(RETURN_URL, url));

/**
 * @template T
 * @param {() => T} act
 */
function stored(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

// The owner whose items the page shows: the organization that the address names, or the user. The page is loaded again
// for another owner, so it never shows items of one owner for another.

const name = "organization";
const named = new URLSearchParams(globalThis.location?.search).get(name);

/** The id of the organization; empty for the user's own items. */
export const organization = named ?? "";

/** Whether the address names the owner, and does not leave it to the service. */
export const isNamed = named !== null;

/**
 * The address of a screen for this organization, or for the user with an empty id.
 * @param {string} id
 * @param {string} [path]
 */
export function addressFor(id, path = "/console/") {
  const url = new URL(path, location.origin);
  url.searchParams.set(name, id);
  return url.pathname + url.search;
}

/** The same screen for the owner of this page. @param {string} path */
export const kept = (path) => (isNamed ? addressFor(organization, path) : path);

/** Whether a link with this query leads to another owner. @param {string} search */
export const isOther = (search) => (new URLSearchParams(search).get(name) ?? named) !== named;

/** Without the owner, which is not a part of a filter. @param {URLSearchParams} parameters */
export const withoutOwner = (parameters) =>
  Object.fromEntries([...parameters].filter(([parameter]) => parameter !== name));

// What the service may refuse in the URL of a receiver, said while the reader types. The settings of the service decide.

const UNLESS = "The service refuses it, unless its operator allows it.";

/** Addresses of this machine and of private networks, as the URL standard writes them. */
const PRIVATE = [
  /^(.+\.)?localhost$/,
  /^(0|10|127)(\.\d+){3}$/,
  /^(169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+){2}$/,
  /^\[(::1?\]|f[cd]|fe[89ab])/,
];

/**
 * The warning about the URL that is typed; empty if there is none. Text that is not yet a URL has none.
 * @param {string} text
 */
export function urlWarning(text) {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url) return "";
  const { protocol, username, password, hostname } = url;
  if (username || password) {
    return "A URL with a user name or a password is refused. Choose “A user name and a password” under “Advanced”.";
  }
  if (PRIVATE.some((pattern) => pattern.test(hostname))) return `This address is in a private network. ${UNLESS}`;
  return protocol === "http:" ? `Events are sent over http without encryption. ${UNLESS}` : "";
}

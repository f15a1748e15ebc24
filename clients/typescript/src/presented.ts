/** The headers of a request: those of `fetch`, those of Node, or those of a message of Node. */
export type RequestLike =
  | { headers: Headers }
  | { headers: Record<string, string | string[] | undefined>; headersDistinct?: Record<string, string[] | undefined> };

/**
 * The API key of a request, from `Authorization: Bearer` or `x-api-key`. With several different keys, or an empty one,
 * the request is `invalid`. A header may be there several times: frameworks list its values, or join them with commas.
 */
export function apiKeyIn(request: RequestLike): { key: string } | "missing" | "invalid" {
  const authorization = valuesOf(request, "authorization", /,\s*(?=\w+ )/);
  const bearer = authorization.filter((value) => /^bearer(?: |$)/i.test(value));
  const keys = [...bearer.map((value) => value.slice("bearer".length)), ...valuesOf(request, "x-api-key", ",")];
  const [first, ...others] = keys.map((key) => key.trim());
  if (first === undefined) return "missing";
  return first === "" || others.some((other) => other !== first) ? "invalid" : { key: first };
}

function valuesOf(request: RequestLike, name: string, separator: string | RegExp): string[] {
  return [valueOf(request, name) ?? []].flat().flatMap((value) => value.split(separator));
}

function valueOf(request: RequestLike, name: string): string | string[] | null | undefined {
  if (isHeaders(request.headers)) return request.headers.get(name);
  // Node keeps only the first of several `Authorization` headers, except here.
  const distinct = "headersDistinct" in request ? request.headersDistinct : undefined;
  return (distinct ?? request.headers)[name];
}

/** Not `instanceof`: a `fetch` that is passed in, or a framework, may have another class. */
export function isHeaders(headers: object): headers is Headers {
  return "get" in headers && typeof headers.get === "function";
}

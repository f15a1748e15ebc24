// Writes src/generated from docs/openapi.json: the types, and a table of the operations. `--check` compares instead.
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../docs/openapi.json", import.meta.url);
const folder = new URL("src/generated/", import.meta.url);
const document = JSON.parse(readFileSync(source, "utf8"));
/**
 * The operations whose comment says more than their name: what a program is wrong without, by the first words of the
 * sentences. Comments of all operations would be a tenth of the package.
 */
const COMMENTS = {
  createApiKey: ["Only this answer"],
  createOrganizationApiKey: ["Only this answer"],
  createPortalLink: ["Send the browser"],
  createUserApiKey: ["Only this answer"],
  publishEvent: ["If an event", "If the `type`"],
};
const HEAD = "// Generated from docs/openapi.json: `npm run generate`.\n";

const types =
  HEAD +
  astToString(
    (await openapiTS(ofAnswers(document), { defaultNonNullable: false, emptyObjectsUnknown: true })).filter((node) =>
      ["components", "operations"].includes(node.name?.text),
    ),
  );
const rows = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => `  ${operation.operationId}: ${row(path, method, operation)},\n`),
);
const lists = Object.values(document.paths)
  .flatMap(Object.values)
  .filter(({ parameters = [] }) => parameters.some(({ name }) => name === "cursor"))
  .map((operation) => `  ${operation.operationId}: ${JSON.stringify(itemsOf(operation))};\n`);
// The table has a short type, because that of its rows would be as long as the rows.
const table = `${HEAD}import type { operations } from "./api.js";

/** How to call an operation. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether the other arguments are the members of a JSON body. */
  readonly body?: true;
  /** The member of the answer that holds the items of a page. */
  readonly items?: string;
  /** The members that the JSON of the answer always has, or another kind of body; nothing if there is none. */
  readonly answer?: readonly string[] | "text" | "bytes" | "stream";
}

/** The lists, each with the member that holds the items of a page. */
export interface Lists {
${lists.join("")}}

export const table: Record<keyof operations, Operation> = {\n${rows.join("")}};\n`;

mkdirSync(folder, { recursive: true });
for (const [name, text] of [
  ["api.ts", withComments(onOneLine(types))],
  ["operations.ts", table],
]) {
  const file = new URL(name, folder);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`src/generated/${name} is not that of docs/openapi.json: npm run generate`);
    process.exitCode = 1;
  }
}

/**
 * The document without its errors, which have one type, and without examples: three quarters of the types. Of each
 * description it keeps the first sentence: the package is small, and the document has the rest.
 */
function ofAnswers(whole) {
  const copy = structuredClone(whole);
  for (const operation of Object.values(copy.paths).flatMap(Object.values)) {
    for (const status of Object.keys(operation.responses)) if (status >= 400) delete operation.responses[status];
  }
  const drop = (value) => {
    if (typeof value !== "object" || value === null) return;
    if (typeof value.example !== "object" || !("type" in value.example)) delete value.example;
    if (Array.isArray(value.examples)) delete value.examples;
    if (typeof value.description === "string") value.description = value.description.split(/(?<=\.)\s+(?=[A-Z`])/)[0];
    Object.values(value).forEach(drop);
  };
  drop(copy.paths);
  drop(copy.components.schemas);
  delete copy.components.examples;
  return copy;
}

/** Comments of the types without what the types say themselves, each on one line: a tenth of their size. */
function onOneLine(text) {
  return text.replace(/^( *)\/\*\*(.*?)\*\/\n/gms, (_, indent, comment) => {
    const lines = comment.split("\n").map((line) => line.replace(/^\s*(\* ?)?/, "").trim());
    const kept = lines
      .filter((line) => !/^(Format: |@enum )/.test(line))
      .join(" ")
      .trim();
    return kept && `${indent}/** ${kept.replace("@description ", "")} */\n`;
  });
}

function withComments(text) {
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    const { operationId, summary, description } = operation;
    if (!COMMENTS[operationId]) continue;
    const sentences = description.split(/(?<=\.)\s+(?=[A-Z`])/);
    const kept = COMMENTS[operationId].map((start) => sentences.find((sentence) => sentence.startsWith(start)));
    const comment = [summary, ...kept].join(" ").replace(/\s+/g, " ");
    text = text.replace(`\n    ${operationId}: {`, (line) => `\n    /** ${comment} */${line}`);
  }
  return text;
}

function row(path, method, operation) {
  const parameters = operation.parameters ?? [];
  const names = (place) => parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const [query, headers] = [names("query"), names("header")];
  const bodySchema = resolve(operation.requestBody?.content["application/json"]?.schema);
  const all = [...names("path"), ...query, ...headers, ...Object.keys(bodySchema?.properties ?? {})];
  if (new Set(all).size < all.length) throw new Error(`${operation.operationId} has two arguments of one name`);
  const items = query.includes("cursor") && itemsOf(operation);
  return JSON.stringify({
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && { query }),
    ...(headers.length > 0 && { headers }),
    ...(operation.requestBody && { body: true }),
    ...(items && { items }),
    ...answerOf(operation),
  });
}

/** The form of the answer: the members that JSON always has, or another kind; none if the answer has no body. */
function answerOf({ responses }) {
  const content = (responses[200] ?? responses[202])?.content ?? {};
  const json = content["application/json"];
  if (json) return { answer: requiredOf(json.schema) };
  const [type] = Object.keys(content);
  if (!type) return {};
  return { answer: type === "text/event-stream" ? "stream" : type.startsWith("text/") ? "text" : "bytes" };
}

/** The members of all alternatives, for an answer that has several forms. */
function requiredOf(schema) {
  const { required = [], oneOf = [], allOf = [] } = resolve(schema);
  const [first = [], ...others] = oneOf.map(requiredOf);
  const inEach = first.filter((name) => others.every((other) => other.includes(name)));
  return [...required, ...allOf.flatMap(requiredOf), ...inEach];
}

/** The one array in the answer of a list. */
function itemsOf({ operationId, responses }) {
  const { properties } = resolve(responses[200].content["application/json"].schema);
  const arrays = Object.keys(properties).filter((name) => properties[name].type === "array");
  if (arrays.length !== 1) throw new Error(`${operationId} has pages with ${arrays.length} arrays`);
  return arrays[0];
}

function resolve(schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? document.components.schemas[name] : schema;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { continuations } from "../../../web/lib/event-types.js";

const types = ["invoice.paid", "order.paid"].map((name) => ({ name, archived: false }));
const values = (text, of = types) => continuations(text, of).map(({ value }) => value);

test("the first word may become each type that is not archived", () => {
  const archived = { name: "order.lost", archived: true };
  for (const text of ["", "inv"]) assert.deepEqual(values(text, [...types, archived]), ["invoice.paid", "order.paid"]);
});

test("another word keeps the words before it, and no type comes twice", () => {
  assert.deepEqual(values("refund.*, o"), ["refund.*, invoice.paid", "refund.*, order.paid"]);
  assert.deepEqual(values("invoice.paid "), ["invoice.paid order.paid"]);
});

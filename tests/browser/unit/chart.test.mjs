import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf, HEIGHT, stack } from "../../../web/lib/bars.js";

const series = [
  { name: "accepted", label: "Accepted", tone: "good" },
  { name: "refused", label: "Refused", tone: "bad" },
];
const hour = (n, accepted, refused) => ({ start: new Date(n * 3_600_000).toISOString(), accepted, refused });
const counts = (bars) => bars.map(({ parts, sum }) => [...parts.map(({ count }) => count), sum]);

test("each hour is a bar, with its parts in the order of the series", () => {
  const bars = barsOf([hour(0, 3, 1), hour(1, 0, 0)], series, 1);
  assert.deepEqual(counts(bars), [
    [3, 1, 4],
    [0, 0, 0],
  ]);
  assert.deepEqual(
    bars.map(({ start }) => start),
    [0, 3_600_000],
  );
});

test("a bar of several hours is their sum, and the last one may have fewer", () => {
  const hours = [1, 2, 3, 4, 5].map((count, n) => hour(n, count, 10 * count));
  assert.deepEqual(counts(barsOf(hours, series, 2)), [
    [3, 30, 33],
    [7, 70, 77],
    [5, 50, 55],
  ]);
  assert.deepEqual(barsOf([], series, 2), []);
});

test("parts stand on each other, and the highest bar stays in the drawing", () => {
  const [bar] = barsOf([hour(0, 75, 25)], series, 1);
  const [lower, upper] = stack(bar, bar.sum);
  assert.equal(lower.y + lower.height, HEIGHT);
  assert.equal(upper.y + upper.height, lower.y);
  assert.ok(upper.y > 0);
  assert.equal(lower.height, 3 * upper.height);
});

test("one of a million can be seen, and none cannot", () => {
  const [bar] = barsOf([hour(0, 1, 0)], series, 1);
  assert.deepEqual(
    stack(bar, 1_000_000).map(({ height }) => height),
    [2, 0],
  );
});

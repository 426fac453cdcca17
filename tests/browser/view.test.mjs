// The parts of view.js that need no page. Python packed what BERTATTN_PACKED names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  arrows, codeFrom, codesOf, inPrint, shownTokens, strongest, unpack, viridis, weightOf,
} from "../../bertattn/views/view.js";

const sent = JSON.parse(readFileSync(process.env.BERTATTN_PACKED, "utf8"));

test("what Python packs is unpacked", async () => {
  const { data, codes } = await unpack(sent.packed);
  assert.deepEqual(data, sent.data);
  assert.deepEqual([...codes], sent.codes);
});

test("what is no packed view is refused", async () => {
  await assert.rejects(unpack("AAAA"));
  await assert.rejects(unpack("not base64!"));
});

test("a code stands for the weight that Python says", () => {
  assert.equal(sent.weights.length, 191);
  sent.weights.forEach((weight, code) => assert.ok(Math.abs(weightOf(code) - weight) < 1e-12, `code ${code}`));
});

test("a code is printed in two digits as Python prints it", () => {
  assert.deepEqual(sent.printed.map((_, code) => inPrint(code)), sent.printed);
});

test("the code of a threshold is the smallest that reaches it", () => {
  for (let hundredths = 0; hundredths <= 100; hundredths += 1) {
    const wanted = sent.weights.findIndex((weight) => weight >= hundredths / 100 - 1e-12);
    assert.ok(codeFrom(hundredths / 100) === wanted, `weight ${hundredths} %`);
  }
});

test("the strongest come first, ties in their order, none below the least", () => {
  const codes = Uint8Array.of(5, 190, 0, 5, 60);
  assert.deepEqual(strongest(codes, 3), [1, 4, 0]);
  assert.deepEqual(strongest(codes, 9), [1, 4, 0, 3]);
  assert.deepEqual(strongest(codes, 9, 60), [1, 4]);
});

test("arrows name tokens of the whole text where only some are shown", () => {
  const codes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9); // who looks in rows of three
  assert.deepEqual(arrows(codes, 3, [0, 2], [1, 2], 2), [[2, 2, 9], [2, 1, 8]]);
  assert.deepEqual(arrows(codes, 3, [], [1], 2), []);
});

test("a head's codes stand where Python put them", async () => {
  const content = await unpack(sent.packed);
  for (const { level, layer, attnHead, codes } of sent.heads) {
    assert.deepEqual([...codesOf(content, level, layer, attnHead)], codes);
  }
});

test("special tokens and the other text are left out", () => {
  const level = { labels: ["[CLS]", "a", "[SEP]", "b"], special: [1, 0, 1, 0], texts: [0, 0, 0, 1] };
  assert.deepEqual(shownTokens(level, true, null), [0, 1, 2, 3]);
  assert.deepEqual(shownTokens(level, false, null), [1, 3]);
  assert.deepEqual(shownTokens(level, true, 1), [3]);
  assert.deepEqual(shownTokens(level, false, 0), [1]);
});

test("colours run from viridis's first to its last and stay there", () => {
  assert.deepEqual(viridis(0), [68, 1, 84]);
  assert.deepEqual(viridis(1), [253, 231, 37]);
  assert.deepEqual(viridis(7), viridis(1));
  assert.deepEqual(viridis(-1), viridis(0));
});

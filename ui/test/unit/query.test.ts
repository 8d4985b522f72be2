// The language of filters: words, completion.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offers, replaced, value, words } from '../../src/query.ts';

test('quotes keep words together', () => {
  assert.deepEqual(words('state:"deploy failed",error -x').map((word) => word.text), ['state:"deploy failed",error', '-x']);
});

test('keys are offered, then values with their counts', () => {
  assert.deepEqual(offers('cl', 2, []).map((offer) => offer.insert), ['class:']);
  const known = [{ name: 'gpu', total: 12 }, { name: 'web', total: 3 }];
  assert.deepEqual(offers('-class:g', 8, known), [{ insert: '-class:gpu', label: 'gpu', about: '12', done: true }]);
});

test('a further value of a list is completed, and the others stay', () => {
  const offer = offers('state:error,deploy f', 13, []).find((one) => one.label === 'deploy failed');
  assert.equal(offer?.insert, 'state:error,"deploy failed"');
});

test('an offer replaces the word at the caret only', () => {
  const [offer] = offers('name:a cl age>1h', 9, []);
  assert.ok(offer);
  assert.deepEqual(replaced('name:a cl age>1h', 9, offer), { query: 'name:a class: age>1h', caret: 13 });
});

test('values with spaces or nothing are quoted', () => {
  assert.equal(value('deploy failed'), '"deploy failed"');
  assert.equal(value(''), '""');
  assert.equal(value('gpu'), 'gpu');
});

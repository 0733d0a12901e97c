import { expect, it } from 'vitest';
import { FEATURES } from '../integration/features.ts';
import { typeErrors } from './support/removed-features.ts';

const ALL = FEATURES.map(({ name }) => name);

/** `test/endurance/removed-features.test.ts` removes each feature in turn, and builds a site then. */
it.each([
  ['any feature', ALL],
  ['all features but the files of static sites', ALL.filter((name) => name !== 'static')],
])('the package compiles without %s', (_, removed) => {
  expect(typeErrors(removed)).toEqual([]);
});

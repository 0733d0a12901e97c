import { expect, test } from 'vitest';
import { createFuzzer } from '../conformance/fuzz-requests.ts';
import { vocabularyOf } from '../conformance/fuzz-vocabulary.ts';
import { loadRecordedContent, readCases } from '../conformance/load.ts';
import { createDemoServices } from '../demo.ts';
import { compareAnswers } from './compare.ts';

test('a snapshot answers every recorded request with the bytes of a server', async () => {
  const paths = [...new Set(readCases().map(({ path }) => path))];
  const { answered, differences } = await compareAnswers(
    await loadRecordedContent(),
    paths.map((target) => ({ target })),
  );
  expect(answered).toBeGreaterThan(600);
  expect(differences).toEqual([]);
});

test('a snapshot answers random requests over the demo with the bytes of a server', async () => {
  const services = await createDemoServices();
  const next = createFuzzer(vocabularyOf(services), 7);
  const { answered, differences } = await compareAnswers(services, Array.from({ length: 3000 }, next), {
    language: 'en',
    languages: { de: 'de' },
  });
  expect(answered).toBeGreaterThan(2000);
  expect(differences).toEqual([]);
});

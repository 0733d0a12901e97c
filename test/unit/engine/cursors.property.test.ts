import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createQueryEngine } from '../../../integration/core/engine/create-engine.ts';
import type { QueryEngine } from '../../../integration/core/engine/engine.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { ACCESSES, accesses, languageAccesses } from '../../oracle/access.ts';
import { contents } from '../../oracle/arbitraries.ts';
import { crowd } from '../../oracle/crowd.ts';
import { expectDamagedCursors, expectWalk, walks } from '../../oracle/cursors.ts';
import type { Dataset } from '../../oracle/items.ts';
import { runs } from '../../oracle/runs.ts';
import { TYPES } from '../../oracle/schema.ts';

describe('pages between cursors are exactly the sorted list of the brute-force oracle', () => {
  it('in both directions and for ranges, also with equal and missing sort values', {
    timeout: 600_000,
  }, async () => {
    const some = fc.array(walks(), { minLength: 8, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(contents(), some, accesses(), fc.nat(), async (content, asked, name, removed) => {
        const dataset = { ...content, types: TYPES };
        const entities = dataset.entities.filter((_, i) => (i * 7 + removed) % 4 > 0);
        const changed = { dataset: { ...dataset, entities }, engine: engineOf({ ...dataset, entities }) };
        for (const walk of asked) {
          await expectWalk(engineOf(dataset), changed, dataset, walk, ACCESSES[name]);
        }
      }),
      runs(30),
    );
  });

  it('for content with translations, in any language', { timeout: 600_000 }, async () => {
    const some = fc.array(walks(), { minLength: 8, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        contents(12, ['de', 'fr']),
        some,
        languageAccesses(),
        async (content, asked, { name, ...language }) => {
          const dataset = { ...content, types: TYPES };
          const engine = engineOf(dataset);
          for (const walk of asked) {
            await expectWalk(engine, undefined, dataset, walk, { ...ACCESSES[name], ...language });
          }
        },
      ),
      runs(15),
    );
  });

  it('for content of hundreds of entities', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(contents(), walks(), accesses(), async (content, walk, name) => {
        const dataset = crowd({ ...content, types: TYPES }, 100);
        await expectWalk(
          engineOf(dataset),
          undefined,
          dataset,
          { ...walk, size: walk.size * 9 },
          ACCESSES[name],
        );
      }),
      runs(6),
    );
  });
});

it('a damaged cursor is an error about its parameter, and shows nothing else', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      contents(),
      walks(),
      fc.array(fc.nat(), { minLength: 4, maxLength: 12 }),
      async (content, walk, damage) => {
        const dataset = { ...content, types: TYPES };
        await expectDamagedCursors(engineOf(dataset), dataset, walk, ACCESSES.published, damage);
      },
    ),
    runs(25),
  );
});

function engineOf(dataset: Dataset): QueryEngine {
  const store = createEntityStore({ locale: dataset.locale });
  store.load(dataset.types, dataset.entities);
  return createQueryEngine(store);
}

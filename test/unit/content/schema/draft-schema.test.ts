import { expect, it } from 'vitest';
import { draftSchema } from '../../../../integration/features/schema/draft-schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';

it('a schema is inferred from one look at each file', async () => {
  const driver = createMemoryDriver({
    'article/moon.md': '---\ntitle: Moon\nauthor: person/jane\n---\n',
    'person/jane.md': '---\ntitle: Jane\n---\n',
    'person/half.md': '---\ntitle: [Half\n---\n',
  });
  const reads: string[] = [];
  const counting: typeof driver = {
    ...driver,
    read(key) {
      reads.push(key);
      return driver.read(key);
    },
  };
  const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
  const { source, unreadable } = await draftSchema(counting, options);
  expect(source).toContain("author: reference('person')");
  expect(unreadable).toBe(1);
  expect(reads.toSorted()).toEqual(['article/moon.md', 'person/half.md', 'person/jane.md']);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../integration/core/content/content-file.ts';
import { bodyText, type Entity } from '../../../integration/core/content/model.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { type CollectSettings, collect, type Files } from './collect.ts';

const encoder = new TextEncoder();
const schema = defineSchema({
  article: {
    author: reference('person').nullish(),
    rating: z.int().max(5).nullish(),
    place: z.object({ lat: z.number() }).nullish(),
  },
  person: {},
});
const files: Files = {
  'article/a.md': '---\ntitle: A\nauthor: jane\n---\n',
  'article/b.md': '---\nid: other\n---\n',
  'person/jane.md': '',
};

function textOf(entity: Entity | null): string | null {
  return entity?.body ? bodyText(entity.body) : null;
}

async function preview(key: string, text: string, settings: CollectSettings = {}, among = files) {
  const { collector } = await collect(among, settings);
  return collector.preview(key, encoder.encode(text));
}

describe('a file before it is stored', () => {
  it('is previewed as an entity', async () => {
    const { entity, problems } = await preview('article/new.md', '---\nauthor: jane\n---\n# New\n', {
      schema,
    });
    expect(problems).toEqual([]);
    expect(entity).toMatchObject({
      type: 'node--article',
      id: 'new',
      key: 'article/new.md',
      published: true,
      values: { title: 'New', author: { type: 'node--person', id: 'jane' }, rating: null },
    });
  });

  it('may refer to itself by its future id', async () => {
    const own = defineSchema({ article: { next: reference('article').nullish() } });
    const text = '---\nid: moved\nnext: moved\n---\n';
    const { entity, problems } = await preview('article/a.md', text, { schema: own }, { 'article/a.md': '' });
    expect([entity?.values.next, problems]).toEqual([{ type: 'node--article', id: 'moved' }, []]);
    const former = await preview(
      'article/a.md',
      '---\nid: moved\nnext: a\n---\n',
      { schema: own },
      { 'article/a.md': '' },
    );
    expect(former.problems.map(({ code }) => code)).toEqual(['reference/dangling']);
  });

  it('reports all its problems with their paths', async () => {
    const text = '---\nid: other\nauthor: nobody\nrating: 6\nplace: { lat: high }\nnothing: 1\n---\n';
    const { entity, problems } = await preview('article/a.md', text, { schema });
    expect(entity).toBeNull();
    expect(problems.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['field/unknown', ['nothing'], 6],
      ['field/invalid', ['rating'], 4],
      ['field/invalid', ['place', 'lat'], 5],
      ['reference/dangling', ['author'], 3],
      ['id/duplicate', ['id'], 1],
    ]);
  });

  it.each([
    ['article/_x.md', '', 'file/misplaced'],
    ['README.md', '', 'file/misplaced'],
    ['article/x.png', '', 'file/misplaced'],
    ['article/x.md', '---\na: [\n---\n', 'yaml/syntax'],
    ['article/x.md', 'x'.repeat(MAX_FILE_BYTES + 1), 'file/too-large'],
    ['article/x.json', '[]', 'data/not-a-map'],
  ])('is not an entity at %s', async (key, text, code) => {
    const { entity, problems } = await preview(key, text, { schema });
    expect([entity, problems.map((problem) => problem.code)]).toEqual([null, [code]]);
  });

  it('finds the files it names', async () => {
    const among = { 'article/a.md': 'x', 'article/x.pdf': 'abc' };
    const { file } = await import('../../../integration/schema.ts');
    const own = defineSchema({ article: { paper: file().nullish() } });
    const { entity, problems } = await preview(
      'article/a.md',
      '---\npaper: ./x.pdf\n---\n',
      { schema: own },
      among,
    );
    expect(problems).toEqual([]);
    expect(entity?.values.paper).toMatchObject({ filename: 'x.pdf', filesize: 3 });
  });

  it('may be the first of its bundle', async () => {
    const { entity } = await preview('event/first.md', '---\nplaces: 3\n---\n');
    expect([entity?.type, entity?.values.places]).toEqual(['node--event', 3]);
  });

  it('is previewed in its later form, and changes nothing', async () => {
    const texts = [
      '',
      'a: 1',
      'a: x',
      'a: person/jane',
      'a: { b: 1 }',
      'a: [1]',
      'status: Final',
      'id: b',
      'a: 1.50',
    ];
    const text = fc.constantFrom(...texts).map((data) => (data === '' ? 'Text' : `---\n${data}\n---\nText`));
    const key = fc.constantFrom('article/a.md', 'article/b.md', 'article/c.md', 'event/e.md');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, text), { maxLength: 4 }),
        key,
        text,
        async (present, at, content) => {
          const start = { ...Object.fromEntries(present), 'person/jane.md': '' };
          const { collector, diagnostics } = await collect(start);
          const { entity } = await collector.preview(at, encoder.encode(content));
          expect(collector.diagnostics()).toEqual(diagnostics);
          const stored = await collect({ ...start, [at]: content });
          const clash = stored.diagnostics.some(({ code, key: of }) => code === 'id/duplicate' && of === at);
          if (!clash) {
            const expected = stored.entity(at);
            const times = { created: expected.values.created, changed: expected.values.changed };
            const values = entity === null ? null : { ...entity.values, ...times };
            expect({ ...entity, values, body: textOf(entity) }).toEqual({
              ...expected,
              values: { ...expected.values },
              body: textOf(expected),
            });
          }
          const change = await collector.apply([]);
          expect([change, collector.diagnostics()]).toEqual([
            { removedTypes: [], removed: [], types: [], put: [] },
            diagnostics,
          ]);
        },
      ),
    );
  });
});

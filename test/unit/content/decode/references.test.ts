import { describe, expect, it } from 'vitest';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { type CollectSettings, collect } from '../collect.ts';

const schema = defineSchema({
  article: {
    author: reference('person').nullish(),
    owner: reference(['person', 'org']).nullish(),
    tags: z.array(reference('taxonomy_term--tags')).default([]),
    credits: z.array(z.object({ who: reference('person'), role: z.string() })).default([]),
  },
  person: {},
  org: {},
});

const WORLD = {
  'person/jane.md': '',
  'person/both.md': '',
  'person/5.md': '',
  'person/team/lead.md': '',
  'person/org/acme.md': '',
  'org/acme.md': '',
  'org/both.md': '',
  'taxonomy_term--tags/red.md': '',
};

function collectArticle(frontmatter: string, settings: CollectSettings = {}) {
  return collect({ ...WORLD, 'article/a.md': `---\n${frontmatter}\n---\n` }, { schema, ...settings });
}

describe('references', () => {
  it.each([
    ['author: jane', 'author', { type: 'node--person', id: 'jane' }],
    ['author: person/jane', 'author', { type: 'node--person', id: 'jane' }],
    ['author: node--person/jane', 'author', { type: 'node--person', id: 'jane' }],
    ['author: { type: person, id: jane }', 'author', { type: 'node--person', id: 'jane' }],
    ['author: { type: node--person, id: jane }', 'author', { type: 'node--person', id: 'jane' }],
    ['author: 5', 'author', { type: 'node--person', id: '5' }],
    ['author: { type: person, id: 5 }', 'author', { type: 'node--person', id: '5' }],
    ['author: team/lead', 'author', { type: 'node--person', id: 'team/lead' }],
    ['author: person/team/lead', 'author', { type: 'node--person', id: 'team/lead' }],
    ['author: org/acme', 'author', { type: 'node--person', id: 'org/acme' }],
    ['owner: acme', 'owner', { type: 'node--org', id: 'acme' }],
    ['owner: both', 'owner', { type: 'node--person', id: 'both' }],
    ['owner: org/both', 'owner', { type: 'node--org', id: 'both' }],
    ['author:', 'author', null],
    ['tags: [red]', 'tags', [{ type: 'taxonomy_term--tags', id: 'red' }]],
    ['tags: [taxonomy_term--tags/red]', 'tags', [{ type: 'taxonomy_term--tags', id: 'red' }]],
    ['title: no tags', 'tags', []],
  ])('%j is %s %j', async (frontmatter, field, value) => {
    const { values, problems } = await collectArticle(frontmatter);
    expect(problems).toEqual([]);
    expect(values('article/a.md')[field]).toEqual(value);
  });

  it('are resolved inside objects too', async () => {
    const { values } = await collectArticle('credits:\n  - { who: jane, role: camera }');
    expect(JSON.parse(JSON.stringify(values('article/a.md').credits))).toEqual([
      { who: { type: 'node--person', id: 'jane' }, role: 'camera' },
    ]);
  });

  it.each([
    ['author: nobody', '2:9', 'There is no `person/nobody`.', { type: 'node--person', id: 'nobody' }],
    ['author: org/none', '2:9', 'There is no `person/org/none`.', { type: 'node--person', id: 'org/none' }],
    ['owner: nobody', '2:8', 'There is no `person/nobody`.', { type: 'node--person', id: 'nobody' }],
    ['owner: org/nobody', '2:8', 'There is no `org/nobody`.', { type: 'node--org', id: 'nobody' }],
  ])(
    '%j to nothing is an error that keeps the reference, or a warning by option',
    async (written, position, message, expected) => {
      const line = `content/article/a.md:${position} `;
      const hint = ' (Correct the reference, or add the file.)';
      const strict = await collectArticle(written);
      expect(strict.problems).toEqual([`${line}${message}${hint}`]);
      expect(Object.values(strict.values('article/a.md'))).toContainEqual(expected);
      const lenient = await collectArticle(written, { danglingReferences: 'missing' });
      expect(lenient.problems).toEqual([`${line}warning: ${message}${hint}`]);
      expect(Object.values(lenient.values('article/a.md'))).toContainEqual(expected);
    },
  );

  it('that dangle are reported at their item', async () => {
    const { problems } = await collectArticle('tags:\n  - red\n  - blue');
    expect(problems).toEqual([
      expect.stringContaining('article/a.md:4:5 There is no `taxonomy_term--tags/blue`.'),
    ]);
  });

  it.each([
    ['author: org/both', 'error'],
    ['author: { type: org, id: acme }', 'error'],
    ['author: { type: nonsense, id: acme }', 'error'],
  ])('%j to the wrong bundle is an error with any option', async (written, severity) => {
    const { diagnostics, values } = await collectArticle(written, { danglingReferences: 'missing' });
    expect(diagnostics.filter(({ key }) => key === 'article/a.md')).toMatchObject([
      { severity, code: 'reference/wrong-target', hint: 'Valid targets: person.' },
    ]);
    expect(values('article/a.md').author).toBeNull();
  });

  it.each([['author: true'], ['author: [jane]'], ['author: { id: jane }'], ['author: ""'], ['tags: red']])(
    '%j is not a reference',
    async (written) => {
      const { diagnostics, ids } = await collectArticle(written);
      expect(ids).not.toContain('node--article/a');
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'field/invalid', line: 2 }));
    },
  );
});

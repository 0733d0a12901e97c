import { describe, expect, it } from 'vitest';
import { defineSchema, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const RAIN = `+++
# Reviewed in spring
title = "Rain later" # as in the forecast
date = 2024-01-31
draft = false
weight = 3

[taxonomies]
tags = ["weather", "sea"]

[extra]
author = 'Jane'
mood = { calm = true }
+++

Text
`;
const SUN = `+++
title = "Sun"
date = 2024-02-01
draft = false

[taxonomies]
tags = ["weather"]
+++

Text
`;

async function site(files: Readonly<Record<string, string>>, schema?: Parameters<typeof createServices>[1]) {
  const driver = createMemoryDriver({ ...files });
  const handle = createHandler(await createServices(driver, schema, { writable: {} }));
  return {
    send: (method: string, path: string, body?: object) =>
      ask(handle, method, `/api/content/${path}`, body === undefined ? {} : { body }),
    text: async (key: string) => new TextDecoder().decode(await driver.read(key)),
  };
}

describe('a file with frontmatter in TOML', () => {
  it('answers tables as objects and dates as dates', async () => {
    const { send } = await site({ 'posts/rain.md': RAIN });
    const { status, json } = await send('GET', 'posts/rain');
    expect([status, json.data]).toMatchObject([
      200,
      {
        title: 'Rain later',
        date: '2024-01-31',
        weight: 3,
        taxonomies: { tags: ['weather', 'sea'] },
        extra: { author: 'Jane', mood: { calm: true } },
      },
    ]);
    const found = await send(
      'GET',
      'posts?filter[taxonomies.tags]=sea&filter[date][operator]=<&filter[date][value]=2024-02-01',
    );
    expect([found.status, found.json.data]).toMatchObject([200, [{ id: 'rain' }]]);
  });

  it.each<[string, object, readonly (readonly [string, string])[]]>([
    ['title', { title: 'Rain "now"' }, [['"Rain later"', '"Rain \\"now\\""']]],
    ['date', { date: '2024-02-29' }, [['2024-01-31', '2024-02-29']]],
    ['status', { status: false }, [['draft = false', 'draft = true']]],
    ['number', { weight: null }, [['weight = 3\n', '']]],
    ['table', { taxonomies: { tags: ['weather'] } }, [['["weather", "sea"]', '["weather"]']]],
    ['inline table', { extra: { author: 'Jane', mood: { calm: false } } }, [['calm = true', 'calm = false']]],
    ['body', { body: { value: '+++\nNew' } }, [['\nText\n', '\n+++\nNew\n']]],
  ])('changes only in the lines of a changed %s', async (_, changes, replacements) => {
    for (const before of [RAIN, RAIN.replaceAll('\n', '\r\n')]) {
      const { send, text } = await site({ 'posts/rain.md': before, 'posts/sun.md': SUN });
      expect((await send('PATCH', 'posts/rain', changes)).status).toBe(201);
      const isWindows = before !== RAIN;
      const expected = replacements.reduce((all, [from, to]) => all.replace(from, to), RAIN);
      const written = await text('posts/rain.md');
      expect(isWindows ? written.replaceAll('\r\n', '\n') : written).toBe(expected);
      if (isWindows && !('body' in changes)) expect(written).not.toMatch(/[^\r]\n/);
    }
  });

  it('stays as it is if the values are sent unchanged, in another offset too', async () => {
    const dated = RAIN.replace('date = 2024-01-31', 'created = 2024-01-31 10:00:00Z');
    const { send, text } = await site({ 'posts/rain.md': dated });
    const { status } = await send('PATCH', 'posts/rain', {
      title: 'Rain later',
      created: '2024-01-31T11:00:00+01:00',
      taxonomies: { tags: ['weather', 'sea'] },
    });
    expect(status).toBeLessThan(300);
    expect(await text('posts/rain.md')).toBe(dated);
  });

  it('is not changed by a value that TOML cannot hold', async () => {
    const schema = defineSchema({ posts: { extra: z.record(z.string(), z.unknown()).optional() } });
    const { send, text } = await site({ 'posts/sun.md': '+++\ntitle = "Sun"\n+++\n' }, schema);
    const { status, json } = await send('PATCH', 'posts/sun', { extra: { list: [null] } });
    expect([status, json.error]).toMatchObject([422, { source: { pointer: '/extra' } }]);
    expect(await text('posts/sun.md')).toBe('+++\ntitle = "Sun"\n+++\n');
  });
});

it.each(['\n', '\r\n'])('a title in three quotes on one line keeps them, with %j', async (newline) => {
  const before = `+++${newline}title = '''The "old" one isn't'''${newline}+++${newline}`;
  const { send, text } = await site({ 'posts/a.md': before });
  expect((await send('PATCH', 'posts/a', { title: `The "new" one isn't` })).status).toBe(201);
  expect(await text('posts/a.md')).toBe(before.replace('old', 'new'));
});

describe('a new file', () => {
  it('is TOML if most files of the bundle are', async () => {
    const { send, text } = await site({
      'posts/rain.md': RAIN,
      'posts/sun.md': SUN,
      'posts/moon.md': '---\ntitle: Moon\n---\n',
    });
    const { status } = await send('POST', 'posts', {
      title: 'New moon',
      status: false,
      date: '2024-03-01',
      taxonomies: { tags: ['sea'] },
      body: { value: 'Dark.' },
    });
    expect(status).toBe(201);
    expect(await text('posts/new-moon.md')).toBe(
      '+++\ntitle = "New moon"\ndate = 2024-03-01\ndraft = true\nuid = "ed"\n\n[taxonomies]\ntags = ["sea"]\n+++\n\nDark.\n',
    );
  });

  it('is JSON if the others are', async () => {
    const moon = '{\n  "title": "Moon",\n  "tags": ["sky"]\n}\n\nText\n';
    const { send, text } = await site({ 'posts/moon.md': moon });
    expect((await send('PATCH', 'posts/moon', { title: 'Full moon' })).status).toBe(201);
    expect(await text('posts/moon.md')).toBe(moon.replace('Moon', 'Full moon'));
    expect((await send('POST', 'posts', { title: 'Sun', body: { value: 'Hot.' } })).status).toBe(201);
    expect(await text('posts/sun.md')).toBe('{\n  "title": "Sun",\n  "uid": "ed"\n}\n\nHot.\n');
  });

  it('is YAML if the files are both, in equal numbers, and YAML comes first', async () => {
    const { send, text } = await site({ 'posts/a.md': '---\ntitle: A\n---\n', 'posts/b.md': SUN });
    expect((await send('POST', 'posts', { title: 'Sea' })).status).toBe(201);
    expect(await text('posts/sea.md')).toMatch(/^---\ntitle: Sea\n/);
  });
});

it('a file without frontmatter gets it in the language of its neighbors', async () => {
  const { send, text } = await site({ 'posts/sun.md': SUN, 'posts/sea.md': '# Sea\n\nText\n' });
  expect((await send('PATCH', 'posts/sea', { date: '2024-01-01' })).status).toBe(201);
  expect(await text('posts/sea.md')).toBe('+++\ndate = 2024-01-01\n+++\n\n# Sea\n\nText\n');
});

describe('a file that is only TOML', () => {
  const BUOY = '# Anchored\nname = "Outer buoy" # black\ndepth = 12.50\n\n[light]\ncolors = ["red"]\n';

  it('is an entity without a body, and keeps all but the changed value', async () => {
    const { send, text } = await site({ 'buoys/outer.toml': BUOY });
    const { status, json } = await send('GET', 'buoys?filter[depth]=12.5&filter[light.colors]=red');
    expect([status, json.data]).toMatchObject([200, [{ id: 'outer', name: 'Outer buoy' }]]);
    expect((await send('PATCH', 'buoys/outer', { name: 'Inner buoy' })).status).toBe(201);
    expect(await text('buoys/outer.toml')).toBe(BUOY.replace('Outer', 'Inner'));
  });

  it('is what a new entry of its bundle becomes', async () => {
    const { send, text } = await site({ 'buoys/outer.toml': BUOY });
    expect((await send('POST', 'buoys', { title: 'Far buoy', depth: 3 })).status).toBe(201);
    expect(await text('buoys/far-buoy.toml')).toBe('name = "Far buoy"\nuid = "ed"\ndepth = 3\n');
  });
});

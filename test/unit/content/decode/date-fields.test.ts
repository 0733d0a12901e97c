import { describe, expect, it } from 'vitest';
import { defineSchema, z } from '../../../../integration/schema.ts';
import { collect } from '../collect.ts';
import { createFileEditor } from '../encode/file-editor.ts';

const KEY = 'post/a.md';
const post = (frontmatter: string) => ({ [KEY]: `---\n${frontmatter}\n---\n` });

describe('z.coerce.date() and z.date()', () => {
  const schema = defineSchema({
    post: {
      pubDate: z.coerce.date(),
      seen: z.array(z.date()).default([]),
      at: z.object({ day: z.coerce.date() }).nullish(),
    },
  });

  it.each([
    ['Jul 08 2022', undefined, '2022-07-08T00:00:00+00:00'],
    ['2022-07-08', undefined, '2022-07-08T00:00:00+00:00'],
    ['2022-07-08 14:00', undefined, '2022-07-08T14:00:00+00:00'],
    ['Jul 08 2022', 'Asia/Tokyo', '2022-07-07T15:00:00+00:00'],
    ['2022-07-08 14:00', 'America/Los_Angeles', '2022-07-08T21:00:00+00:00'],
    ['2022-07-08T14:00+02:00', 'America/Los_Angeles', '2022-07-08T12:00:00+00:00'],
  ])('%s in the zone %s is %s on every machine', async (written, timeZone, instant) => {
    const here = process.env.TZ;
    try {
      for (const machine of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
        process.env.TZ = machine;
        const text = `pubDate: ${written}\nseen: [${written}]\nat: { day: ${written} }`;
        const { values, problems } = await collect(post(text), { schema, timeZone });
        expect(problems).toEqual([]);
        expect({ ...values(KEY) }).toMatchObject({ pubDate: instant, seen: [instant], at: { day: instant } });
      }
    } finally {
      if (here === undefined) delete process.env.TZ;
      else process.env.TZ = here;
    }
  });

  it.each([['2022-02-30'], ['next week'], ['"5"']])('refuse %s with the alternative', async (written) => {
    const { problems } = await collect(post(`pubDate: ${written}`), { schema });
    const text = written.replaceAll('"', '');
    expect(problems).toEqual([
      `content/post/a.md:2:10 \`pubDate\`: expected a date. Found: "${text}". (Write a calendar day that exists, such as 2024-01-31.)`,
    ]);
  });
});

describe('a new value of a date', () => {
  const schema = defineSchema({ post: { pubDate: z.coerce.date() } });

  it.each([
    ['pubDate: Jul 08 2022', '2026-11-23', 'pubDate: Nov 23 2026'],
    ["pubDate: 'Jul 08 2022' # first", '2026-11-23', "pubDate: 'Nov 23 2026' # first"],
    ['pubDate: 2022/07/08', '2026-11-23', 'pubDate: 2026/11/23'],
    ['pubDate: 2020-1-5', '2026-01-03', 'pubDate: 2026-1-3'],
    ['pubDate: 25-07-2022', '2026-11-03', 'pubDate: 2026-11-03'],
    ['pubDate: 25-07-2022', '2026-11-23', 'pubDate: 23-11-2026'],
  ])('%s becomes %s', async (before, day, after) => {
    for (const each of [undefined, schema]) {
      const editor = await createFileEditor(
        post(`title: A\n${before}`),
        each === undefined ? {} : { schema: each },
      );
      const value = each === undefined ? day : `${day}T00:00:00+00:00`;
      expect(editor.edit(KEY, { title: 'B' })).toBe(`---\ntitle: B\n${before}\n---\n`);
      expect(editor.edit(KEY, { pubDate: value })).toBe(`---\ntitle: A\n${after}\n---\n`);
    }
  });
});

it('z.coerce.date() in an object of a union is in the time zone of the site', async () => {
  const toc = z.union([z.boolean(), z.object({ day: z.coerce.date(), name: z.string().optional() })]);
  const schema = defineSchema({ post: { toc, when: z.coerce.date().or(z.string()).optional() } });
  const files = {
    'post/a.md': '---\ntoc: { day: 2022-07-08 14:00, name: 2022-07-08 }\nwhen: 2022-07-08 14:00\n---\n',
    'post/b.md': '---\ntoc: false\nwhen: soon\n---\n',
    'post/c.md': '---\ntoc: { day: soon }\n---\n',
  };
  const { values, problems } = await collect(files, { schema, timeZone: 'Europe/Berlin' });
  const day = '2022-07-08T12:00:00.000Z';
  expect({ ...values('post/a.md') }).toMatchObject({ toc: { day, name: '2022-07-08' }, when: day });
  expect({ ...values('post/b.md') }).toMatchObject({ toc: false, when: 'soon' });
  expect(problems).toHaveLength(1);
});

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineSchema, image } from '../../integration/schema.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { type AttackedSite, article, openAttackedSite, type TestResponse } from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: {
    field_rating: z.number().nullish(),
    field_link: z.string().nullish(),
    field_cover: image().nullish(),
  },
});
/** CPU time in milliseconds; each of these requests once took seconds to days. */
const AT_MOST = 1000;

let site: AttackedSite;
beforeAll(async () => {
  const files = {
    'content/article/moon.md': '---\ntitle: Moon\n---\n',
    'content/article/windows.md': '---\r\ntitle: Windows\r\n---\r\n',
  };
  site = await openAttackedSite(files, SCHEMA);
  await change('moon', { title: 'Warm' });
});

/** The status and the CPU time of the response. */
async function change(id: string, attributes: object) {
  const body = JSON.stringify(article(attributes, { id }));
  let answer: TestResponse | undefined;
  const ms = await cpuTime(async () => {
    answer = await site.request('PATCH', `/jsonapi/node/article/${id}`, {
      body,
      headers: { 'content-type': 'application/vnd.api+json' },
    });
  });
  return { status: answer?.status, text: answer?.text ?? '', ms };
}

describe('a change with input for slow patterns', () => {
  it('is fast for 80,000 digits and a letter in a number field, with a short message', async () => {
    const { status, text, ms } = await change('moon', { field_rating: `${'0'.repeat(80_000)}x` });
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(1000);
    expect(ms).toBeLessThan(AT_MOST);
  });

  it('accepts numbers of 400 characters and rejects longer ones', async () => {
    expect((await change('moon', { field_rating: `${'0'.repeat(399)}7` })).status).toBe(200);
    expect((await change('moon', { field_rating: `${'0'.repeat(400)}7` })).status).toBe(422);
  });

  it('is fast for a URL with 40,000 number signs', async () => {
    const src = `https://example.com/${'#'.repeat(40_000)}\n#`;
    expect((await change('moon', { field_cover: { src } })).ms).toBeLessThan(AT_MOST);
  });

  it('is fast for 5 MB of short digit groups', async () => {
    const body = `${'1'.repeat(308)}a`.repeat(16_000);
    expect((await change('moon', { field_link: body })).ms).toBeLessThan(4 * AT_MOST);
  });

  it('is fast in a file with 40 comment lines and CRLF', async () => {
    expect((await change('windows', { field_link: `x:\n${'#\n'.repeat(40)}.` })).status).toBe(200);
    const { status, ms } = await change('windows', { title: 'Changed' });
    expect(status).toBe(200);
    expect(ms).toBeLessThan(AT_MOST);
  });
});

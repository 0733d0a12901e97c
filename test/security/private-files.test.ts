import { beforeAll, describe, expect, it } from 'vitest';
import { defineSchema, file, image } from '../../integration/schema.ts';
import { png } from '../support/pictures.ts';
import { type AttackedSite, EDITOR, openAttackedSite } from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: { field_cover: image().nullish(), field_paper: file().nullish() },
  invoice: { field_paper: file().nullish() },
});

/** Files beside the entities; an entity refers to the last two only. */
const FILES = {
  'content/article/moon.md': '---\ntitle: Moon\nfield_paper: seen.zip\n---\n',
  'content/article/paper.pdf': 'PDF',
  'content/article/my.key': 'KEY',
  'content/article/data': 'DATA',
  'content/person/private.pem': 'PEM',
  'content/person/portrait.png': png(2, 2),
  'content/invoice/i1.pdf': 'PDF',
  'content/invoice/i2.mp4': 'MP4',
  'content/person/voice.mp3': 'MP3',
  'content/invoice/i2.md':
    '---\ntitle: Invoice\nstatus: false\nfield_paper: i2.pdf\n---\n<video src=i2.mp4></video>\n',
  'content/invoice/i2.pdf': 'PDF',
  'content/article/seen.zip': 'ZIP',
};
const AUTHOR = { name: 'ada', roles: ['author'] };

let site: AttackedSite;
beforeAll(async () => {
  const author = { permissions: [{ actions: ['view', 'create', 'update'], bundles: ['article'] }] } as const;
  site = await openAttackedSite(FILES, SCHEMA, { roles: { author } });
});

describe('a file of the repository that no entity refers to', () => {
  it.each([
    ['body', '![x](../person/private.pem)', 422],
    ['body', '![x](my.key)', 422],
    ['body', '![x](data)', 422],
    ['body', '![x](paper.pdf)', 422],
    ['body', '![x](../invoice/i1.pdf)', 422],
    ['body', '![x](../invoice/i2.pdf)', 422],
    ['body', '<audio src="../person/private.pem"></audio>', 422],
    ['body', '<video poster="../invoice/i1.pdf"></video>', 422],
    ['body', '<video src="../invoice/i2.mp4"></video>', 422],
    ['field_paper', '../person/private.pem', 422],
    ['field_paper', 'my.key', 422],
    ['field_paper', 'data', 422],
    ['field_paper', '../invoice/i1.pdf', 422],
    ['field_paper', '../invoice/i2.pdf', 422],
    ['body', '![x](../person/portrait.png)', 201],
    ['body', '<audio src="../person/voice.mp3"></audio>', 201],
    ['field_cover', '../person/portrait.png', 201],
    ['field_cover', '../person/voice.mp3', 422],
    ['field_paper', 'paper.pdf', 201],
    ['field_paper', 'seen.zip', 201],
  ])('in %s as %s is a %i', async (field, path, status) => {
    const value = field === 'body' ? path : { src: path, alt: 'x' };
    const sent = { body: { [field]: value }, actor: AUTHOR };
    const answer = await site.request('PATCH', '/api/content/articles/moon', sent);
    expect(answer.status, answer.text).toBe(status);
  });

  it('in a folder with an underscore is used only if an option names the folder', async () => {
    const files = {
      'content/_docs/a.md': '---\ntitle: A\n---\n',
      'content/_docs/a.png': png(2, 2),
      'content/_docs/b.md': '---\ntitle: B\n---\n',
      'content/_docs/_part/x.png': png(2, 2),
      'content/_docs/.hidden/x.png': png(2, 2),
      'content/_other/x.png': png(2, 2),
    };
    const named = await openAttackedSite(files, undefined, { folders: { doc: '_docs' } });
    const paths = ['a.png', '_part/x.png', '.hidden/x.png', '../_other/x.png', 'b.md'];
    const sent = paths.map((path) => ({ body: { body: `![x](${path})` } }));
    const statuses: number[] = [];
    for (const each of sent) {
      statuses.push((await named.request('PATCH', '/api/content/docs/a', each)).status);
    }
    expect(statuses).toEqual([201, 422, 422, 422, 422]);
    const read = async (path: string) => (await named.request('GET', `/content-files/_docs/${path}`)).status;
    expect([await read('a.png'), await read('_part/x.png'), await read('b.md')]).toEqual([200, 404, 404]);
    const unnamed = await openAttackedSite({ ...files, 'content/page/a.md': '---\ntitle: A\n---\n' });
    const body = { body: '![x](../_docs/a.png)' };
    expect((await unnamed.request('PATCH', '/api/content/pages/a', { body })).status).toBe(422);
  });

  it('cannot be read before an entity refers to it', async () => {
    for (const key of ['person/private.pem', 'invoice/i1.pdf', 'article/my.key'])
      expect((await site.request('GET', `/content-files/${key}`, { actor: EDITOR })).status).toBe(404);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readOutput } from '../../../integration/features/static/output/read-output.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CLIENT = 'throw TypeError(`astro-jsonapi/client reads the files of a site in the browser`)';
const REGISTER = "navigator.serviceWorker.register('/docs/jsonapi-worker.js')";

it.each([
  ['nothing', { 'index.html': '<p>Hello</p>' }, {}],
  ['the client in a script', { '_astro/a.js': CLIENT }, { client: '_astro/a.js' }],
  ['no client in a page that describes it', { 'index.html': `<code>${CLIENT}</code>` }, {}],
  ['the worker in a script', { 'a/b.mjs': REGISTER }, { worker: 'a/b.mjs' }],
  ['the worker in a page', { 'index.html': `<script>\n${REGISTER}</script>` }, { worker: 'index.html' }],
  ['no worker in an example', { 'index.html': `<script src="x.js"></script><pre>${REGISTER}</pre>` }, {}],
  [
    'a link to OpenAPI',
    { 'x/index.html': '<a href="/docs/cms/jsonapi/openapi.json">API</a>' },
    { openapi: 'x/index.html' },
  ],
])('finds %s', async (_, files, expected) => {
  const dir = site(files);
  const { contentFiles, ...used } = await readOutput(dir, { base: '/docs', prefix: '/cms' });
  expect(used).toEqual({ client: undefined, worker: undefined, openapi: undefined, ...expected });
  expect([...contentFiles]).toEqual([]);
});

it('finds the content files that pages, styles and feeds name', async () => {
  const dir = site({
    'index.html': '<img srcset="/docs/content-files/a/sea%20picture.png 2x, /docs/content-files/b.png">',
    'a.css': 'a { background: url(/docs/content-files/c.svg) }',
    'feed.xml': '<enclosure url="https://x.example/docs/content-files/d&amp;e.mp3"/>',
    'other.html': '<img src="/content-files/other.png"> /docs/content-files/%zz',
    'image.png': '/docs/content-files/not-read.png',
  });
  const { contentFiles } = await readOutput(dir, { base: '/docs' });
  expect([...contentFiles].sort()).toEqual(['%zz', 'a/sea picture.png', 'b.png', 'c.svg', 'd&e.mp3']);
});

function site(files: Readonly<Record<string, string | undefined>>): string {
  const dir = temporaryFolder();
  for (const [name, text = ''] of Object.entries(files)) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return dir;
}

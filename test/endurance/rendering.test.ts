import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRenderingProcess } from '../../integration/astro/render/renderer-process.ts';
import { UnrenderableError, weightProblem } from '../../integration/core/read/heavy-text.ts';
import { REPOSITORY, type ServedProcess, serve } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { random } from '../support/random.ts';
import {
  childrenOf,
  createRenderingSite,
  isAlive,
  memoryOf,
  type RenderingSite,
} from '../support/rendering-site.ts';

describe('a built server whose renderer never ends', () => {
  let rendering: RenderingSite;
  let server: ServedProcess;
  beforeAll(async () => {
    rendering = await createRenderingSite('endless-rendering');
    server = await serve(rendering.site);
    await rendering.read(server);
  });
  afterAll(async () => {
    await server?.stop();
    rendering?.site.remove();
  });

  const file = (id: string, body: string) =>
    writeFileSync(rendering.site.file(`content/article/${id}.md`), `---\ntitle: A text\n---\n${body}`);

  it('rejects the body after some seconds, and answers other requests in the meantime', async () => {
    const writing = rendering.write(server, 'LOOP');
    const start = performance.now();
    let answered = 0;
    let slowest = 0;
    while (performance.now() - start < 4000) {
      const before = performance.now();
      expect((await rendering.read(server)).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - before);
      answered += 1;
      await sleep(10);
    }
    const { status, detail } = await writing;
    console.log(`${answered} answers, the slowest after ${slowest.toFixed(0)} ms`);
    expect(detail).toContain('rendering takes more than 5 seconds');
    expect(status).toBe(422);
    expect(performance.now() - start).toBeLessThan(30_000);
    expect((await rendering.write(server, 'Next.')).status).toBe(201);
  });

  it('serves a stored body as text, then without another attempt', async () => {
    file('endless', 'LOOP <b>');
    const pre = { status: 200, html: '<pre>LOOP &lt;b&gt;</pre>' };
    await eventually(async () => expect(await rendering.read(server, 'endless')).toEqual(pre));
    const start = performance.now();
    expect(await rendering.read(server, 'endless')).toEqual(pre);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('leaves no child process when it is killed during rendering', async () => {
    const killed = await serve(rendering.site);
    void rendering.write(killed, 'LOOP again').catch(() => undefined);
    await eventually(async () => expect(childrenOf(killed.pid)).toHaveLength(1));
    await sleep(1500);
    const [child = 0] = childrenOf(killed.pid);
    await killed.kill();
    await eventually(async () => expect(isAlive(child)).toBe(false));
  });
});

const SECONDS = 120;
const PARTS = [
  ...[
    '"',
    "'",
    '"a" ',
    "it's ",
    '...',
    '--',
    '---',
    '-- a ',
    '&amp;',
    '&#39;',
    '\\"',
    '\\&',
    '*',
    '**a',
    '_',
    '`',
    '``',
  ],
  ...[
    '[',
    ']',
    '[a]',
    '(',
    '](x)',
    '![',
    '<',
    '<b>',
    '</b>',
    '<a b="',
    '<!--',
    '-->',
    '|',
    '||',
    '~',
    '~~',
    '$',
    '^',
  ],
  ...[
    ':',
    ':a[',
    ':::',
    '{',
    '}',
    '[^1]',
    '\n',
    '\n',
    '\r',
    '\n>',
    '\n> ',
    '\n    >',
    '\n\t',
    '\n- ',
    '\n  - ',
    '\n1. ',
  ],
  ...[
    '\n# ',
    '\n\n',
    '\n \n',
    '\n>\n',
    '\n---\n',
    '\n```\n',
    '\n~~~\n',
    '\n  ```\n',
    '\n|-|-|\n',
    '\n: ',
    '\n[^1]: ',
  ],
  ...[
    '\n[a]: x',
    ' ',
    '    ',
    '\t',
    '\u00a0',
    'a',
    'é',
    '漢',
    '\0',
    'www.a.b',
    'a@b.c',
    'x'.repeat(400),
    '\n===\n',
  ],
];

it(`random texts up to the weight limit exhaust neither time nor memory, for ${SECONDS} seconds`, async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-rendering-'));
  const entry = path.join(dir, 'renderer.mjs');
  const url = (file: string) => JSON.stringify(pathToFileURL(path.join(REPOSITORY, file)).href);
  writeFileSync(
    entry,
    `import { answerRenderRequests } from ${url('dist/astro/render/answer-render-requests.js')};
import { satteri } from ${url('node_modules/@astrojs/markdown-satteri/dist/index.js')};
await answerRenderRequests(() => satteri().createRenderer({ syntaxHighlight: false }));`,
  );
  const renderer = createRenderingProcess({
    entry: pathToFileURL(entry).href,
    inProcess: () => Promise.reject(new Error('not in this process')),
    warn: () => undefined,
  });
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = <T>(most: number, make: () => T) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make);
  const before = memoryOf(process.pid);
  const counts = { rendered: 0, cut: 0, unrenderable: 0 };
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end; ) {
    const few = some(5, () => pick(PARTS));
    const unit = some(6, () => pick(few)).join('');
    let text = unit.repeat(Math.ceil(2 ** (10 + random() * 8) / unit.length));
    if (random() < 0.3) text = pick(PARTS).repeat(random() * 2000) + text;
    // The heaviest accepted text.
    if (weightProblem(text) !== undefined) counts.cut += 1;
    while (weightProblem(text) !== undefined) text = text.slice(0, text.length * 0.9);
    await renderer.render(text, { frontmatter: {} }).then(
      () => {
        counts.rendered += 1;
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(UnrenderableError);
        counts.unrenderable += 1;
      },
    );
  }
  const grown = memoryOf(process.pid) - before;
  console.log(counts, `grown by ${(grown / 1e6).toFixed(0)} MB`);
  rmSync(dir, { recursive: true });
  expect(grown).toBeLessThan(300e6);
});

import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escapeHtml } from '../../integration/core/util/text.ts';
import { eventually } from '../support/eventually.ts';
import { IN_TIME } from '../support/in-time.ts';
import { avifWithoutSize, WHOLE_IMAGES } from '../support/pictures.ts';
import {
  childrenOf,
  computedBy,
  createRenderingSite,
  isAlive,
  memoryOf,
  type RenderingSite,
  type Role,
} from '../support/rendering-site.ts';
import { type ServedProcess, serve } from './site.ts';

let rendering: RenderingSite;
let server: ServedProcess;

beforeAll(async () => {
  rendering = await createRenderingSite('rendering');
  server = await serve(rendering.site, { SECRET: 'hidden' });
});
afterAll(async () => {
  await server?.stop();
  rendering?.site.remove();
});

/** With changed bytes in the middle. */
function damagedPng(): Uint8Array {
  const bytes = Uint8Array.from(WHOLE_IMAGES['a.png'] ?? []);
  return bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 20);
}

const file = (id: string, body: string) =>
  writeFileSync(rendering.site.file(`content/article/${id}.md`), `---\ntitle: A text\n---\n${body}`);

describe('a built server with writing', () => {
  it.each(['"a" ', "'a' ", "it's ", '... ', '"', '&amp; ', '-- a '])(
    'rejects a paragraph that repeats %j without rendering it',
    async (unit) => {
      await rendering.read(server);
      const before = memoryOf(server.pid);
      const children = childrenOf(server.pid);
      const { status, detail } = await rendering.write(server, unit.repeat(60_000));
      expect(detail).toContain('This text cannot be rendered: one paragraph or table is too large');
      expect(detail).toContain('"pointer":"/body"');
      expect(status).toBe(422);
      expect(childrenOf(server.pid)).toEqual(children);
      expect(memoryOf(server.pid) - before).toBeLessThan(100e6);
    },
  );

  it.each(['NATIVE', 'HEAP', 'EXIT'])(
    'survives a renderer that does %s, and renders the next body',
    async (what) => {
      const before = memoryOf(server.pid);
      const refused = await rendering.write(server, `Text ${what}.`);
      expect(refused.detail).toContain(
        'This text cannot be rendered: rendering takes more than 5 seconds or 512 MB',
      );
      expect(refused.status).toBe(422);
      expect(memoryOf(server.pid) - before).toBeLessThan(100e6);
      expect((await rendering.write(server, 'Next.')).status).toBe(201);
      expect((await rendering.read(server)).html).toBe('<p>Next.</p>\n');
    },
  );

  it.each(['"a" '.repeat(20_000), 'EXIT'])('rejects such a body by an administrator too', async (body) => {
    const { status, detail } = await rendering.write(server, `<b>raw</b> ${body}`, 'administrator');
    expect({ status, isRendered: !detail.includes('This text cannot be rendered') }).toEqual({
      status: 422,
      isRendered: false,
    });
  });

  it('rejects the same body again without rendering it', async () => {
    await rendering.write(server, 'Twice EXIT.');
    expect((await rendering.write(server, 'Twice EXIT.')).status).toBe(422);
    expect(childrenOf(server.pid)).toEqual([]);
  });

  it.each([
    ['is too large', '"<b>"'.repeat(20_000)],
    ['crashes the renderer', 'a <b> EXIT'],
    ['makes a plugin fail', 'a <b> THROW'],
  ])('serves a stored body as text if it %s, and logs that once', async (name, body) => {
    const id = name.replaceAll(' ', '-');
    file(id, body);
    const pre = `<pre>${escapeHtml(body)}</pre>`;
    await eventually(async () => expect((await rendering.read(server, id)).status).toBe(200));
    expect((await rendering.read(server, id)).html).toBe(pre);
    const response = await fetch(`${server.origin}/jsonapi/node/article/${id}`);
    expect(response.status).toBe(200);
    expect(server.output().split(`The body of article/${id}.md is shown as plain text`)).toHaveLength(2);
  });

  it('restarts a killed rendering process', async () => {
    await rendering.write(server, 'First.');
    const [child = 0, ...others] = childrenOf(server.pid);
    expect(others).toEqual([]);
    process.kill(child, 'SIGKILL');
    expect((await rendering.write(server, 'Second.')).status).toBe(201);
    expect((await rendering.read(server)).html).toBe('<p>Second.</p>\n');
  });

  // Other load changes how much CPU time the same work takes.
  it('checks the HTML of a body in the rendering process', IN_TIME, async () => {
    /** CPU time of the server in milliseconds. Bodies by administrators are not checked. */
    async function costFor(role: Role, word: string): Promise<number> {
      const before = computedBy(server.pid);
      const { status } = await rendering.write(server, `[${word}](b) \`c\`\n\n`.repeat(25_000), role);
      expect(status).toBe(201);
      return computedBy(server.pid) - before;
    }
    const unchecked = await costFor('administrator', 'one');
    expect(await costFor('editor', 'two')).toBeLessThan(1.7 * unchecked);
  });

  it.each(Object.entries(WHOLE_IMAGES))('stores %s', async (name, bytes) => {
    const { status, detail } = await rendering.upload(server, name, bytes);
    expect(detail).toContain('"width":8,"height":8');
    expect(status).toBe(201);
  });

  it.each([
    ...Object.entries(WHOLE_IMAGES).map(
      ([name, bytes]) => [name, bytes.subarray(0, bytes.length / 2)] as const,
    ),
    ['damaged.png', damagedPng()] as const,
    ['without-size.avif', avifWithoutSize()] as const,
  ])('rejects %s if it is truncated or damaged', async (name, bytes) => {
    const files = readdirSync(rendering.site.file('content/article'));
    const { status, detail } = await rendering.upload(server, name, bytes);
    expect(detail).toMatch(/"detail":"The image (?:cannot be shown on pages|is damaged): /);
    expect(detail).toContain('"source":{"header":"Content-Disposition"}');
    expect(status).toBe(422);
    expect(readdirSync(rendering.site.file('content/article'))).toEqual(files);
  });

  it('passes no secret environment variables to the rendering process', async () => {
    await rendering.write(server, 'SECRET');
    expect((await rendering.read(server)).html).toBe('undefined');
  });

  it('renders from a copied folder, and leaves no child process when it is killed', async () => {
    cpSync(rendering.site.file('dist'), rendering.site.file('copied'), { recursive: true });
    const copied = await serve(rendering.site, {}, 'copied');
    await rendering.write(copied, 'Copied.');
    expect((await rendering.read(copied)).html).toBe('<p>Copied.</p>\n');
    const [child = 0] = childrenOf(copied.pid);
    expect(isAlive(child)).toBe(true);
    await copied.kill();
    await eventually(async () => expect(isAlive(child)).toBe(false));
  });
});

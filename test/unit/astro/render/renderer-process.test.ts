import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createRenderingProcess } from '../../../../integration/astro/render/renderer-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const OPTIONS = { frontmatter: {} };

describe('a rendering process that cannot be started', () => {
  const warn = vi.fn();
  const inProcess = vi.fn(async () => ({ render: async (text: string) => ({ code: `<p>${text}</p>` }) }));
  const other = createRenderingProcess({ entry: 'data:text/javascript,', inProcess, warn });

  it('is replaced by the server process, with one warning', async () => {
    expect(await other.render('one', OPTIONS)).toEqual({ code: '<p>one</p>' });
    expect(await other.render('two', OPTIONS)).toEqual({ code: '<p>two</p>' });
    expect(inProcess).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain("rendered in the server's own process, without limits");
  });

  it('leaves HTML checks to the server process, and decodes no images', async () => {
    expect(await other.unsafeParts('<script>x</script>')).toEqual(['<script>']);
    expect(await other.imageProblem(new Uint8Array([1, 2]))).toBeUndefined();
  });
});

/** Returns each task, or exits when it receives a `!`. */
const ENTRY = `
process.on('disconnect', () => process.exit());
process.on('message', async ({ task, text, html, bytes }) => {
  const sent = text ?? html ?? String.fromCharCode(...bytes);
  process.send('begun', () => {
    if (sent === '!') process.exit(1);
    const values = { render: { code: sent }, unsafeParts: sent === 'large' ? null : [sent], imageProblem: sent };
    process.send({ value: values[task], isLast: false });
  });
});
process.send('ready');
`;

describe('a rendering process', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'entry.mjs');
  beforeAll(() => writeFileSync(file, ENTRY));

  const { unsafeParts, imageProblem, render } = createRenderingProcess({
    entry: pathToFileURL(file).href,
    inProcess: async () => expect.fail('There is a process.'),
    warn: () => undefined,
  });
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('renders, checks HTML and decodes images, one task at a time', async () => {
    const answers = await Promise.all([render('a', OPTIONS), unsafeParts('b'), imageProblem(bytes('c'))]);
    expect(answers).toEqual([{ code: 'a' }, ['b'], 'c']);
  });

  it('reports HTML that is too large for a check or ends the process', async () => {
    expect(await unsafeParts('large')).toBeNull();
    expect(await unsafeParts('!')).toBeNull();
  });

  it('reports the limits if an image ends the process, and starts another process', async () => {
    expect(await imageProblem(bytes('!'))).toContain('takes more than 5 seconds or 512 MB');
    expect(await imageProblem(bytes('c'))).toBe('c');
  });
});

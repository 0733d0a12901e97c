import { expect, it, vi } from 'vitest';
import { UnrenderableError } from '../../../integration/core/read/heavy-text.ts';
import { createServedBody } from '../../../integration/core/read/served-body.ts';
import { createBody } from '../../support/body.ts';

const entity = (revision: string) => ({
  type: 'node--article',
  id: 'a',
  key: 'article/a.md',
  revision,
  published: true,
  values: {},
  body: createBody('1 < 2 & 3'),
});

it('a body that is too heavy is served as text, with one warning per version', async () => {
  const warn = vi.fn();
  const served = createServedBody(
    () => Promise.reject(new UnrenderableError('it is too large.')),
    'reject',
    warn,
  );
  for (const revision of ['1', '1', '2'])
    expect(await served(entity(revision))).toBe('<pre>1 &lt; 2 &amp; 3</pre>');
  const line = 'The body of article/a.md is shown as plain text in <pre>: it is too large.';
  expect(warn.mock.calls).toEqual([[line], [line]]);
});

it('a rendering error fails a build, and serves the body as text on a server', async () => {
  const fail = () => Promise.reject(new Error('bad plugin'));
  await expect(createServedBody(fail, 'reject', vi.fn())(entity('1'))).rejects.toThrow('bad plugin');
  expect(await createServedBody(fail, 'text', vi.fn())(entity('1'))).toContain('<pre>');
});

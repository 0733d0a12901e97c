import { describe, expect, it } from 'vitest';
import { contentFaults, overlayError, schemaFault } from '../../../../integration/astro/dev/error-overlay.ts';

const TEXT = ['---', 'title: <b>', 'rating: many', '---', 'Text.'].join('\n');
const read = (file: string) => (file.endsWith('a.md') ? TEXT : undefined);
const ERROR = {
  severity: 'error',
  code: 'x',
  key: 'article/a.md',
  line: 3,
  column: 9,
  message: 'No <i>number</i>.',
} as const;

describe('the error overlay', () => {
  it('shows the first error with its lines, and lists the others', () => {
    const faults = contentFaults(
      [
        { ...ERROR, hint: 'Write 3 & 4.' },
        { ...ERROR, key: 'article/b.md', hint: 'Write <3>.' },
        { ...ERROR, key: 'article/c.md' },
      ],
      '/site/content',
    );
    expect(overlayError(faults, read, '/site/')).toEqual({
      name: 'ContentError',
      title: 'The content has 3 errors',
      message:
        'No &lt;i&gt;number&lt;/i&gt;.<br>content/article/b.md:3:9 No &lt;i&gt;number&lt;/i&gt;. (Write &lt;3&gt;.)<br>content/article/c.md:3:9 No &lt;i&gt;number&lt;/i&gt;.',
      stack:
        'content/article/a.md:3:9 No <i>number</i>. (Write 3 & 4.)\ncontent/article/b.md:3:9 No <i>number</i>. (Write <3>.)\ncontent/article/c.md:3:9 No <i>number</i>.',
      plugin: 'astro-jsonapi',
      hint: 'Write 3 &amp; 4.',
      loc: { file: '/site/content/article/a.md', line: 3, column: 9 },
      highlightedCode:
        '<pre class="shiki" style="white-space: pre-wrap"><code style="counter-reset: step 0"><span class="line">---</span>\n<span class="line">title: &lt;b&gt;</span>\n<span class="line error-line">rating: many</span>\n<span class="line">---</span>\n<span class="line">Text.</span></code></pre>',
    });
  });

  it('shows no code frame for a deleted file, and no position for a folder', () => {
    const gone = overlayError(contentFaults([{ ...ERROR, key: 'b.md' }], '/site/content'), read, '/site/');
    expect(gone).not.toHaveProperty('highlightedCode');
    const folder = overlayError(
      contentFaults([{ ...ERROR, key: 'article/' }], '/site/content'),
      read,
      '/site/',
    );
    expect(folder).not.toHaveProperty('loc');
  });

  it('shows absolute paths for files outside the project', () => {
    const faults = contentFaults([ERROR, ERROR], '/elsewhere');
    expect(overlayError(faults, read, '/site')?.message).toContain('<br>/elsewhere/article/a.md:3:9 ');
  });

  it('is not shown for warnings', () => {
    const faults = contentFaults([{ ...ERROR, severity: 'warning' }], '/site/content');
    expect(overlayError(faults, read, '/site/')).toBeUndefined();
  });
});

describe('an error of a schema', () => {
  it('has the position in the schema that its message or stack names', () => {
    const cause = new Error('no luck');
    cause.stack = 'Error: no luck\n    at eval (/site/rating.ts:4:10)\n    at other (/site/vite.js:1:1)';
    const error = new Error('content/schema.ts cannot be loaded: no luck', { cause });
    error.stack = 'Error\n    at load (/site/vite.js:9:9)';
    const files = ['/site/content/schema.ts', '/site/rating.ts'];
    expect(schemaFault(error, files)).toMatchObject({
      message: 'content/schema.ts cannot be loaded: no luck',
      position: { file: '/site/rating.ts', line: 4, column: 10 },
    });
  });

  it('has the message of the parser without its code frame', () => {
    const error = new Error(
      'Transform failed\n\u001b[31mUnexpected token\n   ╭─[ content/schema.ts:2:21 ]\n 2 │ a: ;\n───╯',
    );
    expect(schemaFault(error, ['/site/content/schema.ts'])).toMatchObject({
      message: 'Transform failed Unexpected token',
      position: { file: '/site/content/schema.ts', line: 2, column: 21 },
    });
  });
});

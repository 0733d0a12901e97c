import { describe, expect, it } from 'vitest';
import { schemaFault } from '../../../../integration/astro/dev/schema-fault.ts';

describe('an error of a schema', () => {
  it('has the position in the schema that its message or stack names', () => {
    const cause = new Error('no luck');
    cause.stack = 'Error: no luck\n    at eval (/site/rating.ts:4:10)\n    at other (/site/vite.js:1:1)';
    const error = new Error('content/schema.ts cannot be loaded: no luck', { cause });
    error.stack = 'Error\n    at load (/site/vite.js:9:9)';
    const files = ['/site/content/schema.ts', '/site/rating.ts'];
    expect(schemaFault(error, files)).toMatchObject({
      message: 'content/schema.ts cannot be loaded: no luck',
      place: { file: '/site/rating.ts', line: 4, column: 10 },
    });
  });

  it('has the message of the parser without its code frame', () => {
    const error = new Error(
      'Transform failed\n\u001b[31mUnexpected token\n   ╭─[ content/schema.ts:2:21 ]\n 2 │ a: ;\n───╯',
    );
    expect(schemaFault(error, ['/site/content/schema.ts'])).toMatchObject({
      message: 'Transform failed Unexpected token',
      place: { file: '/site/content/schema.ts', line: 2, column: 21 },
    });
  });
});

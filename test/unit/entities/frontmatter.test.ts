import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAny, splitMarkdown } from '../../../integration/entities/frontmatter.ts';

const PIECES = [
  '---',
  '---\n',
  '\n---',
  '\n---\n',
  '\r\n',
  '\n',
  ' ',
  '\ufeff',
  'title: A',
  '# note',
  'body',
  '-',
  'yaml',
  'ä',
];

describe('a file of the plainest form', () => {
  it('is split as any other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 10 }).map((pieces) => pieces.join('')),
        (text) => {
          expect(splitMarkdown(text)).toEqual(splitAny(text));
          expect(splitMarkdown(`---\n${text}`)).toEqual(splitAny(`---\n${text}`));
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 1) * 2000 },
    );
  });
});

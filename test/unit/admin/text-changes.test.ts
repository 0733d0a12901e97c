import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textChanges } from '../../../admin/src/body-editor/text-changes.ts';
import { runs } from '../../oracle/runs.ts';

describe('the changes from one text to another', () => {
  test.each([
    ['nothing', 'one\ntwo', 'one\ntwo', []],
    ['a word of a line', 'one two three\nfour', 'one 2 three\nfour', [{ from: 4, to: 7, insert: '2' }]],
    [
      'two distant lines',
      'one\ntwo\nthree\nfour\n',
      'One\ntwo\nthree\nfour!\n',
      [
        { from: 0, to: 1, insert: 'O' },
        { from: 18, to: 18, insert: '!' },
      ],
    ],
    ['a new last line', 'one', 'one\ntwo', [{ from: 3, to: 3, insert: '\ntwo' }]],
    ['a repeated letter', 'aaa', 'aa', [{ from: 2, to: 3, insert: '' }]],
    ['everything', 'one', '', [{ from: 0, to: 3, insert: '' }]],
  ])('of %s are only the parts that differ', (_, before, after, changes) => {
    expect(textChanges(before, after)).toEqual(changes);
  });

  test('make the one the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', '😀', 'ab\n'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        let [made, at] = ['', 0];
        for (const { from, to, insert } of textChanges(before, after)) {
          expect(from).toBeGreaterThanOrEqual(at);
          made += before.slice(at, from) + insert;
          at = to;
        }
        expect(made + before.slice(at)).toBe(after);
      }),
      runs(500),
    );
  });

  test('of thousands of different lines are found at once', () => {
    const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, at) => `${prefix}${at}\n`).join('');
    const before = `same\n${lines('a')}same\n`;
    const [change, ...others] = textChanges(before, `same\n${lines('b')}same\n`);
    expect(others).toEqual([]);
    expect(change).toMatchObject({ from: 5, to: before.length - 'a19999\nsame\n'.length + 1 });
  });
});

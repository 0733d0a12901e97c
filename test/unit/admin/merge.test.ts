import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, disputesOf, mergeField, mergeSequences } from '../../../admin/src/model/merge.ts';

const lines = (text: string): readonly string[] => text.split('');

describe('two changed versions of a text', () => {
  test.each([
    ['no side changes anything', 'abc', 'abc', 'abc', 'abc'],
    ['only they change a line', 'abc', 'aXc', 'abc', 'aXc'],
    ['only I change a line', 'abc', 'abc', 'aXc', 'aXc'],
    ['both change different lines', 'abcde', 'Xbcde', 'abcdY', 'XbcdY'],
    ['both make the same change', 'abc', 'aXc', 'aXc', 'aXc'],
    ['they add at the start, I add at the end', 'abc', 'Xabc', 'abcY', 'XabcY'],
    ['they remove a line, I add one elsewhere', 'abcd', 'acd', 'abcdY', 'acdY'],
    ['they empty the text that I leave alone', 'abc', '', 'abc', ''],
  ])('merge if %s', (_, base, theirs, mine, merged) => {
    const blocks = mergeSequences(lines(base), lines(theirs), lines(mine));
    expect(blocks.flatMap((block) => ('merged' in block ? block.merged : ['?'])).join('')).toBe(merged);
  });

  test.each([
    ['the same line', 'abc', 'aXc', 'aYc', [['b', 'X', 'Y']]],
    ['neighboring lines', 'abcd', 'aXcd', 'abYd', [['bc', 'Xc', 'bY']]],
    ['lines added at the same place', 'ab', 'aXb', 'aYb', [['', 'X', 'Y']]],
    ['a line that the other one removed', 'abc', 'ac', 'aYc', [['b', '', 'Y']]],
    [
      'two places',
      'abcde',
      'Xbcd1',
      'Ybcd2',
      [
        ['a', 'X', 'Y'],
        ['e', '1', '2'],
      ],
    ],
  ])('leave the choice to people if both change %s', (_, base, theirs, mine, disputes) => {
    const blocks = mergeSequences(lines(base), lines(theirs), lines(mine));
    expect(
      blocks.flatMap((block) =>
        'base' in block ? [[block.base.join(''), block.theirs.join(''), block.mine.join('')]] : [],
      ),
    ).toEqual(disputes);
  });

  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  const taken = (blocks: ReturnType<typeof mergeSequences<string>>, side: 'theirs' | 'mine') =>
    blocks.flatMap((block) => ('merged' in block ? block.merged : block[side]));

  test('keep changes of one side, and equal changes of both sides', () => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        for (const [theirs, mine] of [
          [base, changed],
          [changed, base],
          [changed, changed],
        ] as const) {
          const blocks = mergeSequences(base, theirs, mine);
          expect(blocks.every((block) => 'merged' in block)).toBe(true);
          expect(taken(blocks, 'mine')).toEqual(changed);
        }
      }),
    );
  });

  test('are each side completely if all changes are disputed and all decisions are for that side', () => {
    const changed = (lines: readonly string[]) =>
      fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 });
    const changes = fc.array(fc.tuple(changed(['a', 'b']), changed(['c', 'd']), changed(['e', 'f'])), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, (parts) => {
        // A common line separates two changes.
        const [base, theirs, mine] = [0, 1, 2].map((side) =>
          parts.flatMap((part, at) => [...(at > 0 ? [`${at}`] : []), ...(part[side] ?? [])]),
        ) as [string[], string[], string[]];
        const blocks = mergeSequences(base, theirs, mine);
        expect(blocks.filter((block) => 'base' in block)).toHaveLength(parts.length);
        expect(taken(blocks, 'theirs')).toEqual(theirs);
        expect(taken(blocks, 'mine')).toEqual(mine);
      }),
    );
  });

  test('give the same disputes from both points of view', () => {
    fc.assert(
      fc.property(text, text, text, (base, theirs, mine) => {
        const swapped = mergeSequences(base, mine, theirs).map((block) =>
          'merged' in block ? block : { ...block, theirs: block.mine, mine: block.theirs },
        );
        expect(swapped).toEqual(mergeSequences(base, theirs, mine));
      }),
    );
  });
});

describe('two changed values of a field', () => {
  const field = (kind: 'string' | 'object' | 'reference' | 'formatted_text', list = false) => ({
    name: 'f',
    kind,
    list,
  });

  test('an object merges by property', () => {
    const base = { name: 'Cove', depth: 3 };
    expect(mergeField(field('object'), base, { name: 'Bay', depth: 3 }, { name: 'Cove', depth: 5 })).toEqual({
      value: { name: 'Bay', depth: 5 },
      conflicts: [],
    });
  });

  test('a property that I removed stays removed', () => {
    const base = { name: 'Cove', depth: 3 };
    expect(mergeField(field('object'), base, { name: 'Bay', depth: 3 }, { name: 'Cove' }).value).toEqual({
      name: 'Bay',
    });
  });

  test('a reference is one value', () => {
    const [base, theirs, mine] = [
      { type: 'node--tag', id: 'sea' },
      { type: 'node--person', id: 'sea' },
      { type: 'node--tag', id: 'sky' },
    ];
    const { conflicts } = mergeField(field('reference'), base, theirs, mine);
    expect(conflicts).toHaveLength(1);
    expect(decide(mine, conflicts[0]!, ['theirs'])).toEqual(theirs);
  });

  test('items of a list that were added on both sides are all kept', () => {
    const base = [{ id: 1 }, { id: 2 }];
    const theirs = [{ id: 0 }, ...base];
    const mine = [...base, { id: 3 }];
    expect(mergeField(field('reference', true), base, theirs, mine)).toEqual({
      value: [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3 }],
      conflicts: [],
    });
  });

  test('the lines of a body and its summary merge separately, and each dispute is decided by itself', () => {
    const body = (value: string, summary: string) => ({ value, summary });
    const base = body('one\n\ntwo\n\nthree', 'Old');
    const theirs = body('ONE\n\ntwo\n\nthree!', 'Theirs');
    const mine = body('one\n\n2\n\nthree?', 'Old');
    const { value, conflicts } = mergeField(field('formatted_text'), base, theirs, mine);
    expect(conflicts.map(({ path }) => path)).toEqual([['value']]);
    expect(disputesOf(conflicts[0]!)).toEqual([{ base: ['three'], theirs: ['three!'], mine: ['three?'] }]);
    expect(decide(value, conflicts[0]!, ['theirs'])).toEqual(body('ONE\n\n2\n\nthree!', 'Theirs'));
    expect(decide(value, conflicts[0]!, ['both'])).toEqual(body('ONE\n\n2\n\nthree!\nthree?', 'Theirs'));
  });
});

import { describe, expect, it } from 'vitest';
import { Dictionary } from '../../../../integration/core/engine/store/dictionary.ts';
import {
  compareDecimals,
  createOrderings,
  foldText,
} from '../../../../integration/core/engine/store/ordering.ts';
import { allSteps } from '../../../../integration/core/engine/time-slices.ts';

const orderings = createOrderings('en');

describe('a dictionary of strings', () => {
  const texts = ['zebra', 'Alpha', 'alpha', 'ALPHA', 'Äpfel', 'apfel', 'strasse', 'straße', 'Z\u0000a', ''];
  const { dictionary } = allSteps(Dictionary.of(orderings.string, texts));
  const equal = (text: string) => {
    const [from, to] = dictionary.equalRange(text);
    return Array.from({ length: to - from }, (_, i) => dictionary.raw(from + i)).sort();
  };
  const matches = (...[operator, part]: ['CONTAINS' | 'STARTS_WITH' | 'ENDS_WITH', string]) =>
    dictionary.search(operator, foldText(part)).map((code) => dictionary.raw(code));

  it.each([
    ['alpha', ['ALPHA', 'Alpha', 'alpha']],
    ['aLPHA', ['ALPHA', 'Alpha', 'alpha']],
    ['Apfel', ['apfel']],
    ['A\u0308PFEL', ['Äpfel']],
    ['STRASSE', ['strasse']],
    ['missing', []],
  ])('treats %s as equal to %j: ignores case, not accents', (text, expected) => {
    expect(equal(text)).toEqual([...expected].sort());
  });

  it.each([
    ['CONTAINS', 'lph', ['alpha', 'Alpha', 'ALPHA']],
    ['STARTS_WITH', 'ÄP', ['Äpfel']],
    ['ENDS_WITH', 'SSE', ['strasse']],
    ['CONTAINS', 'ß', ['straße']],
    ['CONTAINS', '\u0000', ['Z\u0000a']],
    ['STARTS_WITH', 'a', ['alpha', 'Alpha', 'ALPHA', 'apfel']],
  ] as const)('%s %s finds %j in folded strings', (operator, part, expected) => {
    expect([...matches(operator, part)].sort()).toEqual([...expected].sort());
  });

  it('finds every text for an empty string', () => {
    expect(matches('CONTAINS', '')).toHaveLength(texts.length);
  });

  it('returns the same codes with and without the hash of its values', () => {
    const first = equal('alpha');
    for (let i = 0; i < 10; i++) expect(equal('alpha')).toEqual(first);
  });
});

describe('decimals', () => {
  it.each([
    ['9.26', '9.260', 0],
    ['-0.5', '.5', -1],
    ['10', '9.999999999999999999999', 1],
    ['0.1000000000000000000001', '0.1', 1],
    ['123456789012345678901234567890.1', '123456789012345678901234567890.2', -1],
    ['-.5', '-0.50', 0],
    ['+5', '5.0', 0],
    ['5.', '5', 0],
  ])('%s compared with %s is exactly %i', (a, b, sign) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(sign);
    expect(Math.sign(compareDecimals(b, a))).toBe(sign === 0 ? 0 : -sign);
  });
});

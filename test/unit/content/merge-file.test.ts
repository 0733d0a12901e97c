import { describe, expect, it } from 'vitest';
import { mergeContentFile } from '../../../integration/content/merge-file.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const merge = async (key: string, base: string, ours: string, theirs: string) => {
  const versions = { base: encode(base), ours: encode(ours), theirs: encode(theirs) };
  const merged = await mergeContentFile(key, versions, async () => undefined);
  return merged instanceof Uint8Array ? new TextDecoder().decode(merged) : merged;
};

describe('two changes of a content file', () => {
  it.each([
    [
      'a.md',
      '---\na: 1 # one\nb: x\n---\nBody\n',
      '---\na: 2 # one\nb: x\n---\nBody\n',
      '---\na: 1 # one\nb: y\n---\nBody\n',
      '---\na: 2 # one\nb: y\n---\nBody\n',
    ],
    [
      'a.md',
      '---\na: 1\n---\nBody\n',
      '---\na: 1\n---\n\nLonger body\n',
      '---\na: 2\nc: [1, 2]\n---\nBody\n',
      '---\na: 2\nc: [1, 2]\n---\n\nLonger body\n',
    ],
    ['a.md', '---\na: 1\nb: 1\n---\n', '---\nb: 1\n---\n', '---\na: 1\nb: 2\n---\n', '---\nb: 2\n---\n'],
    ['a.json', '{ "a": 1, "b": 1 }', '{ "a": 2, "b": 1 }', '{ "a": 1, "b": 3 }', '{ "a": 2, "b": 3 }'],
    ['a.yaml', 'a: 1\nb: 1\n', 'a: 2\nb: 1\n', 'a: 1\nb: 3\n', 'a: 2\nb: 3\n'],
    [
      'a.md',
      '---\na: 1\nchanged: 2024-01-01\n---\n',
      '---\na: 2\nchanged: 2024-01-03\n---\n',
      '---\na: 1\nb: 1\nchanged: 2024-01-02\n---\n',
      '---\na: 2\nb: 1\nchanged: 2024-01-03\n---\n',
    ],
    ['a.md', '---\na: 1\n---\n', '---\na: 2\n---\n', '---\na: 2\n---\n', '---\na: 2\n---\n'],
  ])('are merged by field in %s', async (key, base, ours, theirs, merged) => {
    expect(await merge(key, base, ours, theirs)).toBe(merged);
  });

  it.each([
    ['of one field', '---\na: 1\n---\n', '---\na: 2\n---\n', '---\na: 3\n---\n'],
    ['that remove and set one field', '---\na: 1\n---\n', '---\n---\n', '---\na: 3\n---\n'],
    ['that add one field', '---\na: 1\n---\n', '---\na: 1\nb: 1\n---\n', '---\na: 1\nb: 2\n---\n'],
    ['of the same lines of the body', '---\na: 1\n---\nA\n', '---\na: 1\n---\nB\n', '---\na: 1\n---\nC\n'],
  ])('%s conflict', async (_, base, ours, theirs) => {
    expect(await merge('a.md', base, ours, theirs)).toBeNull();
  });

  it('are not merged by field if the file has errors or is not content', async () => {
    expect(await merge('a.md', '---\na: 1\n---\n', '---\na: [\n---\n', '---\na: 3\n---\n')).toBeUndefined();
    expect(await merge('a.png', 'a', 'b', 'c')).toBeUndefined();
  });
});

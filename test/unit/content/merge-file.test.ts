import { describe, expect, it } from 'vitest';
import { mergeContentFile } from '../../../integration/core/content/merge-file.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const merge = async (key: string, base: string, ours: string, theirs: string) => {
  const versions = { base: encode(base), ours: encode(ours), theirs: encode(theirs) };
  const merged = await mergeContentFile(key, versions, {
    mergeText: async () => undefined,
    isAllowed: async () => true,
  });
  const decode = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
  return merged && { merged: decode(merged.bytes), lost: decode(merged.lost) };
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
    expect(await merge(key, base, ours, theirs)).toEqual({ merged, lost: undefined });
  });

  it.each([
    ['of one field', '---\na: 1\n---\n', '---\na: 2\n---\n', '---\na: 3\n---\n'],
    ['that remove and set one field', '---\na: 1\n---\n', '---\n---\n', '---\na: 3\n---\n'],
    ['that add one field', '---\na: 1\n---\n', '---\na: 1\nb: 1\n---\n', '---\na: 1\nb: 2\n---\n'],
    ['of the same lines of the body', '---\na: 1\n---\nA\n', '---\na: 1\n---\nB\n', '---\na: 1\n---\nC\n'],
    [
      'of one field at different times',
      '---\na: 1\nchanged: 2024-01-01\n---\n',
      '---\na: 2\nchanged: 2024-01-03\n---\n',
      '---\na: 3\nchanged: 2024-01-02\n---\n',
    ],
  ])('%s conflict, and the file stays as the other side has it', async (_, base, ours, theirs) => {
    const merged = await merge('a.md', base, ours, theirs);
    expect(merged?.merged).toBe(theirs);
    expect(merged?.lost).toBe(ours.replace('2024-01-03', '2024-01-02'));
  });

  it('keep the fields that do not conflict, and their lost version has nothing but the others', async () => {
    const base = '---\na: 1\nb: 1\nc: 1\n---\nOne\n';
    const ours = '---\na: 2\nb: 2\nc: 1\n---\nTwo\n';
    const theirs = '---\na: 3\nb: 1\nc: 3\n---\nThree\n';
    expect(await merge('a.md', base, ours, theirs)).toEqual({
      merged: '---\na: 3\nb: 2\nc: 3\n---\nThree\n',
      lost: '---\na: 2\nb: 2\nc: 3\n---\nTwo\n',
    });
  });

  it('conflict in the body if the merged body is not allowed', async () => {
    const encoded = (body: string) => encode(`---\na: ${body.length}\n---\n${body}\n`);
    const seen: string[] = [];
    const versions = { base: encoded('One'), ours: encoded('Two two'), theirs: encoded('Three') };
    const merged = await mergeContentFile('a.md', versions, {
      mergeText: async () => 'Both',
      async isAllowed(_, bytes) {
        seen.push(new TextDecoder().decode(bytes));
        return false;
      },
    });
    expect(seen).toEqual(['---\na: 5\n---\nBoth\n']);
    expect(new TextDecoder().decode(merged?.bytes)).toBe('---\na: 5\n---\nThree\n');
    expect(new TextDecoder().decode(merged?.lost)).toBe('---\na: 7\n---\nTwo two\n');
  });

  it('are not merged by field if the file has errors or is not content', async () => {
    expect(await merge('a.md', '---\na: 1\n---\n', '---\na: [\n---\n', '---\na: 3\n---\n')).toBeUndefined();
    expect(await merge('a.png', 'a', 'b', 'c')).toBeUndefined();
    // The fields would become lines of the body.
    expect(await merge('a.md', 'One\n', '---\na: 1\n---\nOne\n', 'Two\n')).toBeUndefined();
  });
});

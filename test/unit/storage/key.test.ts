import { describe, expect, it } from 'vitest';
import { normalizeKey, requireKey, resolveKey } from '../../../integration/core/storage/key.ts';

describe('storage keys', () => {
  it.each([
    ['article/a.md', 'article/a.md'],
    ['article//a.md', 'article/a.md'],
    ['./article/./a.md', 'article/a.md'],
    ['article/a..b.md', 'article/a..b.md'],
    ['article/...', 'article/...'],
    ['article/%2e%2e/a.md', 'article/%2e%2e/a.md'],
    ['artículo/ñ 1.md', 'artículo/ñ 1.md'],
  ])('%j becomes the key %j', (written, key) => {
    expect(normalizeKey(written)).toBe(key);
    expect(requireKey(written)).toBe(key);
  });

  it.each([
    [''],
    ['.'],
    ['/'],
    ['/etc/passwd'],
    ['//server/share'],
    ['..'],
    ['../secret.md'],
    ['article/../../secret.md'],
    ['article/../person/a.md'],
    ['article/..'],
    ['article\\..\\..\\secret.md'],
    ['..\\secret.md'],
    ['C:/Windows/a.md'],
    ['c:a.md'],
    ['article/a.md\0.png'],
  ])('%j cannot be a key', (written) => {
    expect(normalizeKey(written)).toBeUndefined();
    expect(() => requireKey(written)).toThrow('is not a path inside the content folder');
  });

  it.each([
    ['article/a.md', 'cover.jpg', 'article/cover.jpg'],
    ['article/a.md', './img/../cover.jpg', 'article/cover.jpg'],
    ['article/deep/a.md', '../../shared/x.png', 'shared/x.png'],
    ['article/a.md', '../../x.png', undefined],
    ['article/a.md', '../..', undefined],
    ['article/a.md', '/x.png', undefined],
    ['article/a.md', '..\\x.png', undefined],
  ])('resolves %j and %j to %j', (from, path, key) => {
    expect(resolveKey(from, path)).toBe(key);
  });
});

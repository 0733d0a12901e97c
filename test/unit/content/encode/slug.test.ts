import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SLUG_LENGTH, slugFor } from '../../../../integration/core/content/encode/slug.ts';
import { layoutOf } from '../../../../integration/core/content/layout.ts';

const free = () => false;

describe('the file name of a new entity', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  Two   bulges — and a late moon  ', 'two-bulges-and-a-late-moon'],
    ["Don't stop", 'dont-stop'],
    ['Œuvre d’été, naïve', 'oeuvre-dete-naive'],
    ['Füße & Straße', 'fusse-strasse'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Привет, мир', 'privet-mir'],
    ['Ελληνικά', 'ellinika'],
    ['北京欢迎你', 'bei-jing-huan-ying-ni'],
    ['안녕하세요 세계', 'annyeonghaseyo-segye'],
    ['שלום', 'slvm'],
    ['สวัสดี', 'swasdi'],
    ['🎉 party', 'tada-party'],
    ['e\u0301te\u0301', 'ete'],
    ['../../etc/passwd', 'etc-passwd'],
    ['.hidden', 'hidden'],
    ['_draft', 'draft'],
    ['C:\\Windows\\x', 'c-windows-x'],
    ['a\u0000b\nc', 'a-b-c'],
    ['v1.2.md', 'v1-2-md'],
    ['', 'untitled'],
    ['!?', 'untitled'],
    ['\ud800', 'untitled'],
  ])('of %j is %s', (title, slug) => {
    expect(slugFor(title, free)).toBe(slug);
  });

  it.each(['con', 'PRN', 'aux', 'NUL', 'com1', 'LPT9', 'Index'])('is not a reserved name: %s', (title) => {
    expect(slugFor(title, free)).toBe(`${title.toLowerCase()}-2`);
  });

  it('has a number if the name is taken', () => {
    const taken = new Set(['moon', 'moon-2']);
    expect(slugFor('Moon', (slug) => taken.has(slug))).toBe('moon-3');
  });

  it('is cut after a word, also with a number', () => {
    const title = 'word '.repeat(40);
    expect(slugFor(title, free)).toBe(`${'word-'.repeat(15)}word`);
    const numbered = slugFor(title, (slug) => !slug.endsWith('-12'));
    expect(numbered).toBe(`${'word-'.repeat(14)}word-12`);
    expect(slugFor('x'.repeat(200), free)).toBe('x'.repeat(MAX_SLUG_LENGTH));
  });

  it('is safe for any title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), fc.nat(30), (title, count) => {
        let checks = 0;
        const slug = slugFor(title, () => checks++ < count);
        expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(MAX_SLUG_LENGTH);
        expect(layoutOf()(`article/${slug}.md`).role).toBe('entity');
      }),
    );
  });
});

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sidebar } from '../../docs/src/sidebar.ts';
import { anchorOf } from '../../scripts/docs-reference.ts';
import { DOC_PAGES, proseOf, ROOT, readPage } from './pages.ts';

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DOC_PAGES];
const LINK = /(?<!!)\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)\)/g;
const IMAGE = /!\[[^\]]*\]\(([^)\s]+)\)|<(?:img|source)[^>]* src(?:set)?="([^"\s]+)"/g;

const anchors = new Map<string, ReadonlySet<string>>();

/** The anchors that GitHub and the site give to headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchors.get(page);
  if (known !== undefined) return known;
  const uses = new Map<string, number>();
  const headings = [...proseOf(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const before = uses.get(anchor) ?? 0;
    uses.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  const found = new Set(headings);
  anchors.set(page, found);
  return found;
}

describe.each(PAGES)('%s', (page) => {
  it('links to files and headings that exist', () => {
    const links = [...withoutCode(page).matchAll(LINK)].map(([, url = '']) => url);
    const broken = links.filter((url) => {
      if (/^[a-z]+:/.test(url)) return false;
      const [file = '', anchor] = url.split('#');
      const target = path.posix.join(path.posix.dirname(page), decodeURI(file));
      if (file !== '' && (target.startsWith('..') || !existsSync(path.join(ROOT, target)))) return true;
      const linked = file === '' ? page : target;
      return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('shows images that exist', () => {
    const sources = [...withoutCode(page).matchAll(IMAGE)].map(
      ([, written, inHtml = '']) => written ?? inHtml,
    );
    const missing = sources.filter(
      (src) => !/^https?:/.test(src) && !existsSync(path.join(ROOT, path.dirname(page), src)),
    );
    expect(missing).toEqual([]);
  });

  it('starts with its title, once', () => {
    expect(readPage(page)).toMatch(/^# \S/);
    expect([...proseOf(page).matchAll(/^# /gm)]).toHaveLength(1);
  });
});

function withoutCode(page: string): string {
  return proseOf(page).replaceAll(/`[^`\n]*`/g, '');
}

it('the sidebar of the site has every page once, but no records of decisions', () => {
  const slugs = DOC_PAGES.filter((page) => !page.startsWith('docs/decisions/')).map((page) =>
    page.slice('docs/'.length, -'.md'.length).replace(/\/index$/, ''),
  );
  const listed = sidebar.flatMap(({ items }) =>
    items.flatMap((item) => {
      if (typeof item === 'string') return [item];
      if (!('autogenerate' in item)) return [];
      const { directory } = item.autogenerate;
      return slugs.filter((slug) => slug === directory || slug.startsWith(`${directory}/`));
    }),
  );
  expect(listed.toSorted()).toEqual(slugs.toSorted());
});

import { type Heading, pagePath } from '../body-editor/link-targets.ts';
import { searchFilter } from '../model/search.ts';
import { readList, readResource, titleOf } from './content.ts';
import { objectOf, type Resource } from './document.ts';
import { site } from './site.svelte.ts';

/** An entry with a page on the site. */
export interface FoundPage {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  /** Its path without the base of the site. */
  readonly alias: string;
}

const LIMIT = 8;

/**
 * The entries with a page whose title or address has the typed text, then those with the words in their texts. Throws
 * RequestError, or what `signal` throws.
 */
export async function findPages(typed: string, signal?: AbortSignal): Promise<readonly FoundPage[]> {
  const words = typed.trim();
  if (words === '') return [];
  const named = await read(
    {
      'filter[words][group][conjunction]': 'OR',
      ...contains('title', words),
      // People type the words of an address with spaces.
      ...contains('path.alias', words.replaceAll(/\s+/g, '-')),
    },
    signal,
  );
  if (named.length >= LIMIT || !site.schema.fulltext) return named;
  const found = await read(searchFilter(site.schema, words), signal);
  const all = [...named, ...found].map((page) => [`${page.type}/${page.id}`, page] as const);
  return [...new Map(all).values()].slice(0, LIMIT);
}

/** The published entry at a path without the base of the site. Throws RequestError. */
export async function pageAt(path: string): Promise<FoundPage | undefined> {
  const [page] = await read({
    'filter[address][condition][path]': 'path.alias',
    'filter[address][condition][value]': path,
    'filter[status]': '1',
  });
  return page;
}

function contains(path: string, text: string): Readonly<Record<string, string>> {
  const condition = `filter[${path === 'title' ? 'title' : 'address'}][condition]`;
  return {
    [`${condition}[path]`]: path,
    [`${condition}[operator]`]: 'CONTAINS',
    [`${condition}[value]`]: text,
    [`${condition}[memberOf]`]: 'words',
  };
}

async function read(
  filter: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly FoundPage[]> {
  const query = new URLSearchParams({
    ...filter,
    'filter[page][condition][path]': 'path.alias',
    'filter[page][condition][operator]': 'IS NOT NULL',
    'page[limit]': String(LIMIT),
  });
  for (const { name } of site.schema.types) query.set(`fields[${name}]`, 'title,path');
  const { items } = await readList(`/index/_all?${query}`, signal);
  return items.flatMap(pageOf);
}

function pageOf(item: Resource): readonly FoundPage[] {
  const alias = pagePath(item, '');
  return alias === undefined ? [] : [{ type: item.type, id: item.id, title: titleOf(item), alias }];
}

/** The headings of the text of a page, with the anchors that the site gives them. Throws RequestError. */
export async function readHeadings({ type, id }: FoundPage): Promise<readonly Heading[]> {
  const [entityType = '', bundle = ''] = type.split('--');
  const path = [entityType, bundle, ...id.split('/')].map(encodeURIComponent).join('/');
  const query = new URLSearchParams({ [`fields[${type}]`]: 'body' });
  const { attributes } = await readResource(`/${path}?${query}`);
  return headingsOf(String(objectOf(attributes.body).processed ?? ''));
}

/** The headings with an anchor in HTML, which is not shown and loads nothing. */
export function headingsOf(html: string): readonly Heading[] {
  const page = new DOMParser().parseFromString(html, 'text/html');
  return [...page.querySelectorAll('h1[id], h2[id], h3[id], h4[id], h5[id], h6[id]')].map((heading) => ({
    id: heading.id,
    title: heading.textContent?.trim() || heading.id,
    level: Number(heading.tagName.slice(1)),
  }));
}

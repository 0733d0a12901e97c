import { h } from './dom.ts';
import { linkHash } from './location-hash.ts';
import type { ExplorerSchema } from './schema.ts';

/** What a static site can answer: its listed queries and its collections, each a file. */
export function staticLists(
  schema: ExplorerSchema,
  apiPathOf: (url: string) => string | undefined,
): readonly HTMLElement[] {
  const link = (text: string, url: string): HTMLElement => {
    const path = apiPathOf(url);
    return h('a', { href: path === undefined ? url : linkHash(path), class: 'run' }, text);
  };
  const file = (url: string): HTMLElement =>
    h(
      'a',
      { class: 'file', href: url, target: '_blank', rel: 'noopener' },
      url.slice(url.lastIndexOf('/') + 1),
    );
  const queries = schema.staticQueries.map(({ name, query, url }) =>
    h('li', {}, link(name, url), file(url), h('code', { class: 'query' }, query)),
  );
  const collections = schema.types.map((type) => {
    const path = `/${type.entityType}/${type.bundle}.json`;
    const count = h('span', { class: 'muted' }, `${type.count} ${type.count === 1 ? 'entity' : 'entities'}`);
    return h('li', {}, h('a', { href: linkHash(path), class: 'run' }, type.name), count);
  });
  return [
    h(
      'section',
      { class: 'part' },
      h('h2', {}, 'A static site'),
      h(
        'p',
        {},
        'This site has no server. It carries every collection and resource, and the queries listed here, as files made when it was built. Any other query needs a server: add an adapter, or list it in option prebuild.',
      ),
    ),
    h(
      'section',
      { class: 'part', 'aria-label': 'Listed queries' },
      h('h2', {}, 'Listed queries'),
      queries.length === 0
        ? h('p', { class: 'empty' }, 'None: option prebuild lists them by name.')
        : h('ul', { class: 'files' }, ...queries),
    ),
    h(
      'section',
      { class: 'part', 'aria-label': 'Collections' },
      h('h2', {}, 'Collections'),
      h('ul', { class: 'files' }, ...collections),
    ),
  ];
}

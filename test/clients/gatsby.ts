import { describe, expect, it } from 'vitest';
import { type Asked, ask, type Origin } from './ask.ts';
import { ARTICLES, articleIds, STORIES } from './content.ts';

/** Links of the entry point that are not collections, according to gatsby-source-drupal. */
const PASSED_OVER = ['self', 'describedby', 'contact_message--feedback', 'contact_message--personal'];

interface Settings {
  /** Added to every URL without such a parameter, including the entry point. */
  readonly params?: Readonly<Record<string, string>>;
  /** A query by resource type, added to URLs of the entry point only. */
  readonly filters?: Readonly<Record<string, string>>;
}

interface Crawl {
  /** Ids by resource type in the order of their arrival, including `included` ones. */
  readonly idsByType: Readonly<Record<string, readonly string[]>>;
  readonly requested: readonly string[];
}

/**
 * Reads a whole site like gatsby-source-drupal: the entry point, all its links but a few, then all further pages in
 * parallel, according to `meta.count` and the `page[limit]` of `links.next`. Throws on every error but 405.
 */
async function crawl(origin: string, { params = {}, filters = {} }: Settings = {}): Promise<Crawl> {
  const requested: string[] = [];
  const idsByType: Record<string, readonly string[]> = {};

  async function get(address: string, query = ''): Promise<Asked | undefined> {
    const url = new URL(address);
    const additions = [...new URLSearchParams(query), ...Object.entries(params)];
    for (const [name, value] of additions) if (!url.searchParams.has(name)) url.searchParams.set(name, value);
    requested.push(url.href.slice(origin.length));
    const answer = await ask(url.href, { headers: { Accept: 'application/json' } });
    if (answer.status === 405) return undefined;
    if (answer.status !== 200) throw new Error(`${url.href} answers ${answer.status}.`);
    return answer;
  }

  async function read(type: string, address: string): Promise<void> {
    const first = await get(address, filters[type]);
    if (first === undefined) return;
    const next = first.body.links.next?.href;
    const further: (Asked | undefined)[] = [];
    if (next !== undefined) {
      const size = Number(new URL(next).searchParams.get('page[limit]'));
      const offsets = Array.from(
        { length: Math.floor(Number(first.count) / size) },
        (_, at) => (at + 1) * size,
      );
      const pages = offsets.map((offset) => {
        const url = new URL(next);
        url.searchParams.set('page[offset]', String(offset));
        return get(url.href);
      });
      further.push(...(await Promise.all(pages)));
    }
    idsByType[type] = [first, ...further].flatMap((page) => [
      ...(page?.ids ?? []),
      ...(page?.included ?? []),
    ]);
  }

  const entry = await get(`${origin}/jsonapi`);
  const links: readonly [string, { href: string }][] = Object.entries(entry?.body.links ?? {});
  await Promise.all(
    links.filter(([type]) => !PASSED_OVER.includes(type)).map(([type, { href }]) => read(type, href)),
  );
  return { idsByType: idsByType, requested: requested };
}

export function testGatsby(origin: Origin): void {
  describe('gatsby-source-drupal', () => {
    const everything = {
      'node--article': articleIds(() => true),
      'node--person': ['ada', 'bob', 'cy'],
      'node--tag': ['sea', 'sky'],
      'node--story': STORIES,
      'menu_link_content--main': ['blog', 'first'],
    };

    it('finds all content, and nothing that is not a collection', async () => {
      expect((await crawl(origin())).idsByType).toEqual(everything);
    });

    // With pages of 8, the fourth is empty, because 24 is three pages.
    it.each([1, 5, 8, 23, 24])('finds all content with parallel pages of %i', async (limit) => {
      const { idsByType: found, requested: asked } = await crawl(origin(), {
        params: { 'page[limit]': String(limit) },
      });
      expect(found).toEqual(everything);
      const pages = asked.filter((path) => path.startsWith('/jsonapi/node/article'));
      expect(pages).toHaveLength(limit === ARTICLES ? 1 : 1 + Math.floor(ARTICLES / limit));
    });

    it('finds included entities with configured filters', async () => {
      const filters = { 'node--article': 'include=field_tags&filter[field_tags.id]=sky&page[limit]=2' };
      const { idsByType: found } = await crawl(origin(), { filters });
      expect([...(found['node--article'] ?? [])].sort()).toEqual([
        'a05',
        'a10',
        'a15',
        'a20',
        'sea',
        'sea',
        'sky',
        'sky',
      ]);
    });
  });
}

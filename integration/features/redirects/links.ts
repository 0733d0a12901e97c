import { isPublishedAt } from '../../core/access/schedule.ts';
import { addressOf, aliasOf } from '../../core/content/decode/alias.ts';
import { bodyText, type Entity } from '../../core/content/model.ts';
import type { Reader } from '../../core/read/reader.ts';
import { scanBody } from '../../core/source/body-images.ts';
import { type Diagnostic, positionIn } from '../../core/source/diagnostic.ts';
import { fileOfKey } from '../../core/storage/key.ts';
import { readBytes } from '../../core/storage/stored-bytes.ts';
import { decodeUri } from '../../core/util/text.ts';
import { addressesOf } from './follow-changes.ts';
import type { RedirectFile } from './redirect-file.ts';

type Content = Pick<Reader, 'store' | 'settings'>;

/** A link of a body to a path of the site, or to an anchor of its own text. */
interface BodyLink {
  readonly address: string;
  /** In the body, in UTF-16 units. */
  readonly offset: number;
}

/** Entities whose bodies a server reads at its start for these problems. `check` reads those of larger sites. */
export const MOST_CHECKED = 5_000;

/**
 * Links that surely lead to nothing: to an entry that visitors do not see, to an entity that does not exist, or to a heading
 * that a text does not have. A path that no entry has can be a page of the site, and is not reported. With `file`, also links
 * to old addresses.
 */
export function createLinkProblems(): (content: Content, file?: RedirectFile) => readonly Diagnostic[] {
  const linksOf = memoized(linksIn);
  const anchorsOf = memoized(anchorsIn);
  return (content, file) => {
    const { store, settings } = content;
    const now = Date.now();
    const all = [...store.types.keys()].flatMap((type) => store.entities(type));
    const linking = all.filter((entity) => isPublishedAt(entity, now) && linksOf(entity).length > 0);
    if (linking.length === 0) return [];
    const holders = new Map<string, Entity[]>();
    for (const entity of all) {
      for (const address of aliasOf(entity) === null ? [] : addressesOf(entity, store, settings)) {
        holders.set(address, [...(holders.get(address) ?? []), entity]);
      }
    }
    return linking.flatMap((entity) =>
      linksOf(entity).flatMap(({ address, offset }): readonly Diagnostic[] => {
        const fault = faultOf(entity, address);
        return fault === undefined ? [] : [problemOf(entity, offset, ...fault)];
      }),
    );

    function faultOf(entity: Entity, address: string): Fault | undefined {
      const [whole = '', hash] = address.split('#', 2);
      const anchor = hash === undefined || hash === 'top' ? '' : decodeUri(hash);
      if (whole === '') return missingAnchor(entity, anchor, address);
      const [path = ''] = whole.split('?', 1);
      const { base } = settings;
      const below = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
      const target = addressOf(decodeUri(below));
      const held = holders.get(target) ?? [];
      const page = held.find((each) => isPublishedAt(each, now));
      if (page !== undefined) return missingAnchor(page, anchor, address);
      if (file?.redirects.has(target)) {
        return ['moved', `The link to \`${address}\` is redirected.`, 'Use the new address.'];
      }
      if (held.length > 0) {
        return [
          'hidden',
          `\`${address}\` is an entry that visitors do not see.`,
          'Publish it, or remove the link.',
        ];
      }
      const [, entityType, bundle, ...id] = target.split('/');
      const type = store.types.get(`${entityType}--${bundle}`);
      const isMissing =
        type !== undefined && id.length > 0 && store.get(type.name, id.join('/')) === undefined;
      return isMissing ? ['missing', `There is no entry at \`${address}\`.`, 'Correct the link.'] : undefined;
    }

    function missingAnchor(page: Entity, anchor: string, address: string): Fault | undefined {
      // Components of MDX and layouts have anchors of their own.
      if (anchor === '' || page.body?.format !== 'markdown' || anchorsOf(page).has(anchor)) return undefined;
      return ['anchor', `No heading belongs to \`${address}\`.`, 'Correct what follows `#`.'];
    }
  };
}

export function countEntities(store: Content['store']): number {
  return [...store.types.keys()].reduce((count, type) => count + store.entities(type).length, 0);
}

type Fault = readonly [kind: 'moved' | 'hidden' | 'missing' | 'anchor', message: string, hint: string];

function problemOf(
  { key, body }: Entity,
  offset: number,
  kind: Fault[0],
  message: string,
  hint: string,
): Diagnostic {
  const before = body === null ? '' : decoder.decode(readBytes(body.file, 0, body.start));
  const position = positionIn(before + (body === null ? '' : bodyText(body)), before.length + offset);
  // A redirected link works.
  const severity = kind === 'moved' ? 'info' : 'warning';
  return { severity, code: `link/${kind}`, key: fileOfKey(key), ...position, message, hint };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function linksIn({ body }: Entity): readonly BodyLink[] {
  const text = body === null ? '' : bodyText(body);
  if (!/\]\(<?[/#]|\]:[ \t]*<?[/#]/.test(text)) return [];
  return scanBody(text).links.flatMap(({ src, offset, certain }) =>
    certain && /^(?:\/(?!\/)|#)/.test(src) ? [{ address: src, offset }] : [],
  );
}

/** The anchors of headings as GitHub writes them, which Astro uses, and of HTML. Lines in code may add some. */
function anchorsIn({ body }: Entity): ReadonlySet<string> {
  const text = body === null ? '' : bodyText(body);
  const anchors = new Set<string>();
  const used = new Map<string, number>();
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, atx] = /^ {0,3}#{1,6}[ \t](.*)$/.exec(line) ?? [];
    const title = atx ?? (/^ {0,3}(?:=+|-+)[ \t]*$/.test(line) ? lines[at - 1] : undefined);
    if (title !== undefined) anchors.add(anchorOf(title, used));
    for (const [, id = ''] of line.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  }
  return anchors;
}

function anchorOf(title: string, used: Map<string, number>): string {
  const plain = title.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1').trim();
  const slug = withoutClosing(plain).toLowerCase().replace(NOT_IN_ANCHORS, '').replaceAll(' ', '-');
  let count = used.get(slug) ?? -1;
  let id = slug;
  do {
    count += 1;
    id = count === 0 ? slug : `${slug}-${count}`;
  } while (count > 0 && used.has(id));
  used.set(slug, count);
  if (id !== slug) used.set(id, 0);
  return id;
}

const NOT_IN_ANCHORS = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** A heading without the `#` that may end it. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  return title.slice(0, end).trimEnd();
}

/** Computes a value once for each entity. A change makes another entity. */
function memoized<T>(compute: (entity: Entity) => T): (entity: Entity) => T {
  const values = new WeakMap<Entity, { readonly value: T }>();
  return (entity) => {
    const known = values.get(entity) ?? { value: compute(entity) };
    values.set(entity, known);
    return known.value;
  };
}

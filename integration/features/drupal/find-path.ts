import type { Access } from '../../core/access/access.ts';
import { addressOf, aliasOf, compareHolders } from '../../core/content/decode/alias.ts';
import { type Entity, languageOf } from '../../core/content/model.ts';
import { findEntity, findType } from '../../core/read/find.ts';
import type { Reader } from '../../core/read/reader.ts';
import { NotFoundError } from '../../core/util/errors.ts';
import { decodeUri } from '../../core/util/text.ts';

/**
 * The entity at a path of the site: `/<entity type>/<bundle>/<id>`, or its alias. The path may include the site's base, a
 * trailing slash, a query, and percent-encoded characters. Undefined if no entity is there that the actor may see.
 */
export async function findByPath(
  services: Reader,
  access: Access,
  path: string,
): Promise<Entity | undefined> {
  const spellings = spellingsOf(path, services.settings.base);
  return (
    (await findCanonical(services, access, spellings)) ?? (await findByAlias(services, access, spellings))
  );
}

async function findByAlias(
  { store, engine }: Reader,
  access: Access,
  spellings: readonly string[],
): Promise<Entity | undefined> {
  let best: Entity | undefined;
  let rank = spellings.length;
  const addresses = spellings.map(addressOf);
  for (const type of store.types.values()) {
    const aliased = type.fields.get('path')?.properties.alias !== undefined;
    if (!aliased || !access.fieldVisible(type, 'path')) continue;
    const { entities } = await engine.run(type, aliasQuery(spellings), access);
    for (const entity of entities) {
      // Comparing strings ignores case; paths are exact.
      const own = addresses.indexOf(addressOf(aliasOf(entity) ?? ''));
      if (own === -1) continue;
      if (own < rank || (own === rank && best !== undefined && precedes(entity, best, access))) {
        best = entity;
        rank = own;
      }
    }
  }
  return best;
}

/** True if an alias leads to the first entity rather than the second: to one in the requested language, then the earliest. */
function precedes(first: Entity, second: Entity, { languages = [] }: Access): boolean {
  const [isFirst, isSecond] = [first, second].map((entity) => languageOf(entity) === languages[0]);
  return isFirst === isSecond ? compareHolders(first, second) < 0 : isFirst === true;
}

function aliasQuery(spellings: readonly string[]) {
  const condition = { kind: 'condition', path: 'path.alias', operator: 'IN', value: spellings } as const;
  return {
    filter: { kind: 'group', conjunction: 'AND', members: [condition] },
    sort: [],
    page: { offset: 0, limit: Number.POSITIVE_INFINITY },
  } as const;
}

async function findCanonical(
  services: Reader,
  access: Access,
  spellings: readonly string[],
): Promise<Entity | undefined> {
  for (const spelling of spellings) {
    const [entityType, bundle, ...id] = spelling.split('/').filter((segment) => segment !== '');
    if (entityType === undefined || bundle === undefined || id.length === 0) continue;
    try {
      return await findEntity(services, access, findType(services.store, entityType, bundle), id);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  return undefined;
}

/** The aliases that a path can mean, the most literal first. */
function spellingsOf(path: string, base: string): readonly string[] {
  const [target = ''] = path.trim().split(/[?#]/, 1);
  const literal = `/${target.replace(/^\/+/, '')}`;
  const paths = [literal, decodeUri(literal)].flatMap((text) => {
    const isBelow = base !== '' && (text === base || text.startsWith(`${base}/`));
    return isBelow ? [text, `/${text.slice(base.length + 1)}`] : [text];
  });
  return [...new Set(paths.flatMap((text) => [text, addressOf(text), `${addressOf(text)}/`]))];
}

import type { Access } from '../access/access.ts';
import { addressOf, aliasOf, compareHolders } from '../content/decode/alias.ts';
import { type Entity, languageOf } from '../content/model.ts';
import { NotFoundError } from '../util/errors.ts';
import { decodeUri } from '../util/text.ts';
import { findEntity, findType } from './find.ts';
import { prefixedSettings, splitLanguage } from './language-paths.ts';
import type { PathContext, Reader } from './reader.ts';
import { visibleEntity } from './sparse-fields.ts';

/** The content at a path of the site, as an actor sees it in the language of the path; undefined if the actor sees none there. */
export async function findPage({ services, access, actor }: PathContext, path: string) {
  const { langcode, path: plain } = splitLanguage(services.settings, path);
  const context =
    langcode === undefined
      ? { services, access }
      : {
          services: { ...services, settings: prefixedSettings(services.settings, langcode) },
          access: services.access(actor, { langcode, fallback: true }),
        };
  const found = await findByPath(context.services, context.access, plain);
  const entity = found && visibleEntity(found, services.store, context.access);
  return entity && { ...context, entity };
}

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
  // The most literal spelling first, then the requested language, then the earliest.
  const candidates: { readonly entity: Entity; readonly order: number }[] = [];
  const [language] = access.languages ?? [];
  const addresses = spellings.map(addressOf);
  for (const type of store.types.values()) {
    const aliased = type.fields.get('path')?.properties.alias !== undefined;
    if (!aliased || !access.fieldVisible(type, 'path')) continue;
    const { entities } = await engine.run(type, aliasQuery(spellings), access);
    for (const entity of entities) {
      // Comparing strings ignores case; paths are exact.
      const rank = addresses.indexOf(addressOf(aliasOf(entity) ?? ''));
      const isForeign = languageOf(entity) !== language;
      if (rank !== -1) candidates.push({ entity, order: 2 * rank + Number(isForeign) });
    }
  }
  candidates.sort((a, b) => a.order - b.order || compareHolders(a.entity, b.entity));
  return candidates[0]?.entity;
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
    const [entityType = '', bundle = '', ...id] = spelling.split('/').filter((segment) => segment !== '');
    if (id.length === 0) continue;
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
    const isBelow = text === base || text.startsWith(`${base}/`);
    return isBelow ? [text, `/${text.slice(base.length + 1)}`] : [text];
  });
  return [...new Set(paths.flatMap((text) => [text, addressOf(text), `${addressOf(text)}/`]))];
}

import { type Entity, languageOf, type Reference, type ResourceType } from '../../content/model.ts';
import { isOwner } from '../../content/owner.ts';
import { idSpellings } from '../../content/resource-type.ts';
import { BadParameterError } from '../../util/errors.ts';
import { LruMap } from '../../util/lru-map.ts';
import { compareText, shortened } from '../../util/text.ts';
import { type FilterNode, type Group, SEARCH_PATH, type Search } from '../ast.ts';
import type { EngineQuery, QueryAccess, QueryEngine } from '../engine.ts';
import type { EntityStore } from '../store/entity-store.ts';
import { K1, rarityOf } from './score.ts';
import { searchableFields } from './searchable.ts';
import { searchableText } from './searchable-text.ts';
import { isSpaced, type SiteTerms, searchedWords, splitWords } from './words.ts';

/** What finding related entities needs, besides an engine. */
export interface RelatedSource {
  readonly store: Pick<EntityStore, 'types' | 'version'>;
  /** Null if full-text search is off. */
  readonly searchTerms: (() => Promise<SiteTerms>) | null;
  /** Loads the bodies of entities, in a store that loads bodies when they are needed. */
  loadBodies?(entities: readonly Entity[]): Promise<void>;
}

interface RelatedContext extends RelatedSource {
  readonly engine: QueryEngine;
  readonly access: QueryAccess;
  readonly types: readonly ResourceType[];
}

/**
 * The query with searches in place of the operator RELATED_TO. They follow from what the actor may see: the entity, and how
 * many entities have a word. Throws BadParameterError for an entity that does not exist or is hidden.
 */
export async function expandQuery(
  types: readonly ResourceType[],
  query: EngineQuery,
  access: QueryAccess,
  engine: QueryEngine,
  source: RelatedSource,
): Promise<EngineQuery> {
  return { ...query, filter: await expandRelated(query.filter, { ...source, engine, access, types }) };
}

async function expandRelated({ members, ...group }: Group, context: RelatedContext): Promise<Group> {
  const expanded = members.map((node) => {
    if (node.kind === 'group') return expandRelated(node, context);
    return node.kind === 'search' && node.isRelated ? relatedFilter(node, context) : node;
  });
  return { ...group, members: await Promise.all(expanded) };
}

async function relatedFilter(
  { text: id, parameter = `filter[${SEARCH_PATH}]`, type: known }: Search,
  context: RelatedContext,
): Promise<FilterNode> {
  const { engine, access, types, searchTerms } = context;
  const bad = (detail: string) => new BadParameterError(parameter, detail);
  const [type, other] = types;
  if (searchTerms === null) throw bad('Full-text search is off on this site: option search is false.');
  if (type === undefined || other !== undefined) {
    throw bad('RELATED_TO applies to lists of one resource type, that of the entity.');
  }
  if (known !== undefined && known !== type.bundle && known !== type.name) {
    throw bad(`The entity is of the bundle '${known}', and the list has ${type.name}.`);
  }
  let entity: Entity | undefined;
  for (const spelling of idSpellings(id)) entity ??= await engine.find(type.name, spelling, access);
  if (entity === undefined) {
    const start = shortened(id, 80);
    throw bad(`There is no resource '${start}' of type ${type.name}, or you may not see it.`);
  }
  await context.loadBodies?.([entity]);
  const text = (await tellingWords(entity, type, await searchTerms(), context)).join(' ');
  const members: FilterNode[] = await sharedValues(entity, type, context);
  if (text !== '') members.push({ kind: 'search', text, isAny: true, parameter });
  if (members.length === 0) return { kind: 'condition', path: 'id', operator: 'IN', value: [] };
  const others = { kind: 'condition', path: 'id', operator: '<>', value: entity.id } as const;
  const some = { kind: 'group', conjunction: 'OR', isRanked: true, members } as const;
  return { kind: 'group', conjunction: 'AND', members: [others, some] };
}

/** The words that say most about an entity, one for each stem: frequent in its text, or in its title, and rare in others. */
async function tellingWords(
  entity: Entity,
  type: ResourceType,
  terms: SiteTerms,
  { engine, access, store }: RelatedContext,
): Promise<readonly string[]> {
  const weights = new Map<string, WeighedWord>();
  for (const field of searchableFields(type)) {
    if (!access.fieldVisible(type, field.name)) continue;
    const isLong = field.definition.kind === 'formatted_text';
    const words = searchedWords(splitWords(searchableText(entity, field)));
    const long = words.filter((word) => !isLong || word.length >= MIN_LETTERS || !isSpaced(word));
    for (const [term, forms] of Map.groupBy(long, terms.of(languageOf(entity)).termOf)) {
      const { word, weight } = weights.get(term) ?? { word: forms[0]!, weight: 0 };
      weights.set(term, { word, weight: weight + (field.boost * forms.length) / (forms.length + K1) });
    }
  }
  const counts = countsOf.get(access) ?? new LruMap<string, WordCount>(MAX_COUNTS);
  countsOf.set(access, counts);
  const state = [engine, store.version, access.visibility(type)];
  const countOf = async (word: string): Promise<number> => {
    const key = `${type.name} ${word}`;
    const known = counts.get(key);
    if (known?.state.every((each, at) => each === state[at])) return known.count;
    const members = word === '' ? [] : [{ kind: 'search', text: word } as const];
    const filter = { kind: 'group', conjunction: 'AND', members } as const;
    const { count } = await engine.run(type, { filter, ...NO_ENTITIES }, access);
    counts.set(key, { state, count });
    return count;
  };
  const visible = await countOf('');
  const candidates = [...weights.values()].sort(byWeight).slice(0, MAX_CANDIDATES);
  const rated = candidates.map(async ({ word, weight }) => {
    const count = await countOf(word);
    const isTelling = count > 1 && count <= Math.max(MOST_SHARED, visible / 10);
    return { word, weight: isTelling ? weight * rarityOf(count, visible) : 0 };
  });
  const telling = (await Promise.all(rated)).filter(({ weight }) => weight > 0).sort(byWeight);
  return telling.slice(0, MAX_WORDS).map(({ word }) => word);
}

type WeighedWord = { readonly word: string; readonly weight: number };

function byWeight(one: WeighedWord, other: WeighedWord): number {
  return other.weight - one.weight || compareText(one.word, other.word);
}

/** The number of entities with a word, by type and word. Actors with the same permissions share an access object. */
const countsOf = new WeakMap<QueryAccess, LruMap<string, WordCount>>();
type WordCount = { readonly state: readonly unknown[]; readonly count: number };

/** Conditions on what others can have in common: values of lists of texts, such as tags, and references, also to each other. */
async function sharedValues(
  entity: Entity,
  type: ResourceType,
  { engine, access, store }: RelatedContext,
): Promise<FilterNode[]> {
  const found: { readonly path: string; readonly value: string; readonly target?: string }[] = [];
  for (const field of type.fields.values()) {
    const { name, kind, list, targets } = field;
    if (!access.fieldVisible(type, name) || isOwner(field)) continue;
    if (kind === 'reference' && targets.includes(type.name))
      found.push({ path: `${name}.id`, value: entity.id });
    const values = [entity.values[name] ?? []].flat();
    if (kind === 'string' && list)
      found.push(...values.map((value) => ({ path: name, value: String(value) })));
    if (kind !== 'reference') continue;
    for (const { type: target, id: value } of values as Reference[]) {
      if (store.types.has(target)) found.push({ path: `${name}.id`, value, target });
      if (target === type.name) found.push({ path: 'id', value, target });
    }
  }
  // Hidden targets match nothing, and must not take the place of others.
  const isVisible = ({ target, value }: (typeof found)[number]) =>
    found.length <= MAX_SHARED || target === undefined || engine.find(target, value, access);
  const visible = await Promise.all(found.map(isVisible));
  const shared = found.filter((_, at) => visible[at]).slice(0, MAX_SHARED);
  return shared.map(({ path, value }) => ({ kind: 'condition', path, operator: '=', value }));
}

/** Words of which the number of entities is counted, and those of them that are searched. */
const MAX_CANDIDATES = 40;
const MAX_WORDS = 12;
/** Letters of a word of a body. */
const MIN_LETTERS = 4;
/** A word that more entities have says little, if they are a tenth of all. */
const MOST_SHARED = 10;
/** Values and references. */
const MAX_SHARED = 30;
const MAX_COUNTS = 20_000;
/** In an order, so that no engine computes the relevance. */
const NO_ENTITIES = { sort: [{ path: 'id', direction: 'ASC' }], page: { offset: 0, limit: 0 } } as const;

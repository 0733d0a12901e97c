import { type Entity, languageOf } from '../../integration/core/content/model.ts';
import type { Condition, FilterNode, Scalar, SortKey } from '../../integration/core/engine/ast.ts';
import type { EngineQuery, QueryAccess, QueryResult } from '../../integration/core/engine/engine.ts';
import { countFacet, facetFilter } from './facets.ts';
import {
  comparable,
  type Dataset,
  entitiesOf,
  type Hop,
  hopsOf,
  type Item,
  itemsAt,
  storedAt,
  typeNamed,
  type ValueItem,
  type Visible,
} from './items.ts';
import { compareCodeUnits, compareValues, foldedText } from './order.ts';

/**
 * The query language by brute force: it tests every entity, tries every assignment of items and sorts
 * complete lists. It is slow and meant to be obviously correct; the engine must return the same results.
 */
export function evaluate(
  dataset: Dataset,
  types: string | readonly string[],
  query: EngineQuery,
  access: Pick<QueryAccess, 'visibility' | 'languages' | 'strict'>,
): QueryResult {
  return evaluateSeen(dataset, types, query, visibility(dataset, access), access);
}

/** The same for an actor who sees the entities and translations that pass `seen`. */
export function evaluateSeen(
  dataset: Dataset,
  types: string | readonly string[],
  query: EngineQuery,
  seen: Visible,
  { languages = [], strict = false }: Pick<QueryAccess, 'languages' | 'strict'> = {},
): QueryResult {
  const visible = inLanguages(dataset, seen, languages);
  const [first] = strict ? languages : [];
  const isRequested: Visible = (entity) => first === undefined || languageOf(entity) === first;
  const requested = [types]
    .flat()
    .flatMap((type) => entitiesOf(dataset, type))
    .filter((entity) => visible(entity) && isRequested(entity));
  const matching = (filter: FilterNode) =>
    requested.filter((entity) => matches(dataset, filter, entity, visible));
  const found = matching(query.filter).sort(
    (a, b) =>
      compareBySort(dataset, query.sort, a, b, visible) ||
      compareCodeUnits(a.id, b.id) ||
      compareCodeUnits(a.type, b.type),
  );
  const { offset, limit } = query.page;
  const page = { entities: found.slice(offset, offset + limit), count: found.length };
  const facets = query.facets?.map((facet) =>
    countFacet(dataset, facet, matching(facetFilter(query.filter, facet)), visible),
  );
  return facets === undefined || facets.length === 0 ? page : { ...page, facets };
}

/** Of each entity only the first of the languages, else its source. */
function inLanguages(dataset: Dataset, seen: Visible, languages: readonly string[]): Visible {
  const served = new Set<Entity>();
  for (const rows of Map.groupBy(dataset.entities.filter(seen), ({ type, id }) => `${type} ${id}`).values()) {
    const [translation] = languages.flatMap((language) => rows.filter((row) => languageOf(row) === language));
    const row = translation ?? rows.find((each) => each.translation === undefined);
    if (row !== undefined) served.add(row);
  }
  return (entity) => served.has(entity);
}

/** The visibility filter of a type itself applies to all content. Its references lead to sources. */
function visibility(dataset: Dataset, access: Pick<QueryAccess, 'visibility'>): Visible {
  return (entity) => {
    const filter = access.visibility(typeNamed(dataset, entity.type));
    return filter === null || matches(dataset, filter, entity, isSource);
  };
}

export const isSource: Visible = ({ translation }) => translation === undefined;

/** True if an entity matches a filter for an actor who sees the entities that pass `visible`. */
export function matches(dataset: Dataset, node: FilterNode, entity: Entity, visible: Visible): boolean {
  if (node.kind === 'condition') return holdTogether(dataset, [node], entity, visible);
  if (node.kind === 'search') throw new Error('Searches have a test of their own.');
  const conditions = node.members.filter((member) => member.kind === 'condition');
  const groups = node.members.filter((member) => member.kind === 'group');
  if (node.conjunction === 'OR') {
    return node.members.some((member) => matches(dataset, member, entity, visible));
  }
  return (
    holdTogether(dataset, conditions, entity, visible) &&
    groups.every((group) => matches(dataset, group, entity, visible))
  );
}

/** True if one choice of an item for every prefix of the paths satisfies all conditions. */
function holdTogether(
  dataset: Dataset,
  conditions: readonly Condition[],
  entity: Entity,
  visible: Visible,
): boolean {
  const prefixes = new Map<string, Hop>();
  for (const condition of conditions) for (const hop of hopsOf(condition.path)) prefixes.set(hop.prefix, hop);
  const hops = [...prefixes.values()].sort((a, b) => hopsOf(a.prefix).length - hopsOf(b.prefix).length);
  const base: Item = { kind: 'entity', entity };

  const choose = (index: number, chosen: ReadonlyMap<string, Item>): boolean => {
    const hop = hops[index];
    if (!hop) return conditions.every((condition) => holds(dataset, condition, chosen, base));
    return itemsAt(dataset, itemBefore(hop, chosen, base), hop, visible).some((item) =>
      choose(index + 1, new Map([...chosen, [hop.prefix, item]])),
    );
  };
  return choose(0, new Map());
}

/** The item chosen for the part of the path before a hop. */
function itemBefore(hop: Hop, chosen: ReadonlyMap<string, Item>, base: Item): Item {
  const before = hopsOf(hop.prefix).at(-2);
  return before ? (chosen.get(before.prefix) ?? null) : base;
}

function holds(
  dataset: Dataset,
  condition: Condition,
  chosen: ReadonlyMap<string, Item>,
  base: Item,
): boolean {
  const { operator } = condition;
  const hop = hopsOf(condition.path).at(-1);
  if (!hop) throw new Error('A condition needs a path.');
  if (operator === 'IS NULL' || operator === 'IS NOT NULL') {
    // Null means that nothing is stored. A reference is stored even if its target is hidden.
    const stored = storedAt(dataset, itemBefore(hop, chosen, base), hop);
    return (stored.length === 0) === (operator === 'IS NULL');
  }
  return comparable(chosen.get(hop.prefix) ?? null).some((item) => compares(dataset, condition, item));
}

function compares(dataset: Dataset, condition: Condition, item: ValueItem): boolean {
  const stored = item.value as Scalar;
  const { operator, value } = condition;
  const list: readonly Scalar[] = value === null ? [] : typeof value === 'object' ? value : [value];
  const nth = (index: number): Scalar => {
    const asked = list[index];
    if (asked === undefined) throw new Error(`${operator} needs ${index + 1} values.`);
    return asked;
  };
  const order = (asked: Scalar) =>
    compareValues(stored, asked, item.definition?.kind ?? 'id', item.field, dataset.locale);
  const within = () => order(nth(0)) >= 0 && order(nth(1)) <= 0;
  switch (operator) {
    case '=':
      return order(nth(0)) === 0;
    case '<>':
      return order(nth(0)) !== 0;
    case '>':
      return order(nth(0)) > 0;
    case '>=':
      return order(nth(0)) >= 0;
    case '<':
      return order(nth(0)) < 0;
    case '<=':
      return order(nth(0)) <= 0;
    case 'IN':
      return list.some((asked) => order(asked) === 0);
    case 'NOT IN':
      return list.every((asked) => order(asked) !== 0);
    case 'BETWEEN':
      return within();
    case 'NOT BETWEEN':
      return !within();
    case 'STARTS_WITH':
      return foldedText(stored).startsWith(foldedText(nth(0)));
    case 'CONTAINS':
      return foldedText(stored).includes(foldedText(nth(0)));
    case 'ENDS_WITH':
      return foldedText(stored).endsWith(foldedText(nth(0)));
    case 'IS NULL':
    case 'IS NOT NULL':
      throw new Error('Answered by the caller.');
    default:
      return operator satisfies never;
  }
}

function compareBySort(
  dataset: Dataset,
  sort: readonly SortKey[],
  a: Entity,
  b: Entity,
  visible: Visible,
): number {
  for (const { path, direction } of sort) {
    const left = sortValue(dataset, path, direction, a, visible);
    const right = sortValue(dataset, path, direction, b, visible);
    const ascending =
      left === null || right === null
        ? Number(left !== null) - Number(right !== null)
        : compareItems(dataset, left, right);
    if (ascending !== 0) return direction === 'ASC' ? ascending : -ascending;
  }
  return 0;
}

/** The smallest value along the path for ASC, the largest for DESC; null without a value. */
function sortValue(
  dataset: Dataset,
  path: string,
  direction: SortKey['direction'],
  entity: Entity,
  visible: Visible,
): ValueItem | null {
  let items: readonly Item[] = [{ kind: 'entity', entity }];
  for (const hop of hopsOf(path)) items = items.flatMap((item) => itemsAt(dataset, item, hop, visible));
  const values = items.flatMap(comparable);
  values.sort((a, b) => compareItems(dataset, a, b));
  return (direction === 'ASC' ? values[0] : values.at(-1)) ?? null;
}

function compareItems(dataset: Dataset, a: ValueItem, b: ValueItem): number {
  return compareValues(
    a.value as Scalar,
    b.value as Scalar,
    a.definition?.kind ?? 'id',
    a.field,
    dataset.locale,
  );
}

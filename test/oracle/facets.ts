import type { Entity, Reference } from '../../integration/core/content/model.ts';
import type { Facet, Group, Scalar } from '../../integration/core/engine/ast.ts';
import type { FacetResult, FacetTerm } from '../../integration/core/engine/engine.ts';
import {
  comparable,
  type Dataset,
  hopsOf,
  type Item,
  itemsAt,
  storedAt,
  type ValueItem,
  type Visible,
} from './items.ts';
import { compareCodeUnits, compareValues } from './order.ts';

/** One value of one entity, with its comparison, its spelling and its facet term. */
interface Occurrence {
  readonly term: (count: number) => FacetTerm;
  /** Below 0, 0 (equal), above 0. */
  compare(other: Occurrence): number;
  /** Orders equal values that are spelled differently. */
  readonly spelling: Scalar;
  readonly item: ValueItem | null;
}

/** The counts of one facet by brute force: it lists the values of every matching entity and compares each with each. */
export function countFacet(
  dataset: Dataset,
  facet: Facet,
  matching: readonly Entity[],
  visible: Visible,
): FacetResult {
  const groups: Occurrence[][] = [];
  let missing = 0;
  for (const entity of matching) {
    const own: Occurrence[] = [];
    for (const occurrence of occurrences(dataset, facet, entity, visible)) {
      if (own.some((other) => occurrence.compare(other) === 0)) continue;
      own.push(occurrence);
      const group = groups.find(([first]) => first && occurrence.compare(first) === 0);
      if (group) group.push(occurrence);
      else groups.push([occurrence]);
    }
    if (own.length === 0) missing++;
  }
  const frequent = groups.filter((group) => group.length >= facet.min);
  frequent.sort((a, b) => {
    const byCount = facet.sort === 'count' ? b.length - a.length : 0;
    return byCount || a[0]!.compare(b[0]!);
  });
  const terms = frequent.slice(0, facet.limit).map((group) => commonSpelling(group).term(group.length));
  return { terms, total: frequent.length, missing };
}

/** The filter that a facet counts. */
export function facetFilter(filter: Group, { operator, path }: Facet): Group {
  if (operator === 'and') return filter;
  const withoutId = (text: string) => text.replace(/\.id$/, '');
  const members = filter.members.filter(
    (node) => node.kind !== 'condition' || withoutId(node.path) !== withoutId(path),
  );
  return { ...filter, members };
}

function commonSpelling(group: readonly Occurrence[]): Occurrence {
  const bySpelling = [...Map.groupBy(group, ({ spelling }) => spelling)];
  bySpelling.sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1));
  return bySpelling[0]![1][0]!;
}

function occurrences(
  dataset: Dataset,
  facet: Facet,
  entity: Entity,
  visible: Visible,
): readonly Occurrence[] {
  const hops = hopsOf(facet.path);
  let items: readonly Item[] = [{ kind: 'entity', entity }];
  for (const hop of hops.slice(0, -1)) items = items.flatMap((item) => itemsAt(dataset, item, hop, visible));
  const last = hops.at(-1)!;
  return items
    .flatMap((item) => storedAt(dataset, item, last))
    .flatMap((stored) => {
      if (stored.definition?.kind !== 'reference') {
        return comparable(stored).map((item) => valueOccurrence(dataset, facet, item));
      }
      const { type, id } = stored.value as Reference;
      const isSeen = dataset.entities.some((each) => each.type === type && each.id === id && visible(each));
      return isSeen ? [targetOccurrence({ type, id })] : [];
    });
}

function targetOccurrence({ type, id }: Reference): Occurrence {
  const spelling = `${type} ${id}`;
  return {
    term: (count) => ({ value: id, type, count }),
    compare: (other) => compareCodeUnits(spelling, String(other.spelling)),
    spelling,
    item: null,
  };
}

function valueOccurrence(dataset: Dataset, { interval, ranges }: Facet, item: ValueItem): Occurrence {
  const value = item.value as Scalar;
  const kind = item.definition?.kind ?? 'id';
  const order = (a: Scalar, b: Scalar) => compareValues(a, b, kind, item.field, dataset.locale);
  if (interval !== undefined) {
    const text = dateIn(interval, value);
    return {
      term: (count) => ({ value: text, count }),
      compare: (other) => compareCodeUnits(text, String(other.spelling)),
      spelling: text,
      item,
    };
  }
  if (ranges !== undefined) {
    const bounds = [...ranges].sort(order);
    const above = bounds.filter((bound) => order(value, bound) >= 0).length;
    const written = (bound: Scalar | undefined) =>
      bound === undefined ? null : kind === 'decimal' ? String(bound) : Number(bound);
    return {
      term: (count) => ({ from: written(bounds[above - 1]), to: written(bounds[above]), count }),
      compare: (other) => above - Number(other.spelling),
      spelling: above,
      item,
    };
  }
  return {
    term: (count) => ({ value, count }),
    compare: (other) => order(value, other.item?.value as Scalar),
    // False and true are written as 0 and 1 in the order of spellings.
    spelling: typeof value === 'boolean' ? Number(value) : value,
    item,
  };
}

function dateIn(interval: NonNullable<Facet['interval']>, value: Scalar): string {
  const date = new Date(String(value));
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, '0');
  const parts = [String(date.getUTCFullYear()).padStart(4, '0'), month, day];
  return parts.slice(0, { year: 1, month: 2, day: 3 }[interval]).join('-');
}

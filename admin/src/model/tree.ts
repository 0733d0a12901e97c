import type { JsonObject, Resource } from '../api/document.ts';
import type { Bundle, Field, Schema } from '../api/schema.ts';
import { fieldIn, isSame, withField } from './document.ts';
import { isMenu as isMenuType } from './menu-types.ts';

/** A bundle whose entities are a tree: a menu, or terms with a parent and a weight. */
export interface TreeType {
  readonly bundle: Bundle;
  readonly isMenu: boolean;
  /** Undefined if all entities are on one level. */
  readonly parent: Field | undefined;
  readonly weight: Field;
  /** The field that shows a link, or hides it. */
  readonly enabled: Field | undefined;
  /** The address of a link, if it is a text. */
  readonly address: Field | undefined;
}

/** An entity in the tree. Children come after their parent, one level deeper. */
export interface TreeRow {
  readonly id: string;
  readonly depth: number;
}

/** The tree of a bundle; undefined for other bundles. */
export function treeTypeOf(bundle: Bundle): TreeType | undefined {
  const isMenu = isMenuType(bundle);
  const find = (names: readonly string[], fits: (field: Field) => boolean) =>
    names.flatMap((name) => bundle.fields.find((field) => field.name === name && fits(field)) ?? [])[0];
  const weight = find(
    ['weight', 'field_weight'],
    ({ kind, list }) => !list && (kind === 'integer' || kind === 'number'),
  );
  const parent = find(
    ['parent', 'field_parent'],
    ({ kind, list, targets }) =>
      !list && ((isMenu && kind === 'string') || (kind === 'reference' && targets.includes(bundle.name))),
  );
  if (weight === undefined || (!isMenu && parent === undefined)) return undefined;
  return {
    bundle,
    isMenu,
    parent,
    weight,
    enabled: isMenu ? find(['enabled'], ({ kind }) => kind === 'boolean') : undefined,
    address: isMenu ? find(['url', 'link'], ({ kind, list }) => kind === 'string' && !list) : undefined,
  };
}

/** The trees of a site, menus first. */
export function treeTypes({ types }: Pick<Schema, 'types'>): readonly TreeType[] {
  return types
    .flatMap((bundle) => treeTypeOf(bundle) ?? [])
    .sort((one, other) => Number(other.isMenu) - Number(one.isMenu));
}

/** The id of the parent; empty at the top. A text can be `about` or `menu_link_content:about`. */
export function parentOf({ parent }: Pick<TreeType, 'parent'>, resource: Resource): string {
  const value = parent && fieldIn(resource, parent);
  if (typeof value === 'string') return value.trim().replace(/^menu_link_content:/, '');
  return String((value as { readonly id?: unknown } | null | undefined)?.id ?? '');
}

export function weightOf({ weight }: Pick<TreeType, 'weight'>, resource: Resource): number {
  const value = Number(fieldIn(resource, weight) ?? 0);
  return Number.isFinite(value) ? value : 0;
}

/** The rows of a tree: siblings by weight, then by title. Items below themselves, or below a missing parent, are at the top. */
export function rowsOf(
  type: TreeType,
  resources: readonly Resource[],
  titleOf: (resource: Resource) => string,
): readonly TreeRow[] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const isRooted = (resource: Resource): boolean => {
    const seen = new Set<string>();
    let each: Resource | undefined = resource;
    while (each !== undefined) {
      if (seen.has(each.id)) return false;
      seen.add(each.id);
      each = byId.get(parentOf(type, each));
    }
    return true;
  };
  const placeOf = (resource: Resource) => {
    const parent = parentOf(type, resource);
    return byId.has(parent) && isRooted(resource) ? parent : '';
  };
  const below = Map.groupBy(resources, placeOf);
  const rows: TreeRow[] = [];
  const add = (parent: string, depth: number): void => {
    const siblings = below.get(parent) ?? [];
    const sorted = siblings.toSorted(
      (one, other) =>
        weightOf(type, one) - weightOf(type, other) || titleOf(one).localeCompare(titleOf(other)),
    );
    for (const { id } of sorted) {
      rows.push({ id, depth });
      add(id, depth + 1);
    }
  };
  add('', 0);
  return rows;
}

/** The number of rows of an entity with everything below it. */
function sizeAt(rows: readonly TreeRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  const end = rows.findIndex((row, index) => index > at && row.depth <= depth);
  return (end === -1 ? rows.length : end) - at;
}

/** The parent of each row by id; empty at the top. */
export function parentsOf(rows: readonly TreeRow[]): ReadonlyMap<string, string> {
  const path: string[] = [];
  return new Map(
    rows.map(({ id, depth }) => {
      path.length = depth;
      path.push(id);
      return [id, path[depth - 1] ?? ''];
    }),
  );
}

/** The rows with an entity, and the rows below it, at another place among the other rows. The nearest possible depth is used. */
export function moveTo(rows: readonly TreeRow[], id: string, to: number, depth: number): readonly TreeRow[] {
  const at = rows.findIndex((row) => row.id === id);
  if (at === -1) return rows;
  const size = sizeAt(rows, at);
  const moved = rows.slice(at, at + size);
  const others = rows.toSpliced(at, size);
  const index = Math.max(0, Math.min(others.length, to));
  const most = index === 0 ? 0 : (others[index - 1]?.depth ?? 0) + 1;
  const least = others[index]?.depth ?? 0;
  const next = Math.max(least, Math.min(most, depth));
  const shift = next - (moved[0]?.depth ?? 0);
  return others.toSpliced(index, 0, ...moved.map((row) => ({ ...row, depth: row.depth + shift })));
}

export type Move = 'up' | 'down' | 'in' | 'out';

/** The rows after a step with a key. The same rows if the entity cannot go there. */
export function moveBy(rows: readonly TreeRow[], id: string, move: Move): readonly TreeRow[] {
  const at = rows.findIndex((row) => row.id === id);
  const row = rows[at];
  if (row === undefined) return rows;
  const { depth } = row;
  const size = sizeAt(rows, at);
  const before = rows.slice(0, at).findLastIndex((each) => each.depth <= depth);
  const hasBefore = rows[before]?.depth === depth;
  const after = rows[at + size];
  switch (move) {
    case 'up':
      return hasBefore ? moveTo(rows, id, before, depth) : rows;
    case 'down':
      return after?.depth === depth ? moveTo(rows, id, at + sizeAt(rows, at + size), depth) : rows;
    case 'in':
      return hasBefore ? moveTo(rows, id, at, depth + 1) : rows;
    case 'out': {
      if (depth === 0) return rows;
      const parent = rows.slice(0, at).findLastIndex((each) => each.depth === depth - 1);
      return moveTo(rows, id, parent + sizeAt(rows, parent) - size, depth - 1);
    }
    default:
      return move satisfies never;
  }
}

/** The position of an entity among its siblings, from 1. */
export function placeOf(
  rows: readonly TreeRow[],
  id: string,
): { readonly position: number; readonly count: number; readonly parent: string } {
  const parents = parentsOf(rows);
  const parent = parents.get(id) ?? '';
  const siblings = rows.filter((row) => parents.get(row.id) === parent);
  return { position: siblings.findIndex((row) => row.id === id) + 1, count: siblings.length, parent };
}

/** The rows of the present entities in the order of former ones. New entities are at the end. */
export function withPresent(rows: readonly TreeRow[], present: readonly TreeRow[]): readonly TreeRow[] {
  const ids = new Set(present.map(({ id }) => id));
  const kept: TreeRow[] = [];
  for (const row of rows.filter(({ id }) => ids.has(id))) {
    kept.push({ ...row, depth: Math.min(row.depth, (kept.at(-1)?.depth ?? -1) + 1) });
  }
  const known = new Set(kept.map(({ id }) => id));
  return [...kept, ...present.filter(({ id }) => !known.has(id)).map(({ id }) => ({ id, depth: 0 }))];
}

/** The new place of an entity. */
export interface TreeChange {
  readonly resource: Resource;
  readonly parent: string;
  readonly weight: number;
}

/** The entities that need another parent or another weight, as few as possible, so that the tree is as the rows say. */
export function treeChanges(
  type: TreeType,
  resources: readonly Resource[],
  rows: readonly TreeRow[],
  titleOf: (resource: Resource) => string,
): readonly TreeChange[] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const parents = parentsOf(rows);
  // Before a move, parents that are missing, or below themselves, stay as they are.
  const before = parentsOf(rowsOf(type, resources, titleOf));
  const groups = Map.groupBy(
    rows.flatMap(({ id }) => byId.get(id) ?? []),
    ({ id }) => parents.get(id) ?? '',
  );
  return [...groups].flatMap(([parent, siblings]) => {
    const isMoved = ({ id }: Resource) => before.get(id) !== parent;
    const weights = weightsOf(
      siblings.map((resource) => ({
        weight: isMoved(resource) ? undefined : weightOf(type, resource),
        title: titleOf(resource),
      })),
    );
    return siblings.flatMap((resource, index): TreeChange[] => {
      const weight = weights[index] ?? 0;
      const isSamePlace = !isMoved(resource) && weight === weightOf(type, resource);
      return isSamePlace ? [] : [{ resource, parent, weight }];
    });
  });
}

interface Weighted {
  /** Undefined if it needs one. */
  readonly weight: number | undefined;
  readonly title: string;
}

/** Weights that put siblings into this order. Most keep their own. */
function weightsOf(siblings: readonly Weighted[]): readonly number[] {
  const [first, last] = [false, true].map((isLast) => weightsWith(siblings, longestOrder(siblings, isLast)));
  const changesIn = (weights: readonly number[] = []) =>
    siblings.filter(({ weight }, index) => weight !== weights[index]).length;
  // Between neighbors without room for another weight, the others have to move up.
  return (changesIn(last) < changesIn(first) ? last : first) ?? [];
}

function weightsWith(siblings: readonly Weighted[], kept: ReadonlySet<number>): readonly number[] {
  const weights: number[] = [];
  for (const [index, { weight }] of siblings.entries()) {
    const last = weights.at(-1);
    const next = siblings.find((_, at) => at > index && kept.has(at))?.weight;
    const fits = weight !== undefined && kept.has(index) && (last === undefined || weight > last);
    const isTie = weight === last && kept.has(index) && kept.has(index - 1);
    if (weight !== undefined && (fits || isTie)) weights.push(weight);
    else if (last !== undefined) weights.push(last + 1);
    else weights.push(next === undefined ? 0 : next - 1);
  }
  return weights;
}

/** The indexes of the most siblings that are in the order of weight and title already; of several, the first or the last. */
function longestOrder(siblings: readonly Weighted[], isLast: boolean): ReadonlySet<number> {
  const best: number[][] = [];
  for (const [index, { weight, title }] of siblings.entries()) {
    if (weight === undefined) {
      best.push([]);
      continue;
    }
    let longest: readonly number[] = [];
    for (let at = 0; at < index; at++) {
      const other = siblings[at];
      const order = best[at];
      if (other?.weight === undefined || order === undefined) continue;
      const isBefore =
        other.weight < weight || (other.weight === weight && other.title.localeCompare(title) <= 0);
      const isLonger = isLast ? order.length >= longest.length : order.length > longest.length;
      if (isBefore && isLonger) longest = order;
    }
    best.push([...longest, index]);
  }
  return new Set(
    best.reduce<readonly number[]>((one, other) => (other.length > one.length ? other : one), []),
  );
}

/** The operation that stores a change. It is refused if someone else has changed the entity since. */
export function operationOf(
  type: TreeType,
  { resource, parent, weight }: TreeChange,
  isSource: boolean,
): JsonObject {
  const { id, type: name, meta } = resource;
  let document: JsonObject = { data: { type: name, id } };
  if (weight !== weightOf(type, resource)) document = withField(document, type.weight, weight);
  if (type.parent !== undefined && parent !== parentOf(type, resource))
    document = withField(document, type.parent, parentValue(type.parent, name, parent));
  return { op: 'update', ...document, ...(isSource && { meta: { ifMatch: meta.revision } }) };
}

function parentValue({ kind }: Field, type: string, id: string): unknown {
  if (id === '') return null;
  return kind === 'reference' ? { type, id } : id;
}

/** True if others have changed the place of an entity between two versions. */
export function isMovedBetween(type: TreeType, one: Resource, other: Resource | undefined): boolean {
  if (other === undefined) return true;
  const placeIn = (resource: Resource) => [parentOf(type, resource), weightOf(type, resource)];
  return !isSame(placeIn(one), placeIn(other));
}

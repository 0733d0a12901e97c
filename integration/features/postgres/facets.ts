import { sql } from 'kysely';
import type { FacetResult } from '../../core/engine/engine.ts';
import { termValue } from '../../core/engine/plan/count-facet.ts';
import type { ResolvedFacet } from '../../core/engine/resolve/resolve-facets.ts';
import {
  type KeyStep,
  leafOf,
  type ValueGroups,
  type ValueKey,
} from '../../core/engine/resolve/resolve-key.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import { referenceKey } from '../../core/engine/store/slot.ts';
import {
  array,
  type CompileContext,
  column,
  compileTarget,
  from,
  keyIn,
  keyOfBound,
  type Row,
  rawIn,
  ref,
  table,
} from './compile.ts';
import { and, type Sql } from './database.ts';
import type { SlotColumn, Storage } from './layout.ts';
import { fromCollated, fromStored } from './text.ts';

/** A facet on one type, and the rows that it counts. */
export interface FacetPart {
  readonly facet: ResolvedFacet;
  readonly row: Row;
  /** The conditions of the counted rows. */
  readonly counted: Sql;
}

/** The result of `compileFacet` as JSON. */
export interface FacetRecord {
  readonly terms: readonly (readonly [count: number, value: StoredValue])[] | null;
  readonly total: number;
  readonly missing: number;
}

/** A value, a reference, or the most frequent spellings of a text. */
type StoredValue = Raw | readonly [type: string, id: string] | { readonly spellings: readonly string[] };

/** Counts the rows of each value, in all types together. A row counts once for each class of equal values. */
export function compileFacet(parts: readonly FacetPart[], context: CompileContext): Sql {
  const { facet } = parts[0]!.facet;
  const sources = parts.flatMap((part, at) => compileSources(part, at, context));
  const rows = sql.join(
    parts.map(
      ({ row, counted }, at) =>
        sql`select ${sql.lit(at)} as part, ${column(row, 'row')} as row from ${from(row)} where ${counted}`,
    ),
    sql` union all `,
  );
  if (sources.length === 0) {
    return sql`(select json_build_object('terms', null, 'total', 0, 'missing', count(*)) from (${rows}) m)`;
  }
  const [first] = sources;
  const { storage, spelled } = first!;
  const items = sql.join(
    sources.map(({ select }) => select),
    sql` union all `,
  );
  const distinct = sources.every(({ single }) => single)
    ? items
    : sql`select distinct on (part, row, key) part, row, key, raw from (${items}) s order by part, row, key, pos`;
  const order = facet.sort === 'count' ? sql`n desc, place` : sql`place`;
  const value = spelled ? sql`json_build_object('spellings', spellings)` : valueOfKey(storage);
  const spelledTop = spelled
    ? sql`top join (select key, json_agg(g.raw) as spellings from top join g using (key) where g.n = top.best group by key) s using (key)`
    : sql`top`;
  return sql`(with m as materialized (${rows}), i as materialized (${distinct}),
    g as (select min(key) as key, raw, count(*) as n from i group by raw),
    c as (select key, sum(n) as n, max(n) as best, ${place(storage)} as place from g group by key having sum(n) >= ${sql.lit(facet.min)}),
    top as (select * from c order by ${order} limit ${sql.lit(facet.limit)})
    select json_build_object('terms', (select json_agg(json_build_array(n, ${value}) order by ${order}) from ${spelledTop}),
      'total', (select count(*) from c),
      'missing', (select count(*) from m) - (select count(distinct (part, row)) from i)))`;
}

/** The values of rows along one path through types. */
interface Source {
  /** Columns: `part`, `row`, `key`, `raw` and `pos`. */
  readonly select: Sql;
  readonly storage: Storage;
  /** True if equal values can be spelled differently. */
  readonly spelled: boolean;
  /** True if a row has at most one value. */
  readonly single: boolean;
}

interface Path {
  readonly row: Row;
  readonly joins: readonly Sql[];
  readonly conditions: readonly Sql[];
  readonly positions: readonly Sql[];
}

function compileSources({ facet, row }: FacetPart, at: number, context: CompileContext): readonly Source[] {
  const counted = sql`m.part = ${sql.lit(at)} and m.row = ${column(row, 'row')}`;
  const joins = [sql`m join ${from(row)} on ${counted}`];
  return follow(facet.key, { row, joins, conditions: [], positions: [] }, at, row, context);
}

function follow(
  step: KeyStep,
  path: Path,
  at: number,
  start: Row,
  context: CompileContext,
): readonly Source[] {
  if (step.kind === 'none') return [];
  const { slot, delta } = step;
  const { row } = path;
  const list = slot.list ? row.layout.lists.get(slot.anchor)! : undefined;
  const item = list === undefined ? row.alias : context.alias();
  const here: Path =
    list === undefined
      ? path
      : {
          ...path,
          joins: [
            ...path.joins,
            sql`join ${table(list.table, item)} on ${ref(item, 'row')} = ${column(row, 'row')}`,
          ],
          conditions:
            delta === null
              ? path.conditions
              : [...path.conditions, sql`${ref(item, 'pos')} = ${sql.lit(delta)}`],
          positions: [...path.positions, ref(item, 'pos')],
        };
  const target = (list ?? row.layout).columns.get(slot.name)!;
  const key = list === undefined ? keyIn(row, target) : ref(item, target.key);
  const raw = isText(target.storage) ? sql`${key} collate "C"` : rawIn(item, target);
  const through = (types: readonly string[], next: (path: Path, at: number) => readonly Source[]) =>
    types.flatMap((name, i) => {
      const layout = context.layout(name);
      if (layout === undefined) return [];
      const targetRow = { layout, alias: context.alias() };
      const on = and([sql`${column(targetRow, 'no')} = ${key}`, ...compileTarget(targetRow, context)]);
      return next(
        { ...here, row: targetRow, joins: [...here.joins, sql`join ${from(targetRow)} on ${on}`] },
        i,
      );
    });
  if (step.kind === 'join') {
    const names = step.targets.map(({ type }) => type.name);
    return through(names, (next, i) => follow(step.targets[i]!.key, next, at, start, context));
  }
  if (step.targets !== undefined) {
    const names = step.targets.map(({ name }) => name);
    return through(names, (next) => [
      createSource({ ...next, row: path.row }, key, key, 'reference', at, start),
    ]);
  }
  const { groups } = step;
  if (groups === undefined) return [createSource(here, key, raw, target.storage, at, start)];
  const group = compileGroup(groups, key, target);
  return [
    createSource(
      here,
      group,
      group,
      groups.kind === 'interval' && target.storage === 'exact' ? 'exact' : 'number',
      at,
      start,
    ),
  ];
}

function isText(storage: Storage): boolean {
  return storage === 'texts' || storage === 'bodies';
}

function createSource(
  { joins, conditions, positions }: Path,
  key: Sql,
  raw: Sql,
  storage: Storage,
  at: number,
  start: Row,
): Source {
  const pos = positions.length === 0 ? sql`null::integer[]` : sql`array[${sql.join(positions)}]`;
  const where = and([...conditions, sql`${key} is not null`]);
  return {
    select: sql`select ${sql.lit(at)} as part, ${column(start, 'row')} as row, ${key} as key, ${raw} as raw, ${pos} as pos from ${sql.join(joins, sql` `)} where ${where}`,
    storage,
    spelled: SPELLED.has(storage),
    single: positions.length === 0,
  };
}

const SPELLED: ReadonlySet<Storage> = new Set(['texts', 'bodies', 'decimal', 'instant']);

/** Intervals are their first day, as a text or in milliseconds since the Unix epoch; ranges are counted from 0. */
function compileGroup(groups: ValueGroups, key: Sql, target: SlotColumn): Sql {
  if (groups.kind === 'ranges') {
    const bounds = groups.bounds.map((bound) => keyOfBound(bound, target));
    const collated = target.storage === 'exact' ? sql`${key} collate "C"` : key;
    return sql`width_bucket(${collated}, ${array(bounds, target)})`;
  }
  if (target.storage === 'exact')
    return sql`left(${key}, ${sql.lit(INTERVAL_LENGTHS[groups.interval])}) collate "C"`;
  const day = sql`date_trunc(${sql.lit(groups.interval)}, to_timestamp(${key} / 1000) at time zone 'UTC')`;
  return sql`(extract(epoch from ${day}) * 1000)::double precision`;
}

const INTERVAL_LENGTHS = { year: 4, month: 7, day: 10 } as const;

/** The order of a key, from `key`. */
function place(storage: Storage): Sql {
  return storage === 'reference'
    ? sql`(select array[type, id] from ${sql.table('refs')} where no = key)`
    : sql`key`;
}

/** A value that has one spelling, from `key`. */
function valueOfKey(storage: Storage): Sql {
  return storage === 'reference'
    ? sql`(select json_build_array(type, id) from ${sql.table('refs')} where no = key)`
    : sql`key`;
}

export function decodeFacet(
  { terms, total, missing }: FacetRecord,
  parts: readonly ResolvedFacet[],
): FacetResult {
  const leaf = parts.map(({ key }) => leafOf(key)).find((each) => each !== undefined);
  return {
    terms: (terms ?? []).map(([count, value]) => ({ ...termValue(decodeValue(value, leaf), leaf), count })),
    total,
    missing,
  };
}

function decodeValue(value: StoredValue, leaf: ValueKey | undefined): Raw {
  if (typeof value === 'object') {
    if (!('spellings' in value)) return referenceKey({ type: value[0], id: fromStored(value[1]) });
    return value.spellings.map(fromCollated).reduce((least, each) => (each < least ? each : least));
  }
  if (typeof value === 'string') return fromStored(value);
  const { groups } = leaf ?? {};
  if (groups?.kind !== 'interval') return value;
  return new Date(value).toISOString().slice(0, INTERVAL_LENGTHS[groups.interval]);
}

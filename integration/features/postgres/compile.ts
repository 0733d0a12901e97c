import { sql } from 'kysely';
import type { QueryAccess } from '../../core/engine/engine.ts';
import type { Operand } from '../../core/engine/resolve/coerce.ts';
import type {
  ItemsNode,
  JoinNode,
  ResolvedNode,
  SearchNode,
  Test,
} from '../../core/engine/resolve/resolve-filter.ts';
import { type KeyStep, leafOf } from '../../core/engine/resolve/resolve-key.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import type { Slot } from '../../core/engine/store/slot.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { and, or, type Sql } from './database.ts';
import {
  COLUMN_TYPES,
  keyOfRaw,
  type SlotColumn,
  type Storage,
  storageOf,
  type TypeLayout,
  textColumn,
} from './layout.ts';
import { isAmong, type RowsParameter } from './rows-parameter.ts';
import { toStored } from './text.ts';

/** What a resolved query is compiled with. */
export interface CompileContext {
  layout(type: string): TypeLayout | undefined;
  /** Null for policies, which see the source of every entity. */
  readonly access: QueryAccess | null;
  /** The filter of visible entities of a type; null if all are visible. */
  policy(layout: TypeLayout): ResolvedNode | null;
  hasTranslations(layout: TypeLayout): boolean;
  /** The numbers that a statement selects; null if they are many. */
  numbers(select: Sql): readonly number[] | null;
  /** True if conditions look into other tables for each row that is tested: the fastest way if few rows are. */
  readonly perRow?: boolean;
  /** Rows are found by a condition on a list if it has at most this many items. Otherwise PostgreSQL chooses. */
  readonly mostItems?: number;
  /** The rows with the words of a search in a type. */
  found(search: SearchNode, layout: TypeLayout): RowsParameter;
  /** A new name for a table of the statement. */
  alias(): string;
}

/** A row of a type's table in a statement. */
export interface Row {
  readonly layout: TypeLayout;
  readonly alias: string;
}

export function compileFilter(node: ResolvedNode, row: Row, context: CompileContext): Sql {
  switch (node.kind) {
    case 'group': {
      const members = node.members.map((member) => compileFilter(member, row, context));
      return node.conjunction === 'AND' ? and(members) : or(members);
    }
    case 'items':
      return compileItems(node, row, context);
    case 'join':
      return compileJoin(node, row, context);
    case 'search':
      return compileSearch(node, row, context);
    case 'constant':
      return sql.lit(node.value);
    default:
      return node satisfies never;
  }
}

/**
 * The rows that the actor may see: at most one of each entity. In `strict` mode only those in the first language.
 * Undefined if these are all rows.
 */
export function compileVisible(row: Row, context: CompileContext, strict = false): Sql | undefined {
  const { access } = context;
  const { layout, alias } = row;
  const isTranslated = context.hasTranslations(layout);
  const conditions: Sql[] = [];
  const allowed = compilePolicy(row, context);
  if (allowed !== undefined) conditions.push(allowed);
  const languages = (access?.languages ?? []).map(toStored);
  if (isTranslated) {
    const other = { layout, alias: context.alias() };
    const otherAllowed = compilePolicy(other, context);
    const better = [
      sql`${column(other, 'no')} = ${column(row, 'no')}`,
      sql`(${languageRank(other, languages)}, coalesce(${column(other, 'translation')}, '')) < (${languageRank(row, languages)}, coalesce(${column(row, 'translation')}, ''))`,
      ...(otherAllowed === undefined ? [] : [otherAllowed]),
    ];
    conditions.push(
      sql`${languageRank(row, languages)} is not null`,
      sql`not exists (select from ${from(other)} where ${and(better)})`,
    );
  }
  if (strict && languages.length > 0) conditions.push(sql`${ref(alias, 'language')} = ${languages[0]}`);
  return conditions.length === 0 ? undefined : and(conditions);
}

/** The rows that the actor may see in some language; undefined for all. */
export function compilePolicy(row: Row, context: CompileContext): Sql | undefined {
  const policy = context.access === null ? null : context.policy(row.layout);
  return policy === null ? undefined : compileFilter(policy, row, { ...context, access: null });
}

/** The position of a row's language in a list. Sources have one in any language, other rows null. */
function languageRank(row: Row, languages: readonly string[]): Sql {
  const source = sql`case when ${column(row, 'translation')} is null then ${sql.lit(languages.length + 1)} end`;
  return languages.length === 0
    ? source
    : sql`coalesce(array_position(${languages}::text[], ${column(row, 'language')}), ${source})`;
}

function compileItems({ slots, scans, delta }: ItemsNode, row: Row, context: CompileContext): Sql {
  const isList = slots[0]?.slot.list === true;
  const tested = [...slots, ...scans.map((test) => ({ slot: test.slot, tests: [test] }))];
  if (!isList) {
    return and(
      tested.flatMap(({ slot, tests }) =>
        tests.map((test) => compileTest(test, row, slotColumn(row, slot), context)),
      ),
    );
  }
  const list = row.layout.lists.get(slots[0]!.slot.anchor)!;
  const item = context.alias();
  const atDelta = delta === null ? [] : [sql`${ref(item, 'pos')} = ${sql.lit(delta)}`];
  const passes = tested.flatMap(({ slot, tests }) =>
    tests.map((test) => compileTest(test, { ...row, alias: item }, list.columns.get(slot.name)!, context)),
  );
  const items = {
    column: ref(item, 'row'),
    source: table(list.table, item),
    conditions: [...atDelta, ...passes],
  };
  const some = hasItem(row, items, context);
  const emptyPasses = tested.every(({ tests }) =>
    tests.every(({ operand }) => operand.kind === 'null-test' && operand.isNull),
  );
  if (!emptyPasses) return some;
  const any = and([sql`${ref(item, 'row')} = ${column(row, 'row')}`, ...atDelta]);
  return or([some, sql`not exists (select from ${table(list.table, item)} where ${any})`]);
}

function compileJoin(
  { slot, delta, targets, matchesNull }: JoinNode,
  row: Row,
  context: CompileContext,
): Sql {
  const matching: Targets[] = [];
  const visible: Targets[] = [];
  for (const { type, members } of targets) {
    const layout = context.layout(type.name);
    if (layout === undefined) continue;
    const compile = (within: CompileContext, tested: readonly ResolvedNode[]): Subquery => {
      const target = { layout, alias: within.alias() };
      const matches = tested.map((member) => compileFilter(member, target, within));
      const conditions = [...compileTarget(target, within), ...matches];
      return { column: column(target, 'no'), source: from(target), conditions };
    };
    const numbers = context.numbers(selectIn(compile(independent(context), members)));
    const { mostItems: _, ...others } = context;
    matching.push(numbers ?? compile(others, members));
    if (matchesNull) visible.push(compile(others, []));
  }
  const some = or(matching.map((each) => pointsTo(slot, delta, row, each, context)));
  if (!matchesNull) return some;
  const none = sql`${or(visible.map((each) => pointsTo(slot, delta, row, each, context)))} is not true`;
  return or([some, none]);
}

/** Conditions on the targets of references: those that the actor may see, and for policies sources. */
export function compileTarget(target: Row, context: CompileContext): readonly Sql[] {
  const visible = compileVisible(target, context);
  return visible === undefined ? [] : [visible];
}

/** With names of its own, so that equal statements have equal SQL. */
function independent(context: CompileContext): CompileContext {
  let aliases = 0;
  const { mostItems: _, ...others } = context;
  return { ...others, perRow: false, alias: () => `j${aliases++}` };
}

/** The entities that a reference may point to: their numbers if they are few. */
type Targets = readonly number[] | Subquery;

function pointsTo(
  slot: Slot,
  delta: number | null,
  row: Row,
  targets: Targets,
  context: CompileContext,
): Sql {
  const isTarget = (key: Sql) => {
    if ('column' in targets) return isIn(key, targets, context);
    if (targets.length === 0) return sql`false`;
    return targets.length === 1
      ? sql`${key} = ${targets[0]}::bigint`
      : sql`${key} = any(${targets}::bigint[])`;
  };
  if (!slot.list) return isTarget(ref(row.alias, slotColumn(row, slot).key));
  const list = row.layout.lists.get(slot.anchor)!;
  const item = context.alias();
  const conditions = [
    ...(delta === null ? [] : [sql`${ref(item, 'pos')} = ${sql.lit(delta)}`]),
    isTarget(ref(item, list.columns.get(slot.name)!.key)),
  ];
  const items = { column: ref(item, 'row'), source: table(list.table, item), conditions };
  return hasItem(row, items, context);
}

function hasItem(row: Row, items: Subquery, context: CompileContext): Sql {
  const { mostItems } = context;
  if (mostItems !== undefined) {
    const limited = sql`${selectIn(items)} limit ${mostItems + 1}`;
    const [size = Number.POSITIVE_INFINITY] =
      context.numbers(sql`select count(*) as no from (${limited}) i`) ?? [];
    // PostgreSQL reads the rows of an array in their order.
    if (size <= mostItems) return sql`${column(row, 'row')} = any(array(${selectIn(items)}))`;
  }
  return isIn(column(row, 'row'), items, context);
}

/** A column of the rows of a table that pass conditions. */
interface Subquery {
  readonly column: Sql;
  readonly source: Sql;
  readonly conditions: readonly Sql[];
}

function isIn(value: Sql, subquery: Subquery, { perRow = false }: CompileContext): Sql {
  if (!perRow) return sql`${value} in (${selectIn(subquery)})`;
  const { column, source, conditions } = subquery;
  // With an offset, PostgreSQL does not rewrite it as a join.
  return sql`exists (select from ${source} where ${and([sql`${column} = ${value}`, ...conditions])} offset 0)`;
}

function selectIn({ column, source, conditions }: Subquery): Sql {
  return sql`select ${column} from ${source} where ${and(conditions)}`;
}

function compileTest({ operand }: Test, row: Row, target: SlotColumn, context: CompileContext): Sql {
  const key = keyIn(row, target);
  switch (operand.kind) {
    case 'null-test':
      return operand.isNull ? sql`${key} is null` : sql`${key} is not null`;
    case 'nothing':
      return sql`false`;
    case 'any-of': {
      const keys = operand.values.map((raw) => keyOfBound(raw, target));
      if (operand.negated)
        return keys.length === 0 ? sql`${key} is not null` : sql`${key} <> all(${array(keys, target)})`;
      if (keys.length === 0) return sql`false`;
      return keys.length === 1
        ? sql`${key} = ${parameter(keys[0]!, target)}`
        : sql`${key} = any(${array(keys, target)})`;
    }
    case 'between': {
      const { ends, negated } = operand;
      if (ends === undefined) return negated ? sql`${key} is not null` : sql`false`;
      const between = and([bound('>=', ends[0], key, target), bound('<=', ends[1], key, target)]);
      return negated ? sql`not ${sql`(${between})`}` : between;
    }
    case 'compare':
      return operand.value === undefined ? sql`false` : bound(operand.operator, operand.value, key, target);
    case 'search':
      return compileTextTest(operand, row, target, context);
    default:
      return operand satisfies never;
  }
}

/** The key of a value. */
export function keyOfBound(raw: Raw, { slot, storage }: SlotColumn): Raw {
  if (storage === 'reference') throw new Error(`${slot.name} has no values to compare.`);
  return keyOfRaw(storage, raw);
}

function bound(operator: '>' | '>=' | '<' | '<=', raw: Raw, key: Sql, target: SlotColumn): Sql {
  return sql`${key} ${sql.raw(operator)} ${parameter(keyOfBound(raw, target), target)}`;
}

function compileTextTest(
  { operator, folded }: Extract<Operand, { readonly kind: 'search' }>,
  { layout, alias }: Row,
  target: SlotColumn,
  context: CompileContext,
): Sql {
  const escaped = toStored(folded).replace(/[\\%_]/g, '\\$&');
  const pattern = `${operator === 'STARTS_WITH' ? '' : '%'}${escaped}${operator === 'ENDS_WITH' ? '' : '%'}`;
  const { storage, key } = target;
  const raw = rawIn(alias, target);
  switch (storage) {
    case 'texts':
    case 'id':
      return sql`${foldedText(target, alias)} like ${pattern}`;
    case 'bodies': {
      const records = context.alias();
      const source = table(layout.recordTable, records);
      const conditions = [sql`${foldedText(target, records)} like ${pattern}`];
      return isIn(ref(alias, 'row'), { column: ref(records, 'row'), source, conditions }, context);
    }
    case 'number':
      return sql`${numberText(ref(alias, key))} like ${pattern}`;
    case 'flag':
      return sql`${raw}::text like ${pattern}`;
    case 'decimal':
    case 'instant':
    case 'exact':
      // These have only ASCII letters.
      return sql`lower(${raw}) like ${pattern}`;
    case 'reference':
      throw new Error('References have no text.');
    default:
      return storage satisfies never;
  }
}

/** The text that text operators search in, as it is indexed. */
export function foldedText({ key, folded }: SlotColumn, alias?: string): Sql {
  const [own, other] = [key, folded!].map((name) => (alias === undefined ? sql.id(name) : ref(alias, name)));
  // Upper-case letters of the collation C, which are in ASCII only.
  return sql`coalesce(${other}, lower(${own} collate "C"))`;
}

/** A number as JavaScript writes it, in lower case. */
function numberText(key: Sql): Sql {
  return sql`case when ${key} = 0 then '0' when abs(${key}) >= 1e-6 and abs(${key}) < 1e21 then ${key}::text::numeric::text
    else regexp_replace(${key}::text, 'e([+-])0+', 'e\\1') end`;
}

function parameter(value: Raw, { storage }: SlotColumn): Sql {
  return sql`${value}::${sql.raw(COLUMN_TYPES[storage])}`;
}

export function array(values: readonly Raw[], { storage }: SlotColumn): Sql {
  return sql`${values}::${sql.raw(COLUMN_TYPES[storage])}[]`;
}

function compileSearch(search: SearchNode, row: Row, context: CompileContext): Sql {
  const { words, fields } = search;
  const rows = context.found(search, row.layout);
  if (words.phrase === undefined) return isAmong(column(row, 'row'), rows);
  const found = context.alias();
  const { text, isExcluded } = words.phrase;
  const names = searchableFields(row.layout.type).map(({ name }) => name);
  const hasText = fields.map(({ name }) => {
    return sql`strpos(${ref(found, textColumn(names.indexOf(name)))}, ${toStored(text)}) > 0`;
  });
  const conditions = [isAmong(ref(found, 'row'), rows), or(hasText)];
  const source = table(row.layout.recordTable, found);
  const isFound = isIn(column(row, 'row'), { column: ref(found, 'row'), source, conditions }, context);
  return isExcluded ? sql`not (${isFound})` : isFound;
}

/** PostgreSQL's type of the sort keys of the types of a list. */
export function keyType(steps: readonly KeyStep[]): string {
  const storage = keyStorage(steps);
  return storage === undefined ? 'bigint' : COLUMN_TYPES[storage];
}

/** Undefined if the keys have no values. */
export function keyStorage(steps: readonly KeyStep[]): Storage | undefined {
  const slot = steps.map(leafOf).find((leaf) => leaf !== undefined)?.slot;
  return slot && storageOf(slot);
}

/** The sort key of a row: the smallest (ASC) or largest (DESC) value along a path; undefined for a path of other types. */
export function compileSortKey(
  step: KeyStep,
  direction: 'ASC' | 'DESC',
  row: Row,
  context: CompileContext,
): Sql | undefined {
  if (step.kind === 'none') return undefined;
  const { slot, delta } = step;
  const best = sql.raw(direction === 'ASC' ? 'min' : 'max');
  const item = context.alias();
  const ofItems = (value: Sql, join: Sql, conditions: readonly Sql[]) => {
    const list = row.layout.lists.get(slot.anchor)!;
    const own = [
      sql`${ref(item, 'row')} = ${column(row, 'row')}`,
      ...(delta === null ? [] : [sql`${ref(item, 'pos')} = ${sql.lit(delta)}`]),
    ];
    return sql`(select ${best}(${value}) from ${table(list.table, item)} ${join} where ${and([...own, ...conditions])})`;
  };
  const keyColumn = slot.list
    ? row.layout.lists.get(slot.anchor)!.columns.get(slot.name)!
    : slotColumn(row, slot);
  const key = slot.list ? ref(item, keyColumn.key) : keyIn(row, keyColumn);
  if (step.kind === 'value') return slot.list ? ofItems(key, sql``, []) : key;
  const keys = step.targets.flatMap(({ type, key: targetStep }) => {
    const layout = context.layout(type.name);
    if (layout === undefined) return [];
    const target = { layout, alias: context.alias() };
    const targetKey = compileSortKey(targetStep, direction, target, context);
    if (targetKey === undefined) return [];
    const points = sql`${column(target, 'no')} = ${key}`;
    const seen = compileTarget(target, context);
    return [
      slot.list
        ? ofItems(targetKey, sql`join ${from(target)} on ${points}`, seen)
        : sql`(select ${targetKey} from ${from(target)} where ${and([points, ...seen])})`,
    ];
  });
  if (keys.length < 2) return keys[0];
  return sql`${sql.raw(direction === 'ASC' ? 'least' : 'greatest')}(${sql.join(keys)})`;
}

/** The key of a single slot. Bodies are beside the table. */
export function keyIn({ layout, alias }: Row, { storage, key }: SlotColumn): Sql {
  if (storage !== 'bodies') return ref(alias, key);
  return sql`(select ${sql.id('b', key)} from ${table(layout.recordTable, 'b')} where ${sql.id('b', 'row')} = ${ref(alias, 'row')})`;
}

/** The values of a column as they are written. Most instants are whole seconds in UTC. */
export function rawIn(alias: string, { storage, key, raw }: SlotColumn): Sql {
  if (storage !== 'instant') return ref(alias, raw);
  const time = sql`to_timestamp(${ref(alias, key)} / 1000) at time zone 'UTC'`;
  return sql`coalesce(${ref(alias, raw)}, to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') collate "C")`;
}

export function slotColumn({ layout }: Row, slot: Slot): SlotColumn {
  const found = layout.columns.get(slot.name);
  if (found === undefined) throw new Error(`${layout.table} has no column for ${slot.name}.`);
  return found;
}

export function column({ alias }: Row, name: string): Sql {
  return ref(alias, name);
}

export function ref(alias: string, name: string): Sql {
  return sql.id(alias, name);
}

export function from({ layout, alias }: Row): Sql {
  return table(layout.table, alias);
}

export function table(name: string, alias: string): Sql {
  return sql`${sql.table(name)} ${sql.id(alias)}`;
}

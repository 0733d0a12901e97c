import fc from 'fast-check';
import { scheduleOf } from '../../integration/core/content/decode/publication.ts';
import type {
  Entity,
  FieldDefinition,
  FieldValue,
  ResourceType,
} from '../../integration/core/content/model.ts';
import type {
  Condition,
  Facet,
  FilterNode,
  Group,
  Operator,
  Scalar,
  SortKey,
} from '../../integration/core/engine/ast.ts';
import type { EngineQuery } from '../../integration/core/engine/engine.ts';
import { bytesInMemory } from '../../integration/core/storage/stored-bytes.ts';
import type { Dataset } from './items.ts';
import { type LeafPath, nullOnly, pathsFrom } from './paths.ts';
import { TYPES } from './schema.ts';
import { ASKED, IDS, MISSING_ID, NUMBER_PARTS, STORED, TEXT_PARTS, UNIX_SECONDS } from './vocabulary.ts';

/** A query of one type, by its name: fast-check prints it. */
export interface TypedQuery {
  readonly type: string;
  readonly query: EngineQuery;
}

export const LOCALES = ['en', 'de', 'sv', 'tr'] as const;

const encoder = new TextEncoder();
/** The number of frequent values of a kind. Entities must share values so that other conditions decide. */
const FREQUENT = 4;

/** Content of all types, references to nothing and to the unpublished included, with translations into languages. */
export function contents(
  maxEntities: number = IDS.length,
  languages: readonly string[] = [],
): fc.Arbitrary<Omit<Dataset, 'types'>> {
  const entities = TYPES.map((type) =>
    fc
      .subarray([...IDS], { minLength: Math.min(10, maxEntities), maxLength: maxEntities })
      .chain((ids) => fc.tuple(...ids.map((id) => translatedEntity(type, id, languages))))
      .map((lists) => lists.flat()),
  );
  return fc.record({
    locale: fc.constantFrom(...LOCALES),
    entities: fc.tuple(...entities).map((lists) => lists.flat()),
  });
}

/** A source and translations of it into some of the languages. */
function translatedEntity(
  type: ResourceType,
  id: string,
  languages: readonly string[],
): fc.Arbitrary<readonly Entity[]> {
  const source = entityOf(type, fc.constant(id));
  return fc
    .subarray([...languages])
    .chain((some) =>
      fc.tuple(source, ...some.map((translation) => source.map((entity) => ({ ...entity, translation })))),
    );
}

/** An entity of a type. */
export function entityOf(
  type: ResourceType,
  id: fc.Arbitrary<string> = fc.constantFrom(...IDS),
): fc.Arbitrary<Entity> {
  const fields = [...type.fields.values()].filter((field) => field.name !== 'body');
  const values = fc.record(Object.fromEntries(fields.map((field) => [field.name, fieldValue(field)])), {
    noNullPrototype: false,
  });
  const body = type.fields.has('body') ? bodies() : fc.constant(null);
  return fc.record({ id, values, body }).map((made) => {
    const schedule = scheduleOf(made.values);
    return {
      ...made,
      type: type.name,
      key: `${type.bundle}/${made.id}.md`,
      revision: 'r',
      published: made.values.status === true,
      values: Object.assign(Object.create(null) as Record<string, FieldValue>, made.values),
      ...(schedule && { schedule }),
    };
  });
}

/** A query of any type over valid paths and coercible values. */
export function queries(types: readonly ResourceType[] = TYPES): fc.Arbitrary<TypedQuery> {
  return fc
    .constantFrom(...types)
    .chain((type) => fc.record({ type: fc.constant(type.name), query: queriesOf(type) }));
}

function queriesOf(type: ResourceType): fc.Arbitrary<EngineQuery> {
  const leaves = leavesOf(type);
  // Conditions of one query mostly stay below one field, so that they meet on the same items.
  return fc.constantFrom(...type.fields.keys()).chain((field) => {
    const near = leaves.filter((leaf) => leaf.path === field || leaf.path.startsWith(`${field}.`));
    const leaf = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...near.filter(({ hops }) => hops <= 1)) },
      { weight: 1, arbitrary: anyHops(near) },
      { weight: 1, arbitrary: anyHops(leaves) },
    );
    const countable = near.filter((each) => each.hops <= 2 && isCountable(each));
    return fc.record({
      filter: filters(leaf, collectErrors(leaves)),
      sort: sorts(leaf),
      page: pages(),
      facets:
        countable.length === 0
          ? fc.constant([])
          : fc.array(fc.constantFrom(...countable).chain(facets), { maxLength: 2 }),
    });
  });
}

/** Two or three conditions of one AND group on the items of one list, the case that is easiest to get wrong. */
function collectErrors(leaves: readonly LeafPath[]): fc.Arbitrary<Group> {
  const lists = listPrefixes(leaves);
  return fc.constantFrom(...lists).chain((prefix) => {
    const below = leaves.filter(
      ({ path, hops }) =>
        hops <= 2 && (path === prefix || path.startsWith(`${prefix}.`)) && !/\.\d+$/.test(path),
    );
    return fc
      .array(fc.constantFrom(...below).chain(conditions), { minLength: 2, maxLength: 3, size: 'small' })
      .map((members) => ({ kind: 'group', conjunction: 'AND', members }));
  });
}

/** Prefixes of at most one reference below which, or at which, several items may be. */
function listPrefixes(leaves: readonly LeafPath[]): readonly string[] {
  const deltas = leaves.filter(({ path, hops }) => hops <= 1 && path.endsWith('.0'));
  const prefixes = deltas.map(({ path }) => path.slice(0, -2)).filter((path) => !/\.\d/.test(path));
  return prefixes.filter((prefix) => leaves.some(({ path, kind }) => path === prefix && kind !== 'json'));
}

/** Every path from a type through three references at most. */
export function leavesOf(type: ResourceType): readonly LeafPath[] {
  const leaves = leafCache.get(type) ?? pathsFrom(TYPES, type, 3);
  leafCache.set(type, leaves);
  return leaves;
}

const leafCache = new Map<ResourceType, readonly LeafPath[]>();

/** Long paths outnumber short ones by far; here each number of hops is as likely as the other. */
function anyHops(leaves: readonly LeafPath[]): fc.Arbitrary<LeafPath> {
  const byHops = Map.groupBy(leaves, ({ hops }) => hops);
  return fc.oneof(...[...byHops.values()].map((some) => fc.constantFrom(...some)));
}

function filters(leaf: fc.Arbitrary<LeafPath>, sameItem: fc.Arbitrary<Group>): fc.Arbitrary<Group> {
  const condition = leaf.chain(conditions);
  const { group } = fc.letrec<{ node: FilterNode; group: Group }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'filter' },
      { weight: 4, arbitrary: condition },
      { weight: 1, arbitrary: sameItem },
      { weight: 2, arbitrary: tie('group') },
    ),
    group: fc.record({
      kind: fc.constant('group'),
      conjunction: fc.constantFrom('OR', 'AND', 'OR'),
      members: fc.array(tie('node'), { minLength: 1, maxLength: 4, depthIdentifier: 'filter' }),
    }),
  }));
  const one = fc.oneof(
    { weight: 3, arbitrary: condition },
    { weight: 2, arbitrary: sameItem },
    { weight: 2, arbitrary: group },
  );
  const root = (members: readonly FilterNode[]): Group => ({ kind: 'group', conjunction: 'AND', members });
  return fc.oneof(
    { weight: 2, arbitrary: one.map((member) => root([member])) },
    { weight: 2, arbitrary: fc.array(one, { maxLength: 2 }).map(root) },
    // The root is an AND group like any other, so conditions in it meet on the same items too.
    {
      weight: 1,
      arbitrary: fc.tuple(sameItem, one).map(([{ members }, other]) => root([...members, other])),
    },
    { weight: 1, arbitrary: sameItem },
  );
}

/** A condition that can be asked at the end of a path. */
export function conditions(leaf: LeafPath): fc.Arbitrary<Condition> {
  // Operators that match most values are more frequent: a filter without matches proves little.
  const make = (operator: Operator, value: Condition['value']): Condition => {
    return { kind: 'condition', path: leaf.path, operator, value };
  };
  const nulls = fc
    .constantFrom<Operator>('IS NULL', 'IS NOT NULL', 'IS NOT NULL')
    .map((operator) => make(operator, null));
  if (nullOnly(leaf)) return nulls;
  const value = askedOf(leaf);
  const part = fc.constantFrom(...(leaf.kind === 'string' || leaf.kind === 'id' ? TEXT_PARTS : NUMBER_PARTS));
  return fc.oneof(
    { weight: 2, arbitrary: nulls },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom<Operator>('=', '=', '<>', '<>', '>', '>=', '>=', '<', '<='), value)
        .map(([operator, asked]) => make(operator, asked)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom<Operator>('STARTS_WITH', 'CONTAINS', 'ENDS_WITH'), part)
        .map(([operator, asked]) => make(operator, asked)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom<Operator>('IN', 'NOT IN', 'NOT IN'), fc.array(value, { maxLength: 4 }))
        .map(([operator, asked]) => make(operator, asked)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom<Operator>('BETWEEN', 'NOT BETWEEN', 'NOT BETWEEN'), value, value)
        .map(([operator, from, to]) => make(operator, [from, to])),
    },
  );
}

function sorts(leaf: fc.Arbitrary<LeafPath>): fc.Arbitrary<readonly SortKey[]> {
  const sortable = leaf.filter((candidate) => !nullOnly(candidate)).map(({ path }) => path);
  return fc.array(fc.record({ path: sortable, direction: fc.constantFrom('ASC', 'DESC') }), { maxLength: 3 });
}

function pages(): fc.Arbitrary<EngineQuery['page']> {
  return fc.record({
    offset: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) }),
    limit: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(10)),
  });
}

/** Bodies are not in columns, and objects have no value. */
function isCountable(leaf: LeafPath): boolean {
  const { kind, path } = leaf;
  return (kind === 'reference' || !nullOnly(leaf)) && !/body\.value$/.test(path);
}

/** A facet on a path, with all options that fit its kind. */
function facets(leaf: LeafPath): fc.Arbitrary<Facet> {
  const isDate = leaf.kind === 'date' || leaf.kind === 'datetime';
  const isNumber = leaf.kind === 'integer' || leaf.kind === 'number' || leaf.kind === 'decimal';
  const grouped: fc.Arbitrary<Pick<Facet, 'interval' | 'ranges'>> = isDate
    ? fc.record({ interval: fc.constantFrom('year', 'month', 'day') })
    : isNumber
      ? fc.record({ ranges: fc.uniqueArray(fc.constantFrom(-1, 0, 1, 2, 3, 10), { minLength: 1 }) })
      : fc.constant({});
  const common = fc.record({
    path: fc.constant(leaf.path),
    limit: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 4 })),
    min: fc.constantFrom(1, 1, 2),
    sort: fc.constantFrom<Facet['sort']>('count', 'value'),
    operator: fc.constantFrom<Facet['operator']>('and', 'or'),
  });
  return fc
    .tuple(common, fc.oneof(fc.constant({}), grouped))
    .map(([facet, groups]) => ({ ...facet, ...groups }));
}

/** Half of the values asked for are among the few that most entities have. */
function askedOf(leaf: LeafPath): fc.Arbitrary<Scalar> {
  if (leaf.kind === 'id') return fc.constantFrom(...ASKED.id);
  const asked = ASKED[scalarKind(leaf.kind)];
  const unix = leaf.kind === 'datetime' && (leaf.field === 'created' || leaf.field === 'changed');
  return fc.oneof(
    fc.constantFrom(...asked.slice(0, FREQUENT)),
    fc.constantFrom(...asked, ...(unix ? UNIX_SECONDS : [])),
  );
}

function fieldValue(field: FieldDefinition): fc.Arbitrary<FieldValue> {
  if (!field.list) return single(field);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: fc.array(item(field), { minLength: 1, maxLength: 3, size: 'max' }) },
  );
}

function single(field: FieldDefinition): fc.Arbitrary<FieldValue> {
  if (field.name === 'status') return fc.constantFrom(true, true, true, false);
  if (field.required) return item(field);
  return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: item(field) });
}

function item(field: FieldDefinition): fc.Arbitrary<FieldValue> {
  switch (field.kind) {
    case 'reference':
      return fc.record({
        type: fc.constantFrom(...field.targets),
        id: fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom(...IDS) },
          { weight: 1, arbitrary: fc.constant(MISSING_ID) },
        ),
      });
    case 'object':
    case 'json': {
      if (field.kind === 'json' && field.scalar === undefined) {
        return fc.constantFrom<FieldValue>(0, 'text', [], { a: [1, 'x'] });
      }
      const properties = Object.values(field.properties).map((property) => [
        property.name,
        fieldValue(property),
      ]);
      const object = fc.record(Object.fromEntries(properties)) as fc.Arbitrary<FieldValue>;
      if (field.kind === 'object') return object;
      // Any scalar, because a file can change before the kinds of the field do.
      const scalars: readonly FieldValue[] = [true, false, 0, 3, 'a', 'true'];
      return fc.oneof(object, fc.constantFrom(...scalars));
    }
    default:
      return fc.oneof(
        fc.constantFrom(...STORED[scalarKind(field.kind)].slice(0, FREQUENT)),
        fc.constantFrom(...STORED[scalarKind(field.kind)]),
      );
  }
}

function bodies(): fc.Arbitrary<Entity['body']> {
  const text = fc.constantFrom(...STORED.string);
  const body = fc
    .record({
      file: text.map((value) => bytesInMemory(encoder.encode(value))),
      start: fc.constant(0),
      format: fc.constantFrom('markdown', 'mdx'),
      summary: fc.option(text),
    })
    .map((one) => ({ ...one, end: one.file.length }));
  return fc.option(body, { freq: 4 });
}

function scalarKind(kind: FieldDefinition['kind'] | 'id'): keyof typeof STORED {
  if (kind in STORED) return kind as keyof typeof STORED;
  throw new Error(`A field of kind ${kind} stores no scalar.`);
}

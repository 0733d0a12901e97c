import { bodyLength, bodyText, type Entity } from '../../content/model.ts';
import type { Operand } from '../resolve/coerce.ts';
import type { ResolvedNode, Test } from '../resolve/resolve-filter.ts';
import { Dictionary } from '../store/dictionary.ts';
import { foldText, type Ordering } from '../store/ordering.ts';
import type { Table } from '../store/table.ts';
import { textTest } from '../store/text-search.ts';
import { allSteps, checkSlice } from '../time-slices.ts';
import { codesOf } from './code-set.ts';

/**
 * The tests of one query on bodies, which are not in a column. Each body is read once: the first condition that needs
 * it evaluates all conditions on it.
 */
export interface TextScans {
  tester(test: Test, table: Table): (row: number) => boolean;
  /** The results of a test so far; undefined before the first one. */
  scanOf(test: Test): Scan | undefined;
}

/** Collects the tests of a filter on bodies. See `createTextScans`. */
export function collectScans(
  filter: ResolvedNode,
  table: Table,
  tableOf: (type: string) => Table | undefined,
  previous: TextScans | undefined,
): TextScans {
  const scans = scansOf(filter, table, tableOf, previous);
  return {
    scanOf: (test) => scans.get(test),
    tester(test, testTable) {
      const scan = scans.get(test);
      if (scan === undefined) throw new Error(`The filter has no test of "${test.condition.path}".`);
      const { operand } = test;
      const { results, siblings } = scan;
      // A null test does not read the body.
      if (operand.kind === 'null-test') {
        return (row) => (testTable.entity(row).body === null) === operand.isNull;
      }
      return (row) => {
        if (results[row] === UNKNOWN) {
          evaluate(siblings, row, longText(testTable.entity(row)));
          checkSlice();
        }
        return results[row] === YES;
      };
    },
  };
}

function scansOf(
  filter: ResolvedNode,
  table: Table,
  tableOf: (type: string) => Table | undefined,
  previous: TextScans | undefined,
): ReadonlyMap<Test, Scan> {
  const scans = new Map<Test, Scan>();
  const byTable = new Map<Table, { readonly entities: readonly Entity[]; readonly siblings: Scan[] }>();
  const visit = (node: ResolvedNode, at: Table): void => {
    if (node.kind === 'group') for (const member of node.members) visit(member, at);
    else if (node.kind === 'items') for (const test of node.scans) scans.set(test, createScan(test, at));
    else if (node.kind === 'join') {
      for (const { type, members } of node.targets) {
        const target = tableOf(type.name);
        if (target !== undefined) for (const member of members) visit(member, target);
      }
    }
  };
  const createScan = (test: Test, at: Table): Scan => {
    const shared = byTable.get(at) ?? { entities: [...at.entities], siblings: [] };
    byTable.set(at, shared);
    const passes = createTextTest(test.operand, at.ordering(test.slot));
    const results = initialResults(shared.entities, previous?.scanOf(test));
    const scan: Scan = { ...shared, passes, results };
    if (test.operand.kind !== 'null-test') shared.siblings.push(scan);
    return scan;
  };
  visit(filter, table);
  return scans;
}

/** Reuses the results of unchanged entities. Both lists of entities are sorted by id. */
function initialResults(entities: readonly Entity[], previous: Scan | undefined): Uint8Array {
  const results = new Uint8Array(entities.length);
  if (previous === undefined) return results;
  let at = 0;
  for (const [row, entity] of entities.entries()) {
    while (at < previous.entities.length && previous.entities[at]!.id < entity.id) at++;
    if (previous.entities[at] === entity) results[row] = previous.results[at]!;
  }
  return results;
}

function evaluate(scans: readonly Scan[], row: number, text: LongText | null): void {
  for (const { passes, results } of scans) {
    if (results[row] === UNKNOWN) results[row] = passes(text) ? YES : NO;
  }
}

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

interface Scan {
  readonly passes: (text: LongText | null) => boolean;
  /** By row: UNKNOWN, NO or YES. */
  readonly results: Uint8Array;
  /** By row. */
  readonly entities: readonly Entity[];
  /** All scans of the same bodies, this one included. */
  readonly siblings: readonly Scan[];
}

/** A text that is too long for a dictionary. Reads and folds it when first needed. */
interface LongText {
  raw(): string;
  /** Folded by `foldText`. */
  folded(): string;
}

function longText({ body }: Entity): LongText | null {
  if (body === null) return null;
  let text: string | undefined;
  let foldedText: string | undefined;
  const raw = (): string => {
    text ??= bodyText(body);
    return text;
  };
  return {
    raw,
    folded: () => {
      // As many characters as bytes: plain ASCII, which is already composed.
      foldedText ??= raw().length === bodyLength(body) ? raw().toLowerCase() : foldText(raw());
      return foldedText;
    },
  };
}

/** Evaluates an operand on one text at a time. */
function createTextTest(operand: Operand, ordering: Ordering): (text: LongText | null) => boolean {
  if (operand.kind === 'search') {
    const test = textTest(operand.operator);
    return (text) => text !== null && test(text.folded(), operand.folded);
  }
  return (text) => {
    const { dictionary } = allSteps(Dictionary.of(ordering, text === null ? [] : [text.raw()]));
    const { ranges, nulls } = codesOf(operand, dictionary, ordering);
    return text === null ? nulls : ranges.length > 0;
  };
}

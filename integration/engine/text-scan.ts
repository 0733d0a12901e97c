import { bodyLength, bodyText, type Entity } from '../content/model.ts';
import type { ResolvedNode } from './resolve.ts';
import { foldText } from './store/ordering.ts';
import type { Table } from './store/table.ts';
import type { Test } from './targets.ts';
import { createTextTest, type LongText } from './text-test.ts';
import { checkSlice } from './time-slices.ts';

/**
 * The tests of one query on texts that stay as bytes. A text is read once, however many conditions ask about it:
 * the first one to do so answers for all.
 */
export interface TextScans {
  tester(test: Test, table: Table): (row: number) => boolean;
  /** What is known of a test; undefined where none has been met. */
  scanOf(test: Test): Scan | undefined;
}

/**
 * `table` is the one that `filter` is about; `tableOf` finds those that its references lead to. `before` are the scans
 * of the same filter when the content was another: texts that have not changed are not read again.
 */
export function createTextScans(
  filter: ResolvedNode,
  table: Table,
  tableOf: (type: string) => Table | undefined,
  before?: TextScans,
): TextScans {
  let scans: ReadonlyMap<Test, Scan> | undefined;
  return {
    scanOf: (test) => scans?.get(test),
    tester(test, tested) {
      // Most queries have none, so they are looked for when the first one is met.
      scans ??= findScans(filter, table, tableOf, before);
      const scan = scans.get(test);
      if (scan === undefined) throw new Error(`"${test.condition.path}" is no test of this filter.`);
      const { passes, verdicts, together } = scan;
      // A test for null looks at no text, so it gains nothing from the others' reading.
      if (test.operand.kind === 'null-test') return (row) => passes(longText(tested.entity(row)));
      return (row) => {
        if (verdicts[row] === UNKNOWN) {
          judge(together, row, longText(tested.entity(row)));
          checkSlice();
        }
        return verdicts[row] === YES;
      };
    },
  };
}

function findScans(
  filter: ResolvedNode,
  table: Table,
  tableOf: (type: string) => Table | undefined,
  before: TextScans | undefined,
): ReadonlyMap<Test, Scan> {
  const found = new Map<Test, Scan>();
  const byTable = new Map<Table, { readonly entities: readonly Entity[]; readonly scans: Scan[] }>();
  const visit = (node: ResolvedNode, at: Table): void => {
    if (node.kind === 'group') for (const member of node.members) visit(member, at);
    else if (node.kind === 'items') for (const test of node.scans) found.set(test, scanOf(test, at));
    else if (node.kind === 'join') {
      for (const { type, members } of node.targets) {
        const target = tableOf(type.name);
        if (target !== undefined) for (const member of members) visit(member, target);
      }
    }
  };
  const scanOf = (test: Test, at: Table): Scan => {
    const { entities, scans: together } = byTable.get(at) ?? { entities: [...at.entities], scans: [] };
    byTable.set(at, { entities, scans: together });
    const passes = createTextTest(test.operand, at.ordering(test.slot));
    const verdicts = verdictsOf(entities, before?.scanOf(test));
    const scan: Scan = { passes, verdicts, entities, together };
    if (test.operand.kind !== 'null-test') together.push(scan);
    return scan;
  };
  visit(filter, table);
  return found;
}

/** By row: what is known of the same entities, which are in order of their ids then and now. */
function verdictsOf(entities: readonly Entity[], before: Scan | undefined): Uint8Array {
  const verdicts = new Uint8Array(entities.length);
  if (before === undefined) return verdicts;
  let at = 0;
  for (const [row, entity] of entities.entries()) {
    while (at < before.entities.length && before.entities[at]!.id < entity.id) at++;
    if (before.entities[at] === entity) verdicts[row] = before.verdicts[at]!;
  }
  return verdicts;
}

function judge(scans: readonly Scan[], row: number, text: LongText | null): void {
  for (const { passes, verdicts } of scans) {
    if (verdicts[row] === UNKNOWN) verdicts[row] = passes(text) ? YES : NO;
  }
}

/** The body of an entity, read and folded at most once and not before it is needed. */
function longText({ body }: Entity): LongText | null {
  if (body === null) return null;
  let text: string | undefined;
  let folded: string | undefined;
  const written = (): string => {
    text ??= bodyText(body);
    return text;
  };
  return {
    written,
    folded: () => {
      // As many characters as bytes: plain ASCII, which is composed as it is.
      folded ??= written().length === bodyLength(body) ? written().toLowerCase() : foldText(written());
      return folded;
    },
  };
}

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

interface Scan {
  readonly passes: (text: LongText | null) => boolean;
  /** By row: UNKNOWN, NO or YES. */
  readonly verdicts: Uint8Array;
  /** By row. */
  readonly entities: readonly Entity[];
  /** All scans of the same texts, this one included. */
  readonly together: readonly Scan[];
}

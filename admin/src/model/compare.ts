import { diffArrays } from 'diff/lib/diff/array.js';
import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import type { FieldKind } from '../../../integration/core/content/model.ts';
import { isRecord } from '../../../integration/core/util/json.ts';
import type { Field, Part } from '../api/schema.ts';
import { isSame, textOf } from './document.ts';
import { FILE_TIMES, type Values } from './entity-form.ts';
import { isNestedValue } from './outline.ts';

/** How a field differs between two versions. */
export interface FieldDifference {
  readonly field: Field;
  /** The value, or each part of it that differs. */
  readonly parts: readonly PartDifference[];
}

export interface PartDifference {
  /** Name of the part, such as `summary`; undefined for the value itself. */
  readonly name: string | undefined;
  /** The label of a property in the schema. */
  readonly label?: string;
  readonly kind: FieldKind;
  readonly difference: Difference;
}

export type Difference =
  | { readonly kind: 'text'; readonly stretches: readonly Stretch[] }
  | { readonly kind: 'items'; readonly items: readonly ComparedItem[] }
  /** Values with properties or items. Their outlines are compared by `compareOutlines`. */
  | { readonly kind: 'nested'; readonly part: Part; readonly before: unknown; readonly after: unknown };

type State = 'same' | 'added' | 'removed';

/** Lines of a text. Those that did not change, and are not next to a change, are folded. */
export interface Stretch {
  readonly isFolded: boolean;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly state: State;
  /** The whole line. Parts that are not in the other version of the line are marked. */
  readonly parts: readonly { readonly text: string; readonly isMarked: boolean }[];
}

export interface ComparedItem {
  readonly state: State;
  readonly value: unknown;
}

/** The fields that differ, with values as inputs hold them. `created` and `changed` can change with every commit. */
export function compareFields(
  fields: readonly Field[],
  before: Values,
  after: Values,
): readonly FieldDifference[] {
  return fields.flatMap((field) => {
    if (FILE_TIMES.includes(field.name) || isSame(before[field.name], after[field.name])) return [];
    return [{ field, parts: compareValues(field, before[field.name], after[field.name]) }];
  });
}

/** The lines of both texts, with words marked in lines that were changed. */
export function compareLines(before: string, after: string): readonly Line[] {
  const lines: Line[] = [];
  let removed: readonly string[] = [];
  const changes = diffArrays(linesOf(before), linesOf(after), { timeout: TIMEOUT_MS }) ?? [
    { removed: true, added: false, value: linesOf(before) },
    { removed: false, added: true, value: linesOf(after) },
  ];
  for (const { added, value, ...change } of changes) {
    if (change.removed) {
      removed = value;
      continue;
    }
    if (added) lines.push(...compareBlocks(removed, value));
    else lines.push(...plainLines('removed', removed), ...plainLines('same', value));
    removed = [];
  }
  return [...lines, ...plainLines('removed', removed)];
}

/** The lines with long unchanged stretches folded. */
export function foldLines(lines: readonly Line[]): readonly Stretch[] {
  const isNearChange = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ state }) => state !== 'same'),
  );
  return fold(lines, isNearChange, LEAST_FOLDED);
}

/** The changed lines of two outlines, each below the lines that it belongs to. All others are folded. */
export function compareOutlines(before: string, after: string): readonly Stretch[] {
  const lines = compareLines(before, after);
  // An empty line of a text has no depth.
  const depths = lines.map(({ parts }) =>
    parts
      .map(({ text }) => text)
      .join('')
      .search(/\S/),
  );
  const isShown = lines.map(({ state }) => state !== 'same');
  // From the last line: lines with less depth than this have a changed line below them.
  let least = 0;
  for (const [at, { state }] of [...lines.entries()].reverse()) {
    const depth = depths[at] ?? -1;
    if (state !== 'same') least = Math.max(least, depth);
    else if (depth !== -1 && depth < least) {
      isShown[at] = true;
      least = depth;
    }
  }
  return fold(lines, isShown, 1);
}

function fold(lines: readonly Line[], isShown: readonly boolean[], least: number): readonly Stretch[] {
  const stretches: { isFolded: boolean; lines: Line[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const isFolded = isShown[index] === false;
    const last = stretches.at(-1);
    if (last?.isFolded === isFolded) last.lines.push(line);
    else stretches.push({ isFolded, lines: [line] });
  }
  return stretches.map((stretch) => ({
    ...stretch,
    isFolded: stretch.isFolded && stretch.lines.length >= least,
  }));
}

/** Kinds whose parts are compared separately. */
const DIVISIBLE: readonly FieldKind[] = ['object', 'formatted_text', 'image', 'file'];
/** Unchanged lines that are shown before and after each change. */
const CONTEXT = 2;
const LEAST_FOLDED = 3;
/** Texts that take longer to compare are shown as entirely replaced. */
const TIMEOUT_MS = 500;
/** Lines with a smaller part in common are shown without marked words. */
const LEAST_COMMON = 0.3;

function compareValues(field: Field, before: unknown, after: unknown): readonly PartDifference[] {
  const { kind, list } = field;
  const isNested = isNestedValue(field, before) || isNestedValue(field, after);
  if (isNested && (list || kind === 'json' || field.variants !== undefined)) {
    return [{ name: undefined, kind, difference: { kind: 'nested', part: field, before, after } }];
  }
  if (list || !DIVISIBLE.includes(kind) || !(isRecord(before) || isRecord(after))) {
    const isText = !list && (field.choices ?? []).length === 0;
    return [{ name: undefined, kind, difference: compare(kind, isText, before, after) }];
  }
  const [old, next] = [partsOf(before), partsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((name) => {
    const [one, other] = [old[name] ?? null, next[name] ?? null];
    if (isSame(one, other)) return [];
    const property = field.entries ?? field.properties.find((each) => each.name === name);
    const part = name === 'uri' ? kind : (property?.kind ?? 'string');
    const own: Part = { ...(property ?? { ...field, properties: [], kind: 'json' }), name };
    const isNested = kind === 'object' && (isNestedValue(own, one) || isNestedValue(own, other));
    return [
      {
        name: MAIN.includes(name) ? undefined : name,
        ...(property?.label !== undefined && !field.entries && { label: property.label }),
        kind: part,
        difference: isNested
          ? { kind: 'nested', part: own, before: one, after: other }
          : compare(part, property?.list !== true, one, other),
      },
    ];
  });
}

/** The parts of a body or file that have no name of their own. */
const MAIN: readonly string[] = ['value', 'uri'];

/** The part `uri` is a file without its other parts. */
function partsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return {};
  return isRecord(value.uri) ? { ...value, uri: { uri: value.uri } } : value;
}

function compare(kind: FieldKind, isText: boolean, before: unknown, after: unknown): Difference {
  if (isText && TEXTS.includes(kind))
    return { kind: 'text', stretches: foldLines(compareLines(textOf(before), textOf(after))) };
  const changes = diffArrays(itemsOf(before), itemsOf(after), { comparator: isSame });
  const items = changes.flatMap(({ added, removed, value }) =>
    value.map(
      (item): ComparedItem => ({ state: added ? 'added' : removed ? 'removed' : 'same', value: item }),
    ),
  );
  return { kind: 'items', items };
}

const TEXTS: readonly FieldKind[] = ['string', 'formatted_text', 'object', 'json'];

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function plainLines(state: State, lines: readonly string[]): readonly Line[] {
  return lines.map((text) => ({ state, parts: [{ text, isMarked: false }] }));
}

/** Removed lines, then the added lines in their place. */
function compareBlocks(removed: readonly string[], added: readonly string[]): readonly Line[] {
  const unmarked = [...plainLines('removed', removed), ...plainLines('added', added)];
  if (removed.length === 0 || added.length === 0) return unmarked;
  const [before, after] = [removed.join('\n'), added.join('\n')];
  const words = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  const common = words?.filter((word) => !word.added && !word.removed) ?? [];
  const commonLength = common.reduce((sum, { value }) => sum + value.trim().length, 0);
  if (words === undefined || commonLength < LEAST_COMMON * Math.max(before.length, after.length))
    return unmarked;
  return [
    ...markedLines(
      'removed',
      words.filter((word) => !word.added),
    ),
    ...markedLines(
      'added',
      words.filter((word) => !word.removed),
    ),
  ];
}

interface Word {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

function markedLines(state: State, words: readonly Word[]): readonly Line[] {
  const lines: Line['parts'][number][][] = [[]];
  for (const { value, added, removed } of words) {
    for (const [index, text] of value.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ text, isMarked: added || removed });
    }
  }
  return lines.map((parts) => ({ state, parts }));
}

import type { CST } from 'yaml';
import type { DataLanguage } from '../data.ts';
import { emptyMap } from '../data.ts';
import { type DataPath, isError } from '../diagnostic.ts';
import { findDataFormat } from '../formats.ts';
import { readData } from '../read-data.ts';
import { indentQuotes } from '../yaml.ts';
import { replaceValue } from './edit-entries.ts';
import { type EditOptions, planEdits, type RankOf } from './edit-tree.ts';
import { isRawList, isRawMap, type Raw, type RawMap, rawOf, sameRaw } from './raw.ts';
import { collectionOf, type Entry, type Mark, parseSource } from './source-tree.ts';
import { applySplices, type EditedText, NotEditableError, type Splice } from './splice.ts';
import { writeData } from './write-yaml.ts';

/** A change that a file cannot hold. */
export class UnwritableChangeError extends Error {
  override readonly name = 'UnwritableChangeError';
  /** Public name of the field, and the path inside it; empty for the whole file. */
  readonly path: DataPath;

  constructor(path: DataPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** New values of keys; undefined removes a key. */
export type DataEdits = ReadonlyMap<string, Raw | undefined>;

/** The data of a text, with numbers as written. Undefined if it cannot be read. */
export function readRaw(text: string, language: DataLanguage): RawMap | undefined {
  const { data, numerals, problems } = readData(text === '' && language === 'json' ? '{}' : text, language);
  const raw = rawOf(data, numerals);
  return problems.some(isError) || !isRawMap(raw) ? undefined : raw;
}

/**
 * Changes keys of frontmatter or of a data file. Reads the result and tries a coarser edit if the data is not exactly as
 * intended. Undefined if no edit succeeds. `read` returns the data of a changed text.
 */
export function editData(
  source: EditedText,
  before: RawMap,
  edits: DataEdits,
  rankOf: RankOf,
  read = (edited: string) => readRaw(edited, source.language),
): string | undefined {
  const { text, language, layout } = source;
  const after = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(before), ...edits.keys()])) {
    const raw = edits.has(name) ? edits.get(name) : before[name];
    if (raw !== undefined) after[name] = raw;
  }
  const hasEnd = text === '' || text.endsWith('\n');
  const ended = hasEnd ? source : { ...source, text: text + layout.newline };
  const format = findDataFormat(language);
  const edit = format?.edit ?? editInPlace;
  const attempts = [
    () => edit(ended, before, after, { rankOf, deep: true }),
    () => edit(ended, before, after, { rankOf, deep: false }),
    // Other formats are never rewritten as a whole: the first edit fails only if the text is unusual.
    ...(format ? [] : [() => writeData(after, ended)]),
  ];
  for (const attempt of attempts) {
    const changed = orUndefined(attempt);
    const edited = hasEnd ? changed : changed?.replace(/\r?\n$/, '');
    if (edited !== undefined && sameRaw(read(edited), after)) return edited;
  }
  return undefined;
}

/** Limit for anchors that contain aliases. */
const MAX_ROUNDS = 10;

function editInPlace(source: EditedText, before: RawMap, after: RawMap, options: EditOptions): string {
  let current = source;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const isYaml = current.language === 'yaml';
    const { text, offsetOf } = isYaml
      ? indentQuotes(current.text)
      : { text: current.text, offsetOf: undefined };
    const root = parseSource(text);
    const parsed = { ...current, text };
    const splices = planEdits(parsed, root, before, after, options);
    const expanded = isYaml ? expandAliases(parsed, root, before, splices) : [];
    const changes = (expanded.length === 0 ? splices : expanded).map((splice) =>
      offsetOf === undefined
        ? splice
        : { ...splice, start: offsetOf(splice.start), end: offsetOf(splice.end) },
    );
    if (expanded.length === 0) return applySplices(current.text, changes);
    current = { ...current, text: applySplices(current.text, changes) };
  }
  throw new NotEditableError('Aliases are nested too deeply.');
}

/** Replaces aliases of edited anchors by their present values, so that nothing but the intended keys changes. */
function expandAliases(
  source: EditedText,
  root: CST.Token | undefined,
  data: RawMap,
  splices: readonly Splice[],
): readonly Splice[] {
  const anchors = new Map<string, Anchor>();
  const expanded: Splice[] = [];
  const removed = new Set<Mark>();
  for (const name of namesIn(root)) {
    if ('mark' in name) {
      anchors.set(name.name, name);
      continue;
    }
    const anchor = anchors.get(name.name);
    if (anchor === undefined) continue;
    const isEdited = splices.some(({ start, end }) => start < anchor.end && end > anchor.mark.start);
    const isRemoved = splices.some(({ start, end }) => start <= name.start && name.start < end);
    if (!isEdited || isRemoved) continue;
    expanded.push(...replaceValue(source, name.entry, valueAt(data, name.path), name.flow));
    removed.add(anchor.mark);
  }
  return [...expanded, ...[...removed].map((mark) => removeMark(source.text, mark))];
}

function removeMark(text: string, { start, source }: Mark): Splice {
  const markEnd = start + source.length;
  const end = markEnd + (/^[ \t]*/.exec(text.slice(markEnd))?.[0].length ?? 0);
  // At the end of a line, the spaces before the mark are removed.
  return /[\r\n]/.test(text[end] ?? '\n')
    ? { start: text.slice(0, start).trimEnd().length, end, text: '' }
    : { start, end, text: '' };
}

/** An alias, `*name`, that is the value of an entry. */
interface Alias {
  readonly name: string;
  readonly entry: Entry;
  readonly flow: boolean;
  readonly path: DataPath;
  readonly start: number;
}

/** An anchor, `&name`, and the end of its value. */
interface Anchor {
  readonly name: string;
  readonly mark: Mark;
  readonly end: number;
}

/** Aliases and anchors in the order of the text: an alias refers to the last anchor of its name before it. */
function* namesIn(token: CST.Token | undefined, path: DataPath = []): Generator<Alias | Anchor> {
  const collection = collectionOf(token);
  for (const [index, entry] of collection?.entries.entries() ?? []) {
    const entryPath = [...path, entry.key ?? index];
    for (const mark of entry.marks) {
      if (mark.source.startsWith('&')) yield { name: mark.source.slice(1), mark, end: entry.end };
    }
    if (entry.value?.type === 'alias') {
      const { source, offset: start } = entry.value;
      yield { name: source.slice(1), entry, flow: collection?.flow ?? false, path: entryPath, start };
    } else {
      yield* namesIn(entry.value, entryPath);
    }
  }
}

function valueAt(data: RawMap, path: DataPath): Raw {
  let value: Raw | undefined = data;
  for (const step of path) {
    value = isRawList(value) ? value[Number(step)] : isRawMap(value) ? value[step] : undefined;
  }
  return value ?? null;
}

function orUndefined(edit: () => string): string | undefined {
  try {
    return edit();
  } catch (error) {
    if (error instanceof NotEditableError) return undefined;
    throw error;
  }
}

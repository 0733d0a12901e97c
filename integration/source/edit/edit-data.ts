import type { CST } from 'yaml';
import { emptyMap } from '../parsed-data.ts';
import { readData } from '../source-data.ts';
import { affectedAliases } from './aliases.ts';
import { type EditOptions, planEdits } from './edit-tree.ts';
import type { EditedText } from './edited-text.ts';
import type { RankOf } from './map-steps.ts';
import { type Raw, type RawMap, isRawList, isRawMap, rawOf, sameRaw } from './raw.ts';
import { replaceValue } from './replace-value.ts';
import { parseSource } from './source-tree.ts';
import { type Splice, applySplices, NotEditableError } from './splice.ts';
import { writeJson, writePair } from './write-node.ts';

/** New values of keys; undefined removes one. */
export type DataEdits = ReadonlyMap<string, Raw | undefined>;

/** What a text says, numbers as they are written. Undefined where it cannot be read. */
export function readRaw({ text, language }: Pick<EditedText, 'text' | 'language'>): RawMap | undefined {
  const { data, written, problems } = readData(text === '' && language === 'json' ? '{}' : text, language);
  const raw = rawOf(data, written);
  return problems.some(({ severity }) => severity === 'error') || !isRawMap(raw) ? undefined : raw;
}

/**
 * The text, frontmatter or a whole data file, with some of its keys changed. It is read again before it is answered:
 * where it does not say exactly what it should, it is edited more coarsely. Undefined where no edit does.
 */
export function editData(
  source: EditedText,
  before: RawMap,
  edits: DataEdits,
  rankOf: RankOf,
): string | undefined {
  const { text, layout } = source;
  const after = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(before), ...edits.keys()])) {
    const raw = edits.has(name) ? edits.get(name) : before[name];
    if (raw !== undefined) after[name] = raw;
  }
  const ended = text === '' || text.endsWith('\n') ? source : { ...source, text: text + layout.newline };
  const attempts = [
    () => editInPlace(ended, before, after, { rankOf, deep: true }),
    () => editInPlace(ended, before, after, { rankOf, deep: false }),
    () => rewrite(ended, after),
  ];
  for (const attempt of attempts) {
    const edited = attempted(attempt);
    if (edited !== undefined && sameRaw(readRaw({ ...source, text: edited }), after)) {
      return ended === source ? edited : edited.replace(/\r?\n$/, '');
    }
  }
  return undefined;
}

/** At most so many times values are written out whose aliases would change, one within another. */
const MAX_ROUNDS = 10;

function editInPlace(source: EditedText, before: RawMap, after: RawMap, options: EditOptions): string {
  let current = source;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const root = parseSource(current.text);
    const splices = planEdits(current, root, before, after, options);
    const written = current.language === 'yaml' ? writeOutAliases(current, root, before, splices) : [];
    if (written.length === 0) return applySplices(current.text, splices);
    current = { ...current, text: applySplices(current.text, written) };
  }
  throw new NotEditableError('Aliases stand for each other without end.');
}

/** Gives aliases of what is edited the value they had: only what was asked for changes. */
function writeOutAliases(
  source: EditedText,
  root: CST.Token | undefined,
  data: RawMap,
  splices: readonly Splice[],
): readonly Splice[] {
  const { aliases, anchors } = affectedAliases(root, splices);
  return [
    ...aliases.flatMap(({ entry, flow, path }) => replaceValue(source, entry, valueAt(data, path), flow)),
    ...anchors.map(({ start, source: mark }) => {
      const { text } = source;
      const behind = start + mark.length + blanksAt(text, start + mark.length);
      // At the end of a line the blanks before it go.
      return /[\r\n]/.test(text[behind] ?? '\n')
        ? { start: text.slice(0, start).trimEnd().length, end: behind, text: '' }
        : { start, end: behind, text: '' };
    }),
  ];
}

function blanksAt(text: string, offset: number): number {
  return /^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0;
}

function rewrite({ language, layout }: EditedText, data: RawMap): string {
  const lines =
    language === 'json'
      ? [writeJson(data, '', layout)]
      : Object.entries(data).flatMap(([name, raw]) => writePair(name, raw, 0, layout));
  return lines.map((line) => `${line}${layout.newline}`).join('');
}

function attempted(attempt: () => string): string | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof NotEditableError) return undefined;
    throw error;
  }
}

function valueAt(data: RawMap, path: readonly (string | number)[]): Raw {
  let value: Raw | undefined = data;
  for (const step of path) {
    value = isRawList(value) ? value[Number(step)] : isRawMap(value) ? value[step] : undefined;
  }
  return value ?? null;
}

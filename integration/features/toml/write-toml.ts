import type { Layout } from '../../core/source/edit/layout.ts';
import { isRawList, isRawMap, type Raw, unquotedText } from '../../core/source/edit/raw.ts';
import { NotEditableError } from '../../core/source/edit/splice.ts';
import { doubleQuoted, entriesOf, type NewEntry } from '../../core/source/edit/write-yaml.ts';

export interface TomlPlace {
  /** The value that it replaces, or a neighbor of the same kind, as written. */
  readonly before?: string | undefined;
  /** Inside `[]` or `{}`, where strings are on one line. */
  readonly flow: boolean;
}

/** A value as TOML 1.0. Throws `NotEditableError` for null, which TOML does not have. */
export function writeTomlValue(raw: Raw, layout: Layout, { before = '', flow }: TomlPlace): string {
  if (raw === null) throw new NotEditableError('TOML has no null.');
  if (isRawList(raw) || isRawMap(raw)) {
    const entries = entriesOf(raw).map((entry) => writeTomlEntry(entry, layout));
    if (isRawList(raw)) return `[${entries.join(', ')}]`;
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  const bare = unquotedText(raw);
  const text = bare ?? String(raw);
  if (bare === undefined && typeof raw !== 'string') return text;
  if (bare !== undefined && NUMBER.test(bare)) return bare;
  const isBareDate = before === '' ? bare !== undefined && !layout.quotedDates : DATE_OR_TIME.test(before);
  const isNewDate = bare !== undefined && before !== '' && !QUOTED.test(before);
  return (isBareDate || isNewDate) && DATE_OR_TIME.test(text)
    ? text
    : writeString(text, layout, { before, flow });
}

/** A pair or an item inside `{}` or `[]`. */
export function writeTomlEntry({ name, raw }: NewEntry, layout: Layout, before?: string): string {
  const value = writeTomlValue(raw, layout, { before, flow: true });
  return name === undefined ? value : `${writeTomlKey(name)} = ${value}`;
}

export function writeTomlKey(name: string): string {
  return BARE_KEY.test(name) ? name : doubleQuoted(name);
}

/** Escapes of JSON strings are also escapes of TOML. */
function writeString(text: string, layout: Layout, { before = '', flow }: TomlPlace): string {
  const isLiteral = QUOTED.test(before) ? before.startsWith("'") : layout.quote === "'";
  const isPrintable = !UNPRINTABLE.test(text) && text.isWellFormed();
  const hadLines = /^(?:"""|''')/.test(before);
  const gap =
    (before === '' ? text.includes('\n') : /^...\r?\n/.test(before)) || text.startsWith('\n') ? '\n' : '';
  // A fence in a text would end the frontmatter, and readers differ on the line breaks of Windows.
  const canHaveLines = layout.newline === '\n' || !`${gap}${text}`.includes('\n');
  const mayBeLong = !flow && isPrintable && canHaveLines && !FENCE.test(text);
  if (mayBeLong && (hadLines || (text.includes('\n') && before === ''))) {
    if (isLiteral && !text.includes("'''") && !text.endsWith("'")) return `'''${gap}${text}'''`;
    const escaped = text.replaceAll('\\', '\\\\').replace(/(?<="")"|"$/g, '\\"');
    return `"""${gap}${escaped}"""`;
  }
  return isLiteral && isPrintable && !/['\n]/.test(text) ? `'${text}'` : doubleQuoted(text);
}

const BARE_KEY = /^[\w-]+$/;
const QUOTED = /^["']/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const DATE_OR_TIME =
  /^(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?)$/;
const FENCE = /^(?:\+\+\+|---)/m;
/** Control characters but tab and line feed, and invisible marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

import type { JsonValue } from './model.ts';
import { compactMap, emptyMap } from './parsed-data.ts';

/**
 * Reads the plainest YAML, which most frontmatter is: lines of `name: value` and lists of `- value`, all of whose
 * values are short texts, whole numbers and booleans that nobody could read in two ways. Undefined for anything else
 * at all: then the whole is for a real parser, which for these lines takes twenty times as long and says the same.
 */
export function readPlainYaml(text: string): Readonly<Record<string, JsonValue>> | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const map = emptyMap();
  let keys = 0;
  // The items of the list that the lines are in, and how far these are indented.
  let items: JsonValue[] | undefined;
  let indent = -1;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    if (line === '') continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const depth = item[1]!.length;
      if (items === undefined || (indent !== -1 && depth !== indent)) return undefined;
      const value = readScalar(item[2]!);
      if (value === undefined) return undefined;
      indent = depth;
      items.push(value);
      continue;
    }
    if (items?.length === 0) return undefined;
    const pair = PAIR.exec(line);
    const name = pair?.[1];
    if (pair === null || name === undefined || RESERVED.test(name) || Object.hasOwn(map, name))
      return undefined;
    items = undefined;
    indent = -1;
    keys += 1;
    const written = pair[2];
    if (written === undefined) {
      items = [];
      map[name] = items;
      continue;
    }
    const value = readScalar(written);
    if (value === undefined) return undefined;
    map[name] = value;
  }
  // A key without a value is null, unless a list follows.
  return items?.length === 0 ? undefined : compactMap(map, keys);
}

/** Undefined for what has to be looked at more closely. */
function readScalar(written: string): JsonValue | undefined {
  if (QUOTED.test(written)) return written.slice(1, -1);
  if (NUMBER.test(written)) return String(Number(written)) === written ? Number(written) : undefined;
  if (written === 'true') return true;
  if (written === 'false') return false;
  return (PLAIN.test(written) && !RESERVED.test(written)) || DATE.test(written) ? written : undefined;
}

/** Whatever is neither printable nor of the common scripts, every line break but one included. */
const UNUSUAL = /[^\n -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff]/;
/** Names and values end with their lines: no comment and no blank stands behind them. */
const PAIR = /^([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: ([^ ].*))?$/;
const ITEM = /^( {0,8})- ([^ ].*)$/;
/** Begins with a letter; every character means only itself, wherever it stands. */
const PLAIN = /^(?:[A-Za-z]|[^ -~])(?:[\w/.,;()'+-]| (?! |$)|[^ -~])*$/;
const QUOTED = /^(?:"[^"\\]*"|'[^'\\]*')$/;
const NUMBER = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,3})?$/;
/** A text in YAML 1.2. */
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;
/** Means something else than its letters, or did in other versions. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

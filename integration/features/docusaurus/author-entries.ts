import { dequal } from 'dequal';
import { readData } from '../../core/source/read-data.ts';
import { isRecord } from '../../core/util/json.ts';

/** An entry of a file: its lines below its key. */
export interface Entry {
  /** The lines without their indentation, which are YAML themselves. */
  readonly text: string;
  readonly indent: string;
  /** Index of the line with the key. */
  readonly start: number;
  /** Index of the line after the last one. */
  readonly end: number;
}

/** True for a map whose values describe an author or a tag each. */
export function isListFile(key: string, text: string): boolean {
  const names = /tags\.ya?ml$/.test(key)
    ? ['label', 'permalink', 'description']
    : ['name', 'url', 'image_url', 'title'];
  const entries = Object.values(readData(text, 'yaml').data);
  return (
    entries.length > 0 &&
    entries.every((entry) => isRecord(entry) && names.some((name) => Object.hasOwn(entry, name)))
  );
}

/** The entries by key. Undefined if one of them is not YAML without the others, or if its key cannot be a file name. */
export function readEntries(text: string): ReadonlyMap<string, Entry> | undefined {
  const lines = linesOf(text);
  const entries = new Map<string, Entry>();
  for (const [start, line] of lines.entries()) {
    const name = keyIn(line);
    if (name === undefined) continue;
    let end = start + 1;
    for (let at = end; at < lines.length && !/^\S/.test(lines[at]!); at += 1) {
      if (lines[at]!.trim() !== '') end = at + 1;
    }
    const indent = /^ +/.exec(lines[start + 1] ?? '')?.[0] ?? '';
    const own = lines.slice(start + 1, end).map((each) => each.replace(indent, ''));
    entries.set(name, { text: own.join(''), indent, start, end });
  }
  const { data, problems } = readData(text, 'yaml');
  const isWhole =
    problems.length === 0 &&
    dequal(Object.keys(data).sort(), [...entries.keys()].sort()) &&
    [...entries].every(([name, entry]) =>
      dequal({ ...readData(entry.text, 'yaml').data }, { ...(data[name] as object) }),
    );
  return isWhole ? entries : undefined;
}

/** The text with another entry; null removes it. All other lines stay as they are. */
export function withEntry(text: string, name: string, next: string | null): string {
  const lines = linesOf(text);
  const entries = readEntries(text) ?? new Map<string, Entry>();
  const entry = entries.get(name);
  const [first] = entries.values();
  const indent = entry?.indent ?? first?.indent ?? '  ';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const own = linesOf(next ?? '').map((line) => (line.trim() === '' ? line : indent + line));
  if (own.length > 0 && !own.at(-1)!.endsWith('\n')) own.push(`${own.pop()}${lineEnd}`);
  if (entry !== undefined && next !== null) {
    return [...lines.slice(0, entry.start + 1), ...own, ...lines.slice(entry.end)].join('');
  }
  if (entry !== undefined) {
    const blank = lines.slice(entry.end).findIndex((line) => line.trim() !== '');
    const end = blank === -1 ? lines.length : entry.end + blank;
    return [...lines.slice(0, entry.start), ...lines.slice(end)].join('');
  }
  const isApart = [...entries.values()].some(({ end }) => end < lines.length && lines[end]!.trim() === '');
  const before = text === '' || text.endsWith('\n') ? text : text + lineEnd;
  const key = /^[a-z_][\w-]*$/i.test(name) ? name : JSON.stringify(name);
  return [before, isApart ? lineEnd : '', `${key}:${lineEnd}`, ...own].join('');
}

/** With their line ends. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** The key in a line such as `ada:`, with nothing but a comment behind it. */
function keyIn(line: string): string | undefined {
  const comment = line.indexOf(' #');
  const plain = line.slice(0, comment === -1 ? line.length : comment).trimEnd();
  if (!plain.endsWith(':')) return undefined;
  const written = plain.slice(0, -1).trimEnd();
  const [quote = ''] = written;
  const isQuoted = (quote === '"' || quote === "'") && written.length > 1 && written.endsWith(quote);
  const key = isQuoted ? written.slice(1, -1) : written;
  return KEY.test(key) ? key : undefined;
}

/** A key that can be the name of a file. */
const KEY = /^[^\s#'"./\\:][^'"/\\:]*$/;

/** The tag that opens a component of MDX, in a text. */
export interface ComponentTag {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  /** The end of the name. */
  readonly nameEnd: number;
  /** True if it ends in `/>`. */
  readonly isClosed: boolean;
  readonly attributes: readonly TagAttribute[];
}

export interface TagAttribute {
  /** Of the blanks before it. */
  readonly from: number;
  /** Of its name. */
  readonly start: number;
  readonly to: number;
  /** Empty for `{...props}`. */
  readonly name: string;
  /** Undefined for code, which forms do not change. */
  readonly value: PropValue | undefined;
}

export type PropValue = string | number | boolean;

/** UTF-16 units. A longer tag is not read. */
const MAX_TAG_UNITS = 10_000;
const NAME = /<([A-Z][\w$]*(?:\.[\w$]+)*)(?=[\s/>])/y;
const END = /\s*(\/?)>/y;
const ATTRIBUTE = /\s+(?:([\w$:@.-]+)(?:=("[^"]*"|'[^']*'|\{)|(?=[\s/>]))|\{)/y;

/** The tag of a component at an index of a text; undefined without a tag, or if it does not end. */
export function componentTagAt(text: string, from: number): ComponentTag | undefined {
  const opening = matchAt(NAME, text, from);
  if (opening === undefined) return undefined;
  const limited = text.slice(0, from + MAX_TAG_UNITS);
  const nameEnd = from + opening[0].length;
  const attributes: TagAttribute[] = [];
  for (let at = nameEnd; at < limited.length; ) {
    const end = matchAt(END, limited, at);
    if (end !== undefined) {
      const to = at + end[0].length;
      return { from, to, name: opening[1] ?? '', nameEnd, isClosed: end[1] === '/', attributes };
    }
    const match = matchAt(ATTRIBUTE, limited, at);
    if (match === undefined) return undefined;
    const [whole, name = '', written] = match;
    const valueAt = at + whole.length;
    const isCode = whole.endsWith('{');
    const to = isCode ? endOfBraces(limited, valueAt) : valueAt;
    if (to === undefined) return undefined;
    const value = isCode ? literal(limited.slice(valueAt, to - 1)) : propValue(written);
    attributes.push({
      from: at,
      start: at + whole.search(/\S/),
      to,
      name,
      value: name === '' ? undefined : value,
    });
    at = to;
  }
  return undefined;
}

/** The changes that give a tag these values. Undefined removes one. Everything else keeps its characters. */
export function propChanges(
  tag: ComponentTag,
  values: Readonly<Record<string, PropValue | undefined>>,
): readonly { readonly from: number; readonly to: number; readonly insert: string }[] {
  const end = tag.attributes.at(-1)?.to ?? tag.nameEnd;
  const changes = Object.entries(values).flatMap(([name, value]) => {
    const attribute = tag.attributes.find((each) => each.name === name);
    if (attribute === undefined) {
      return value === undefined ? [] : [{ from: end, to: end, insert: ` ${writeProp(name, value)}` }];
    }
    const { from, start, to } = attribute;
    if (attribute.value === value || (attribute.value === undefined && value === undefined)) return [];
    return value === undefined
      ? [{ from, to, insert: '' }]
      : [{ from: start, to, insert: writeProp(name, value) }];
  });
  return changes.sort((a, b) => a.from - b.from);
}

/** A property as JSX writes it: `open`, `count={3}`, `title="Tides"`. */
export function writeProp(name: string, value: PropValue): string {
  if (value === true) return name;
  if (typeof value !== 'string') return `${name}={${value}}`;
  const escaped = value
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return `${name}="${escaped}"`;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };

/** The value between quotes; undefined if it has entities that a form would write in another way. */
function propValue(written: string | undefined): PropValue | undefined {
  if (written === undefined) return true;
  const text = written.slice(1, -1);
  const isPlain = [...text.matchAll(/&(#?\w+);/g)].every(([, name = '']) => name in ENTITIES);
  return isPlain ? text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity) : undefined;
}

/** The value of an expression that is a literal. */
function literal(code: string): PropValue | undefined {
  const text = code.trim();
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const isString = /^(?:"[^"\\\n]*"|'[^'\\\n]*'|`[^`\\$]*`)$/.test(text);
  return isString ? text.slice(1, -1) : undefined;
}

const PART = /[{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[^{}"'`]+/y;

/** The index behind the brace that closes an expression. */
function endOfBraces(text: string, start: number): number | undefined {
  let depth = 1;
  for (let at = start; at < text.length; ) {
    const [part = ''] = matchAt(PART, text, at) ?? [];
    if (part === '{') depth++;
    if (part === '}') depth--;
    at += part.length || 1;
    if (depth === 0) return at;
  }
  return undefined;
}

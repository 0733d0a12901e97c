/** A property of a component, as a form can show it. */
export interface ComponentProp {
  readonly name: string;
  /** `code` for a value that only an expression can have. */
  readonly kind: 'string' | 'number' | 'boolean' | 'choice' | 'code';
  readonly choices?: readonly (string | number)[];
  readonly required?: true;
  /** The first sentences of its comment. */
  readonly description?: string;
}

/**
 * The properties that the frontmatter of an `.astro` file declares as `interface Props` or `type Props`. The file is read, and
 * never run. Inherited members are not included.
 */
export function propsOf(frontmatter: string): readonly ComponentProp[] {
  const script = scriptOf(frontmatter);
  const { tokens, declared } = script;
  const start = declared.get('Props');
  if (start === undefined) return [];
  const end = endOfType(tokens, start);
  const open = tokens.findIndex(({ text }, at) => at >= start && at < end && text === '{');
  return open === -1 ? [] : membersOf(script, open);
}

interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'sign' | 'break' | 'comment';
  readonly text: string;
}

/** UTF-16 units of a comment. */
const MAX_DESCRIPTION_UNITS = 200;
/** Names of types that name other types. */
const MAX_NAMES = 5;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const SPACES = /[^\S\n]+/y;

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const isBlock = source.startsWith('/*', at);
    if (isBlock || source.startsWith('//', at)) {
      const mark = isBlock ? '*/' : '\n';
      const found = source.indexOf(mark, at + 2);
      const end = found === -1 ? source.length : isBlock ? found + 2 : found;
      if (isBlock) tokens.push({ kind: 'comment', text: source.slice(at, end) });
      at = end;
      continue;
    }
    const spaces = matchAt(SPACES, source, at);
    if (spaces !== '') {
      at += spaces.length;
      continue;
    }
    const token = tokenAt(source, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(source: string, at: number): Token {
  for (const [kind, pattern] of [
    ['word', WORD],
    ['number', NUMBER],
    ['string', STRING],
  ] as const) {
    const text = matchAt(pattern, source, at);
    if (text !== '') return { kind, text };
  }
  const text = source.charAt(at);
  return { kind: text === '\n' ? 'break' : 'sign', text };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

interface Script {
  readonly tokens: readonly Token[];
  /** By name of a type: the index behind `interface Name` or `type Name =`. */
  readonly declared: ReadonlyMap<string, number>;
}

function scriptOf(source: string): Script {
  const tokens = tokensOf(source);
  const declared = new Map<string, number>();
  for (const [at, { text }] of tokens.entries()) {
    const name = tokens[at + 1]?.text ?? '';
    if (text === 'interface' && !declared.has(name)) declared.set(name, at + 2);
    if (text === 'type' && tokens[at + 2]?.text === '=' && !declared.has(name)) declared.set(name, at + 3);
  }
  return { tokens, declared };
}

const OPENING = '{[(<';
const CLOSING = '}])>';

/** The index of the token that ends a type or a member: `;`, `,`, a closing bracket, or a line break that nothing continues. */
function endOfType(tokens: readonly Token[], start: number): number {
  let depth = 0;
  let before: Token | undefined;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at]!;
    const isArrow = token.text === '>' && before?.text === '=';
    if (token.kind === 'break') {
      const next = tokens.slice(at, at + 50).find(({ kind }) => kind !== 'break' && kind !== 'comment');
      const continues =
        before === undefined || /^[|&=:]$/.test(before.text) || /^[|&]$/.test(next?.text ?? '');
      if (depth === 0 && !continues) return at;
      continue;
    }
    if (token.kind === 'comment') continue;
    if (token.kind === 'sign' && !isArrow) {
      if (OPENING.includes(token.text)) depth++;
      else if (CLOSING.includes(token.text) && --depth < 0) return at;
      else if (depth === 0 && (token.text === ';' || token.text === ',')) return at;
    }
    before = token;
  }
  return tokens.length;
}

/** The members between the brace at an index and the one that closes it. */
function membersOf(script: Script, open: number): readonly ComponentProp[] {
  const { tokens } = script;
  const props: ComponentProp[] = [];
  let comment: string | undefined;
  for (let at = open + 1; at < tokens.length && tokens[at]?.text !== '}'; ) {
    const token = tokens[at]!;
    if (token.kind === 'comment') comment = token.text;
    if (token.kind === 'comment' || token.kind === 'break' || token.text === ';' || token.text === ',') {
      at++;
      continue;
    }
    const end = endOfType(tokens, at);
    const member = tokens.slice(at, end).filter(({ kind }) => kind !== 'break' && kind !== 'comment');
    const prop = propOf(member, script, comment);
    if (prop !== undefined) props.push(prop);
    comment = undefined;
    at = Math.max(end, at + 1);
  }
  return props;
}

function propOf(
  member: readonly Token[],
  script: Script,
  comment: string | undefined,
): ComponentProp | undefined {
  const [first, second] = member;
  const isReadonly = first?.text === 'readonly' && second?.kind !== 'sign';
  const [key, ...rest] = isReadonly ? member.slice(1) : member;
  const isOptional = rest[0]?.text === '?';
  const type = isOptional ? rest.slice(1) : rest;
  if (key === undefined || type[0]?.text !== ':') return undefined;
  const name = key.kind === 'string' ? key.text.slice(1, -1) : key.text;
  // Others are not attributes of JSX, or are directives of Astro.
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return undefined;
  const parts = partsOf(type.slice(1), script, 0);
  const isRequired = !isOptional && !parts.includes('undefined');
  const description = descriptionOf(comment);
  return {
    name,
    ...kindOf(parts.filter((part) => part !== 'undefined')),
    ...(isRequired && { required: true }),
    ...(description !== '' && { description }),
  };
}

/** The members of a union. Names of types of the file stand for their members; a type with several tokens is `''`. */
function partsOf(type: readonly Token[], script: Script, names: number): readonly string[] {
  let depth = 0;
  const parts: Token[][] = [[]];
  for (const token of type) {
    if (token.kind === 'sign' && OPENING.includes(token.text)) depth++;
    if (token.kind === 'sign' && CLOSING.includes(token.text)) depth--;
    if (token.text === '|' && depth === 0) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts
    .filter((part, at) => part.length > 0 || at > 0)
    .flatMap(([token, ...others]): readonly string[] => {
      if (token === undefined || others.length > 0) return [''];
      const { tokens, declared } = script;
      const start = names < MAX_NAMES ? declared.get(token.text) : undefined;
      if (start === undefined || tokens[start - 1]?.text !== '=') return [token.text];
      const named = tokens.slice(start, endOfType(tokens, start));
      const alias = named.filter(({ kind }) => kind !== 'break' && kind !== 'comment');
      return partsOf(alias, script, names + 1);
    });
}

function kindOf(parts: readonly string[]): Pick<ComponentProp, 'kind' | 'choices'> {
  const literals = parts.flatMap((part) => literalOf(part) ?? []);
  if (parts.length > 0 && literals.length === parts.length) return { kind: 'choice', choices: literals };
  const isOf = (...kinds: readonly string[]) =>
    parts.length > 0 && parts.every((part) => kinds.includes(part));
  if (isOf('boolean', 'true', 'false')) return { kind: 'boolean' };
  if (isOf('number')) return { kind: 'number' };
  const isText = parts.every(
    (part) => part === 'string' || part === 'number' || literalOf(part) !== undefined,
  );
  return { kind: isText && parts.includes('string') ? 'string' : 'code' };
}

function literalOf(part: string): string | number | undefined {
  if (/^["']/.test(part)) return part.slice(1, -1).replace(/\\(.)/g, '$1');
  return /^\d/.test(part) && !Number.isNaN(Number(part)) ? Number(part) : undefined;
}

function descriptionOf(comment = ''): string {
  const text = comment
    .slice('/*'.length, -'*/'.length)
    .split('\n')
    .map((line) => line.trim().replace(/^\*/, '').trim())
    .join(' ')
    .split(' @', 1)[0]!
    .trim();
  return text.length > MAX_DESCRIPTION_UNITS ? `${text.slice(0, MAX_DESCRIPTION_UNITS - 1)}…` : text;
}

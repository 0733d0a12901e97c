import nodeModule from 'node:module';
import {
  type CallExpression,
  type Expression,
  type ObjectExpression,
  Parser,
  type Program,
  type Token,
} from 'acorn';

/**
 * The source of an astro.config with the places that edits need. Edits are splices, so that the rest of the file stays as
 * it is.
 */
export interface ConfigSource {
  readonly text: string;
  readonly program: Program;
  readonly tokens: readonly Token[];
  /** The object that the config exports. */
  readonly config: ObjectExpression;
  /** The call of this integration; undefined for a config without it. */
  readonly call: CallExpression | undefined;
}

export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Undefined if the config is not an object that can be found without running the file. Throws if it is not valid code. */
export function parseConfig(text: string): ConfigSource | undefined {
  // Types become blanks, so that positions stay.
  const code = nodeModule.stripTypeScriptTypes(text);
  const tokens: Token[] = [];
  const program = Parser.parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  const exported = program.body.flatMap((each) =>
    each.type === 'ExportDefaultDeclaration' ? [each.declaration as Expression] : [],
  )[0];
  const config = exported && objectOf(exported, program);
  return config && { text, program, tokens, config, call: ownCall(program, config) };
}

/** Of splices at one position, the last one comes first in the text. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (edited, { start, end, text: added }) => edited.slice(0, start) + added + edited.slice(end),
      text,
    );
}

/**
 * Adds the integration with options, and settings of Astro that the config does not have. Undefined if the list of
 * integrations is not an array that can be found, or may be in an object that the config spreads.
 */
export function addIntegration(
  source: ConfigSource,
  options: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const { program, config } = source;
  const style = styleOf(source);
  const list = propertyOf(config, 'integrations');
  const found = list && resolve(list, program);
  const array = found?.type === 'ArrayExpression' ? found : undefined;
  if (list === undefined && config.properties.some(({ type }) => type === 'SpreadElement')) return undefined;
  if (list !== undefined && array === undefined) return undefined;
  const [inCall, inList] = [style.indent, style.indent + style.step];
  const given =
    Object.keys(options).length === 0 ? '' : written(options, style, array === undefined ? inCall : inList);
  const call = `jsonapi(${given})`;
  const properties = Object.entries(settings).map(
    ([name, value]) => `${name}: ${written(value, style, style.indent)}`,
  );
  if (array === undefined) properties.push(`integrations: [${call}]`);
  const item = properties.join(`,${style.newline}${style.indent}`);
  const isEmpty = config.properties.length === 0;
  const block = isEmpty ? `${style.newline}${style.indent}${item},${style.newline}` : item;
  return applySplices(source.text, [
    importSplice(program, style),
    ...(array === undefined ? [] : append(source, array, array.elements.at(-1) ?? undefined, call, style)),
    ...(properties.length === 0 ? [] : append(source, config, config.properties.at(-1), block, style)),
  ]);
}

/** The value of a property; undefined without it. */
export function propertyOf(object: ObjectExpression, name: string): Expression | undefined {
  for (const property of object.properties) {
    if (property.type !== 'Property' || property.computed) continue;
    const { key } = property;
    if ((key.type === 'Identifier' && key.name === name) || (key.type === 'Literal' && key.value === name)) {
      return property.value;
    }
  }
  return undefined;
}

/** An object, the object in a call such as `defineConfig({ … })`, or the one that a function or a constant has. */
function objectOf(expression: Expression, program: Program): ObjectExpression | undefined {
  const found = resolve(expression, program);
  if (found?.type === 'ObjectExpression') return found;
  if (found?.type === 'CallExpression') {
    const [first] = found.arguments;
    return first === undefined || first.type === 'SpreadElement' ? undefined : objectOf(first, program);
  }
  if (found?.type !== 'ArrowFunctionExpression' && found?.type !== 'FunctionExpression') return undefined;
  if (found.body.type !== 'BlockStatement') return objectOf(found.body, program);
  const returned = found.body.body.flatMap((each) =>
    each.type === 'ReturnStatement' ? [each.argument] : [],
  );
  const [only] = returned;
  return returned.length === 1 && only ? objectOf(only, program) : undefined;
}

/** The value of a constant of the file, else the expression itself. */
function resolve(expression: Expression, program: Program): Expression | undefined {
  if (expression.type === 'ParenthesizedExpression') return resolve(expression.expression, program);
  if (expression.type !== 'Identifier') return expression;
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      if (id.type === 'Identifier' && id.name === expression.name) return init ?? undefined;
    }
  }
  return undefined;
}

function ownCall(program: Program, config: ObjectExpression): CallExpression | undefined {
  const name = ownName(program);
  const list = propertyOf(config, 'integrations');
  const array = list && resolve(list, program);
  if (name === undefined || array?.type !== 'ArrayExpression') return undefined;
  return array.elements.flatMap((each) =>
    each?.type === 'CallExpression' && each.callee.type === 'Identifier' && each.callee.name === name
      ? [each]
      : [],
  )[0];
}

/** The name under which the config imports this integration. */
function ownName(program: Program): string | undefined {
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration' || statement.source.value !== 'astro-jsonapi') continue;
    const own = statement.specifiers.find(({ type }) => type === 'ImportDefaultSpecifier');
    if (own !== undefined) return own.local.name;
  }
  return undefined;
}

/** How the file is written. */
interface Style {
  readonly quote: string;
  readonly semicolon: string;
  readonly newline: string;
  /** Of the properties of the config. */
  readonly indent: string;
  /** Of one level. */
  readonly step: string;
}

function styleOf({ text, program, config }: ConfigSource): Style {
  const imports = program.body.filter((each) => each.type === 'ImportDeclaration');
  const [first] = imports;
  const [property] = config.properties;
  const before = property && text.slice(text.lastIndexOf('\n', property.start) + 1, property.start);
  const indent = before !== undefined && before.trim() === '' ? before : '  ';
  return {
    quote: first === undefined ? "'" : (text[first.source.start] ?? "'"),
    semicolon: first === undefined || text[first.end - 1] === ';' ? ';' : '',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    indent,
    step: indent.startsWith('\t') ? '\t' : '  ',
  };
}

/** After the last import, else at the start of the file. */
function importSplice(program: Program, { quote, semicolon, newline }: Style): Splice {
  const line = `import jsonapi from ${quote}astro-jsonapi${quote}${semicolon}`;
  const last = program.body.findLast((each) => each.type === 'ImportDeclaration');
  return last === undefined
    ? { start: program.start, end: program.start, text: `${line}${newline}${newline}` }
    : { start: last.end, end: last.end, text: `${newline}${line}` };
}

/** Splices that add an item to an array or an object: on a line of its own if the last item is followed by a line break. */
function append(
  { text, tokens }: ConfigSource,
  list: Place,
  last: Place | undefined,
  item: string,
  { newline }: Style,
): readonly Splice[] {
  if (last === undefined) {
    const isEmpty = text.slice(list.start + 1, list.end - 1).trim() === '';
    return [
      isEmpty
        ? { start: list.start + 1, end: list.end - 1, text: item }
        : { start: list.start + 1, end: list.start + 1, text: `${item},` },
    ];
  }
  const next = tokens.find(({ start }) => start >= last.end);
  const hasComma = next?.type.label === ',';
  const end = hasComma ? next.end : last.end;
  const lineEnd = text.slice(end, list.end).search(/\r?\n/);
  if (lineEnd < 0) return [{ start: last.end, end: last.end, text: `, ${item}` }];
  const line = text.slice(text.lastIndexOf('\n', last.start) + 1, last.start);
  const indent = line.slice(0, line.length - line.trimStart().length);
  const at = end + lineEnd;
  return [
    { start: at, end: at, text: `${newline}${indent}${item}${hasComma ? ',' : ''}` },
    ...(hasComma ? [] : [{ start: end, end, text: ',' }]),
  ];
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A value as it is written in a config: without quotes around names, and with the quotes of the file. */
function written(value: unknown, style: Style, indent: string): string {
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    const isPlain = style.quote === "'" && !text.includes("'") && !text.includes('\\');
    return isPlain ? `'${value}'` : text;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = indent + style.step;
  const items = Array.isArray(value)
    ? value.map((item) => written(item, style, inner))
    : Object.entries(value).map(
        ([name, item]) => `${propertyName(name, style)}: ${written(item, style, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = open + items.join(', ') + close;
  if (line.length <= MAX_LINE) return line;
  const lines = items.map((item) => `${style.newline}${inner}${item},`);
  return `${open.trim()}${lines.join('')}${style.newline}${indent}${close.trim()}`;
}

/** Characters of an object or an array that is written in one line. */
const MAX_LINE = 70;

function propertyName(name: string, style: Style): string {
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : written(name, style, '');
}

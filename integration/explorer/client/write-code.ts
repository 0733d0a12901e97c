import type { FieldKind } from '../../content/model.ts';
import { pathTarget } from './field-paths.ts';
import { type FormCondition, type FormGroup, isComplete, type QueryForm, valueCount } from './query-form.ts';
import type { ExplorerSchema } from './schema.ts';

/** The call that asks the same at build time: TypeScript to paste between the fences of a page. */
export function writeCode(schema: ExplorerSchema, form: QueryForm): string {
  const type = schema.types.find((known) => known.name === form.type);
  const name = type?.entityType === 'node' ? type.bundle : form.type;
  const kindOf = (path: string): FieldKind | undefined => pathTarget(schema, form.type, path)?.kind;
  const calls = [
    ...(form.search === '' ? [] : listCall('search', [form.search])),
    ...form.filter.members.flatMap((member) =>
      member.kind === 'condition'
        ? conditionTexts(member, kindOf).map((condition) => `.where(${condition})`)
        : nestedCall(member, kindOf),
    ),
    ...listCall('sort', form.sort.filter((key) => isWhole(key.path)).map(sortText)),
    ...listCall('include', form.include),
    ...listCall('fields', form.fields.get(form.type) ?? []),
    ...pageCall(form),
    '.all()',
  ];
  const start = `await entities(${quote(name)})`;
  const line = start + calls.join('');
  if (calls.length < 3 && line.length <= LINE_LENGTH) return line;
  return [start, ...calls].join('\n').replaceAll('\n', '\n  ');
}

const LINE_LENGTH = 70;
const NUMERIC: ReadonlySet<FieldKind> = new Set(['integer', 'number']);

type KindOf = (path: string) => FieldKind | undefined;

function nestedCall(group: FormGroup, kindOf: KindOf): readonly string[] {
  const helpers = new Set<string>();
  const [expression] = groupTexts(group, kindOf, helpers);
  if (expression === undefined) return [];
  return [`.where(({ ${[...helpers].sort().join(', ')} }) =>\n${indent(expression)},\n)`];
}

/** One text, or none for a group with nothing complete in it. `helpers` collects what the texts call. */
function groupTexts(group: FormGroup, kindOf: KindOf, helpers: Set<string>): readonly string[] {
  const members = group.members.flatMap((member) => {
    if (member.kind === 'group') return groupTexts(member, kindOf, helpers);
    const texts = conditionTexts(member, kindOf).map((condition) => `where(${condition})`);
    if (texts.length > 0) helpers.add('where');
    return texts;
  });
  if (members.length === 0) return [];
  const helper = group.conjunction === 'OR' ? 'or' : 'and';
  helpers.add(helper);
  const line = `${helper}(${members.join(', ')})`;
  if (line.length <= LINE_LENGTH && !line.includes('\n')) return [line];
  return [`${helper}(\n${members.map((member) => `${indent(member)},`).join('\n')}\n)`];
}

/** The arguments of `where`, or none for an incomplete condition. */
function conditionTexts(condition: FormCondition, kindOf: KindOf): readonly string[] {
  if (!isComplete(condition)) return [];
  const kind = kindOf(condition.path);
  const start = `${quote(condition.path)}, ${quote(condition.operator)}`;
  const values = condition.values.map((value) => valueText(value, kind));
  switch (valueCount(condition.operator)) {
    case 'none':
      return [start];
    case 'one':
      return [`${start}, ${values[0]}`];
    case 'two':
    case 'many':
      return [`${start}, [${values.join(', ')}]`];
  }
}

function valueText(value: string, kind: FieldKind | undefined): string {
  if (kind === 'boolean' && /^(?:0|1|true|false)$/i.test(value))
    return /^(?:1|true)$/i.test(value) ? 'true' : 'false';
  if (kind !== undefined && NUMERIC.has(kind) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return value;
  return quote(value);
}

function listCall(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`.${name}(${items.map(quote).join(', ')})`];
}

/** A limit of 0 in a URL is no limit in a call; what is no whole number is left out, as the URL is refused. */
function pageCall(form: QueryForm): readonly string[] {
  const offset = /^\d+$/.test(form.offset) ? [`offset: ${Number(form.offset)}`] : [];
  const limit = /^\d+$/.test(form.limit) && Number(form.limit) > 0 ? [`limit: ${Number(form.limit)}`] : [];
  const entries = [...offset, ...limit];
  return entries.length === 0 ? [] : [`.page({ ${entries.join(', ')} })`];
}

function sortText(key: QueryForm['sort'][number]): string {
  return key.direction === 'DESC' ? `-${key.path}` : key.path;
}

function isWhole(path: string): boolean {
  return path !== '' && !path.endsWith('.');
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

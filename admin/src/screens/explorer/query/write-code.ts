import type { FieldKind } from '../../../../../integration/content/model.ts';
import { bundleNamed, type Schema } from '../../../api/schema.ts';
import { pathTarget } from './field-paths.ts';
import {
  type FormCondition,
  type FormGroup,
  isComplete,
  isPath,
  type QueryForm,
  valueCount,
} from './form.ts';

/** The same query as TypeScript for the frontmatter of an Astro page. */
export function writeCode(schema: Schema, form: QueryForm): string {
  const bundle = bundleNamed(schema, form.type);
  const kindOf = (path: string): FieldKind | undefined => pathTarget(schema, form.type, path)?.kind;
  const sort = form.sort.filter(({ path }) => isPath(path));
  const calls = [
    ...call('search', form.search === '' ? [] : [form.search]),
    ...form.filter.members.flatMap((member) =>
      member.kind === 'group'
        ? groupCall(member, kindOf)
        : isComplete(member)
          ? [`.where(${conditionArguments(member, kindOf)})`]
          : [],
    ),
    ...call(
      'sort',
      sort.map(({ path, direction }) => (direction === 'DESC' ? `-${path}` : path)),
    ),
    ...call('include', form.include),
    ...call('fields', form.fields[form.type] ?? []),
    ...pageCall(form),
    '.all()',
  ];
  const start = `await entities(${quote(bundle?.entityType === 'node' ? bundle.bundle : form.type)})`;
  const line = start + calls.join('');
  if (calls.length < 3 && line.length <= LINE_LENGTH) return line;
  return [start, ...calls].join('\n').replaceAll('\n', '\n  ');
}

type KindOf = (path: string) => FieldKind | undefined;

const LINE_LENGTH = 70;

function groupCall(group: FormGroup, kindOf: KindOf): readonly string[] {
  const helpers = new Set<string>();
  const [expression] = groupExpression(group, kindOf, helpers);
  if (expression === undefined) return [];
  return [`.where(({ ${[...helpers].sort().join(', ')} }) =>\n${indent(expression)},\n)`];
}

/** One expression, or none for a group without a complete condition. Adds the functions it calls to `helpers`. */
function groupExpression(group: FormGroup, kindOf: KindOf, helpers: Set<string>): readonly string[] {
  const members = group.members.flatMap((member) => {
    if (member.kind === 'group') return groupExpression(member, kindOf, helpers);
    if (!isComplete(member)) return [];
    helpers.add('where');
    return [`where(${conditionArguments(member, kindOf)})`];
  });
  if (members.length === 0) return [];
  const helper = group.conjunction.toLowerCase();
  helpers.add(helper);
  const line = `${helper}(${members.join(', ')})`;
  if (line.length <= LINE_LENGTH && !line.includes('\n')) return [line];
  return [`${helper}(\n${members.map((member) => `${indent(member)},`).join('\n')}\n)`];
}

function conditionArguments({ path, operator, values }: FormCondition, kindOf: KindOf): string {
  const start = `${quote(path)}, ${quote(operator)}`;
  const written = values.map((value) => valueText(value, kindOf(path)));
  const count = valueCount(operator);
  if (count === 'none') return start;
  return `${start}, ${count === 'one' ? written[0] : `[${written.join(', ')}]`}`;
}

function valueText(value: string, kind: FieldKind | undefined): string {
  if (kind === 'boolean' && /^(?:0|1|true|false)$/i.test(value)) return String(/^(?:1|true)$/i.test(value));
  const isNumber = kind === 'integer' || kind === 'number';
  return isNumber && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? value : quote(value);
}

function call(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`.${name}(${items.map(quote).join(', ')})`];
}

/** A limit of 0 in a URL means no limit. The API rejects other text, so it is left out. */
function pageCall({ offset, limit }: QueryForm): readonly string[] {
  const entries = [
    ...(/^\d+$/.test(offset) ? [`offset: ${Number(offset)}`] : []),
    ...(/^\d+$/.test(limit) && Number(limit) > 0 ? [`limit: ${Number(limit)}`] : []),
  ];
  return entries.length === 0 ? [] : [`.page({ ${entries.join(', ')} })`];
}

/** A string literal in single quotes. */
export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

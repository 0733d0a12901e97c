import { type Diagnostic, FILE_START, type Position } from '../../source/diagnostic.ts';
import { closestName } from '../../util/closest-name.ts';
import { locatorOf } from '../content-file.ts';
import type { Bundle } from '../content-index.ts';
import type { PublicationRule } from '../decode/publication.ts';
import type { FieldDefinition, FieldKind } from '../model.ts';
import { shortTypeName } from '../resource-type.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';

/** File names in a line about many files. */
const MAX_NAMES = 3;
/** Fields in the report about a bundle. */
const MAX_FIELDS = 100;

/** Reports inferred fields, renamed keys and contradictions between the files of a bundle. */
export function reportBundle(bundle: Bundle, publication: PublicationRule): readonly Diagnostic[] {
  const { shape } = bundle;
  if (shape === undefined) return reportDuplicateIds(bundle);
  const key = `${folderOf(bundle)}/`;
  const info = (code: string, message: string) => diagnostic('info', code, key, message);
  const fields = [...shape.type.fields.values()];
  return [
    ...(shape.type.origin === 'inferred'
      ? [info('inference/report', describeBundle(bundle, fields, shape.textStatus, publication))]
      : []),
    ...fields
      .filter((field) => field.name !== field.key)
      .map((field) => {
        const message = `The key \`${field.key}\` becomes the field \`${field.name}\`, because JSON:API reserves or forbids the key.`;
        return info('field/renamed', message);
      }),
    ...shape.clashes.map(({ key: dropped, kept, name }) => {
      const message = `The keys \`${kept}\` and \`${dropped}\` both become the field \`${name}\`; \`${dropped}\` is ignored.`;
      const hint = 'Rename one of them in all files of the bundle.';
      return {
        ...firstPositionOf(bundle, dropped),
        severity: 'error',
        code: 'field/clash',
        message,
        hint,
      } as const;
    }),
    ...reportMixedStatus(bundle),
    ...reportDuplicateIds(bundle),
  ];
}

function describeBundle(
  { name, files }: Bundle,
  fields: readonly FieldDefinition[],
  textStatus: boolean,
  publication: PublicationRule,
): string {
  const own = fields.filter((field) => !field.base).map(describeField);
  if (own.length > MAX_FIELDS) own.splice(MAX_FIELDS, own.length, `and ${own.length - MAX_FIELDS} more`);
  const status = textStatus ? `; status is a string: ${publication.description}` : '';
  const list = own.length === 0 ? 'no fields of its own' : own.join(', ');
  return `${name}, ${count(files.size, 'file')}, no schema: ${list}${status}.`;
}

function reportDuplicateIds(bundle: Bundle): readonly Diagnostic[] {
  return [...bundle.ids.contested].flatMap(([id, [owner, ...others]]) =>
    others.map((key) => {
      const file = bundle.files.get(key);
      const position = file?.idKey === undefined ? FILE_START : locatorOf(file)([file.idKey]);
      const message = `\`${key}\` and \`${owner}\` have the same id \`${id}\`; only \`${owner}\` is served.`;
      const hint = 'Rename one of the files, or give it another `id`.';
      return diagnostic('error', 'id/duplicate', key, message, hint, position);
    }),
  );
}

/** One line for all skipped files. */
export function reportIgnored(keys: ReadonlySet<string>): readonly Diagnostic[] {
  if (keys.size === 0) return [];
  const message = `${count(keys.size, 'file')} skipped (outside of bundle folders, or with a leading \`_\` or \`.\`): ${listed(keys)}.`;
  return [diagnostic('info', 'file/ignored', '', message)];
}

/** Reports bundles and targets without content, which are probably misspelled. */
export function reportSchema(
  declared: ReadonlyMap<string, DeclaredBundle>,
  bundles: readonly Bundle[],
): readonly Diagnostic[] {
  const filled = bundles.filter(({ keys }) => keys.size > 0).map(({ name }) => shortTypeName(name));
  const declaredNames = [...declared.keys()].map(shortTypeName);
  const named = new Set([...declaredNames, ...filled]);
  const undeclared = filled.filter((name) => !declaredNames.includes(name));
  const warn = (code: string, message: string, near: string | undefined) =>
    diagnostic('warning', code, 'schema.ts', message, near && `Did you mean \`${near}\`?`);
  return [...declared].flatMap(([type, { fields }]) => {
    const bundle = shortTypeName(type);
    const near = filled.includes(bundle) ? undefined : closestName(bundle, undeclared);
    return [
      ...(near === undefined
        ? []
        : [warn('schema/no-folder', `There is no content for the bundle \`${bundle}\`.`, near)]),
      ...[...fields].flatMap(([name, { definition }]) =>
        definition.targets
          .map(shortTypeName)
          .filter((target) => !named.has(target))
          .map((target) => {
            const message = `\`${bundle}.${name}\` refers to \`${target}\`, which does not exist.`;
            return warn('schema/unknown-target', message, closestName(target, named));
          }),
      ),
    ];
  });
}

/** One problem for every folder with an invalid bundle name. */
export function reportMisplaced(folders: ReadonlyMap<string, ReadonlySet<string>>): readonly Diagnostic[] {
  return [...folders].map(([folder, keys]) => {
    const message = `\`${folder}\` is not a valid bundle name, so ${count(keys.size, 'file')} in it cannot be read: ${listed(keys)}.`;
    const hint = 'Name the folder with letters, digits, `_` and `-` only.';
    return diagnostic('error', 'bundle/name', `${folder}/`, message, hint);
  });
}

function reportMixedStatus({ name, declared, profile, files }: Bundle): readonly Diagnostic[] {
  const { flags, texts } = profile;
  if (declared !== undefined || flags === 0 || texts === 0) return [];
  const firstWith = (kind: 'boolean' | 'string'): string =>
    [...files.values()]
      .filter((file) => typeof file.base.status === kind)
      .reduce((least, { key }) => (least === '' || key < least ? key : least), '');
  const isFlagOdd = flags < texts;
  const [key, other] = isFlagOdd
    ? [firstWith('boolean'), firstWith('string')]
    : [firstWith('string'), firstWith('boolean')];
  const [kind, otherKind] = isFlagOdd ? ['true or false', 'a string'] : ['a string', 'true or false'];
  const file = files.get(key);
  const position = file === undefined ? FILE_START : locatorOf(file)(['status']);
  const message = `\`status\` is ${kind} here, but ${otherKind} in \`${other}\`.`;
  const hint = `Use one kind in all files of \`${shortTypeName(name)}\`.`;
  return [diagnostic('error', 'status/mixed', key, message, hint, position)];
}

function firstPositionOf(bundle: Bundle, key: string): Pick<Diagnostic, 'key' | 'line' | 'column'> {
  const files = [...bundle.files.values()].filter((file) => Object.hasOwn(file.data, key));
  const [file] = files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return file === undefined
    ? { key: `${folderOf(bundle)}/`, ...FILE_START }
    : { key: file.key, ...locatorOf(file)([key], 'key') };
}

/** The first folder of a bundle: `article` and `node--article` are the same bundle. */
function folderOf({ name, keys }: Bundle): string {
  const short = shortTypeName(name);
  const [first = short, second = short] = [name, short].sort();
  for (const key of keys) {
    if (key.startsWith(`${first}/`)) return first;
  }
  return keys.size === 0 ? short : second;
}

function describeField(field: FieldDefinition): string {
  const target = field.kind === 'reference' ? ` to ${field.targets.map(shortTypeName).join(' or ')}` : '';
  return `${field.name} ${field.list ? 'list of ' : ''}${KIND_NAMES[field.kind]}${target}`;
}

const KIND_NAMES: Readonly<Record<FieldKind, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  datetime: 'date-time',
  reference: 'reference',
  object: 'object',
  formatted_text: 'formatted text',
  image: 'image',
  file: 'file',
  json: 'mixed',
};

function listed(keys: ReadonlySet<string>): string {
  const more = keys.size > MAX_NAMES ? ' …' : '';
  return `${[...keys].sort().slice(0, MAX_NAMES).join(', ')}${more}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function diagnostic(
  severity: Diagnostic['severity'],
  code: string,
  key: string,
  message: string,
  hint?: string,
  position: Position = FILE_START,
): Diagnostic {
  return { severity, code, key, ...position, message, ...(hint && { hint }) };
}

import { type Diagnostic, FILE_START } from '../../source/diagnostic.ts';
import { closestName } from '../../util/closest-name.ts';
import { locatorOf } from '../content-file.ts';
import type { Bundle } from '../content-index.ts';
import type { FieldDefinition, FieldKind } from '../model.ts';
import type { PublicationRule } from '../publication.ts';
import { shortTypeName } from '../resource-type.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';

/** How many names a line about many files gives. */
const NAMES_SHOWN = 3;
/** How many fields the report on a bundle lists. */
const FIELDS_SHOWN = 100;

/** What is to say of a bundle as a whole: what was inferred, renamed or contradicts itself. */
export function reportBundle(bundle: Bundle, publication: PublicationRule): readonly Diagnostic[] {
  const { shape } = bundle;
  if (shape === undefined) {
    return [];
  }
  const folder = `${folderOf(bundle)}/`;
  const about = (
    severity: Diagnostic['severity'],
    code: string,
    message: string,
    hint?: string,
  ): Diagnostic => ({
    severity,
    code,
    key: folder,
    ...FILE_START,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const reports: Diagnostic[] = [];
  if (shape.type.origin === 'inferred') {
    const own = [...shape.type.fields.values()].filter((field) => !field.base);
    const fields = own.slice(0, FIELDS_SHOWN).map(describeField);
    if (own.length > FIELDS_SHOWN) fields.push(`and ${own.length - FIELDS_SHOWN} more`);
    const status = shape.textStatus ? `; status is text: ${publication.description}` : '';
    const what = fields.length === 0 ? 'no fields of its own' : fields.join(', ');
    reports.push(
      about(
        'info',
        'inference/report',
        `${shape.type.name}, ${count(bundle.files.size, 'file')}, no schema: ${what}${status}.`,
      ),
    );
  }
  for (const field of shape.type.fields.values()) {
    if (field.name !== field.key) {
      const message = `The key \`${field.key}\` is answered as \`${field.name}\`, because JSON:API reserves or forbids it.`;
      reports.push(about('info', 'field/renamed', message));
    }
  }
  for (const { key, kept, name } of shape.clashes) {
    reports.push({
      ...firstPlaceOf(bundle, key),
      severity: 'error',
      code: 'field/clash',
      message: `The keys \`${kept}\` and \`${key}\` are both answered as \`${name}\`; \`${key}\` is left out.`,
      hint: 'Rename one of them in all files of the bundle.',
    });
  }
  return [...reports, ...reportMixedStatus(bundle)];
}

/** Files that claim an id which another file has. */
export function reportClashes(bundle: Bundle): readonly Diagnostic[] {
  const reports: Diagnostic[] = [];
  for (const [id, claim] of bundle.claims) {
    if (typeof claim === 'string') continue;
    const [holder, ...others] = claim;
    for (const key of others) {
      const file = bundle.files.get(key);
      const position = file?.idKey === undefined ? FILE_START : locatorOf(file)([file.idKey]);
      const message = `\`${key}\` and \`${holder}\` have the same id \`${id}\`; only the latter is answered.`;
      const hint = 'Rename one of the files, or give it another `id`.';
      reports.push({ severity: 'error', code: 'id/duplicate', key, ...position, message, hint });
    }
  }
  return reports;
}

/** One line for all files that are passed over. */
export function reportIgnored(keys: ReadonlySet<string>): readonly Diagnostic[] {
  if (keys.size === 0) {
    return [];
  }
  const message = `${count(keys.size, 'file')} passed over, being outside bundle folders or named with a leading \`_\` or \`.\`: ${listed(keys)}.`;
  return [{ severity: 'info', code: 'file/ignored', key: '', ...FILE_START, message }];
}

/** What a schema speaks of and the content does not have: mistyped names, most likely. */
export function reportSchema(
  declared: ReadonlyMap<string, DeclaredBundle>,
  bundles: readonly Bundle[],
): readonly Diagnostic[] {
  const filled = bundles.filter(({ keys }) => keys.size > 0).map(({ name }) => shortTypeName(name));
  const named = new Set([...declared.keys()].map(shortTypeName).concat(filled));
  const free = filled.filter((name) => ![...declared.keys()].map(shortTypeName).includes(name));
  const reports: Diagnostic[] = [];
  const about = (severity: Diagnostic['severity'], code: string, message: string, near: string | undefined) =>
    reports.push({
      severity,
      code,
      key: 'schema.ts',
      ...FILE_START,
      message,
      ...(near === undefined ? {} : { hint: `Did you mean \`${near}\`?` }),
    });
  for (const [type, { fields }] of declared) {
    const bundle = shortTypeName(type);
    const near = closestName(bundle, free);
    if (near !== undefined && !filled.includes(bundle)) {
      about('warning', 'schema/no-folder', `There is no content for the bundle \`${bundle}\`.`, near);
    }
    for (const [name, { definition }] of fields) {
      for (const target of definition.targets.map(shortTypeName).filter((each) => !named.has(each))) {
        const message = `\`${bundle}.${name}\` refers to \`${target}\`, which is no bundle here.`;
        about('warning', 'schema/unknown-target', message, closestName(target, named));
      }
    }
  }
  return reports;
}

/** One problem for every folder whose name cannot be a bundle. */
export function reportMisplaced(folders: ReadonlyMap<string, ReadonlySet<string>>): readonly Diagnostic[] {
  return [...folders].map(([folder, keys]) => ({
    severity: 'error',
    code: 'bundle/name',
    key: `${folder}/`,
    ...FILE_START,
    message: `\`${folder}\` cannot be the name of a bundle, so ${count(keys.size, 'file')} in it: ${listed(keys)}, cannot be read.`,
    hint: 'Name the folder with letters, digits, `_` and `-` only.',
  }));
}

function reportMixedStatus(bundle: Bundle): readonly Diagnostic[] {
  const { flags, texts } = bundle.profile;
  if (bundle.declared !== undefined || flags === 0 || texts === 0) {
    return [];
  }
  const first = (kind: 'boolean' | 'string'): string =>
    [...bundle.files.values()]
      .filter((file) => typeof file.base.status === kind)
      .reduce((least, file) => (least === '' || file.key < least ? file.key : least), '');
  const [odd, other] =
    flags < texts ? [first('boolean'), first('string')] : [first('string'), first('boolean')];
  const file = bundle.files.get(odd);
  const message = `\`status\` is ${flags < texts ? 'true or false' : 'a text'} here and ${flags < texts ? 'a text' : 'true or false'} in \`${other}\`.`;
  const position = file === undefined ? FILE_START : locatorOf(file)(['status']);
  const hint = `Use one kind in all of \`${shortTypeName(bundle.name)}\`.`;
  return [{ severity: 'error', code: 'status/mixed', key: odd, ...position, message, hint }];
}

function firstPlaceOf(bundle: Bundle, key: string): Pick<Diagnostic, 'key' | 'line' | 'column'> {
  const files = [...bundle.files.values()].filter((file) => Object.hasOwn(file.data, key));
  const [file] = files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return file === undefined
    ? { key: `${folderOf(bundle)}/`, ...FILE_START }
    : { key: file.key, ...locatorOf(file)([key], 'key') };
}

/** The first of the folders its files lie in: `article` and `node--article` are the same bundle. */
function folderOf(bundle: Bundle): string {
  let first: string | undefined;
  for (const key of bundle.keys) {
    const folder = key.slice(0, key.indexOf('/'));
    if (first === undefined || folder < first) {
      first = folder;
    }
  }
  return first ?? shortTypeName(bundle.name);
}

function describeField(field: FieldDefinition): string {
  const target = field.kind === 'reference' ? ` to ${field.targets.map(shortTypeName).join(' or ')}` : '';
  return `${field.name} ${field.list ? 'list of ' : ''}${KIND_NAMES[field.kind]}${target}`;
}

/** As the documentation calls them. */
const KIND_NAMES: Readonly<Record<FieldKind, string>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'day',
  datetime: 'date-time',
  reference: 'reference',
  object: 'object',
  formatted_text: 'formatted text',
  image: 'image',
  file: 'file',
  json: 'mixed',
};

function listed(keys: ReadonlySet<string>): string {
  const names = [...keys].sort();
  const more = names.length > NAMES_SHOWN ? ' …' : '';
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

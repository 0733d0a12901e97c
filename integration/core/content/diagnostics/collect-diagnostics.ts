import {
  compareDiagnostics,
  type Diagnostic,
  distinctProblems,
  FILE_START,
  isError,
  type Position,
  type Problem,
  problem,
} from '../../source/diagnostic.ts';
import { formatOf, isDataKey } from '../../source/formats.ts';
import { collectionInKey, fileOfKey } from '../../storage/key.ts';
import { closestName } from '../../util/closest-name.ts';
import { counted } from '../../util/text.ts';
import { type ContentFile, locatorOf } from '../content-file.ts';
import type { Bundle, ContentIndex } from '../content-index.ts';
import { type CollectorState, sortedBundles } from '../content-state.ts';
import { compareHolders } from '../decode/alias.ts';
import { type Decoder, isLinkProblem } from '../decode/decode.ts';
import type { PublicationRule } from '../decode/publication.ts';
import { writtenAs } from '../file-location.ts';
import { LEDGER_KEY } from '../ledger.ts';
import {
  type FieldDefinition,
  type FieldKind,
  type Reference,
  type ResourceType,
  referenceKey,
} from '../model.ts';
import { publicName, resourceTypeName, shortTypeName } from '../resource-type.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { standInProblem, withoutSource } from '../translation-problem.ts';
import { isLanguage } from '../usual-names.ts';

export interface CollectedContent {
  readonly state: CollectorState;
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  /** Relative to the content folder. */
  readonly schemaFile: string;
  readonly schemaProblems: readonly Diagnostic[];
}

/**
 * All problems of all files, by file and position. `warnings` come from the storage. Runs after every change, so it takes
 * time for the files with problems only.
 */
export function collectDiagnostics(
  { state, declared, schemaFile, schemaProblems }: CollectedContent,
  warnings: readonly string[],
  decoder: Decoder,
): readonly Diagnostic[] {
  const all = [...schemaProblems];
  const report: Report = (key, ...args) => void all.push({ ...problem(...args), key });
  const bundles = sortedBundles(state);
  for (const message of warnings) report('', 'warning', 'storage/warning', message);
  for (const { key, reason } of state.skipped) report(key, 'warning', 'file/skipped', reason);
  reportIgnored(report, state.ignored, bundles);
  reportGitIgnored(report, state.gitIgnored);
  reportMisplaced(report, state.misplaced);
  const ofReadable = [...state.decodeProblems].filter(([key]) => !state.outdated.has(key));
  const inFiles = [...state.problems, ...state.draftProblems, ...ofReadable].flatMap(([key, problems]) =>
    problems.map((each) => ({ ...each, key })),
  );
  const types = new Set([
    ...declared.keys(),
    ...bundles.filter(({ keys }) => keys.size > 0).map(({ name }) => name),
  ]);
  const isSchemaFault = ({ missing }: Problem) => missing !== undefined && !types.has(missing.type);
  const faults = inFiles.filter(isSchemaFault);
  all.push(...withoutRepeatedKinds(inFiles.filter((each) => !isSchemaFault(each))));
  reportSchema((...args) => report(schemaFile, ...args), declared, bundles, faults);
  for (const [key, each] of state.translationProblems) all.push({ ...each, key });
  reportWithoutSource(report, (fault) => all.push(fault), state, bundles);
  reportRenamed(report, bundles);
  reportWikiLinks(report, bundles);
  for (const bundle of bundles) {
    reportBundle(report, bundle, decoder.publicationOf(bundle));
    reportDuplicateIds(report, bundle);
  }
  reportAliases(report, state);
  const isShared = all.some(({ key }) => collectionInKey(key) !== undefined);
  const ofFiles = isShared
    ? distinctProblems(all.map((each) => ({ ...each, key: fileOfKey(each.key) })))
    : all;
  return withSuggestions(ofFiles.toSorted(compareDiagnostics), state);
}

/** Updates the problems of the references and files of drafts. */
export function checkDrafts(state: CollectorState, decoder: Decoder): void {
  state.draftProblems.clear();
  for (const [key, draft] of [...state.drafts, ...state.outdated]) {
    const bundle = draft && state.index.bundles.get(draft.type);
    const decoded = bundle && decoder.decode(state, bundle, draft.file);
    if (decoded !== undefined) state.draftProblems.set(key, decoded.problems.filter(isLinkProblem));
  }
}

type Report = (key: string, ...args: Parameters<typeof problem>) => void;

/** File names in a line about many files. */
const MAX_NAMES = 3;
/** Renamed keys with a line each. */
const MAX_RENAMED = 5;
/** Fields in the report about a bundle. */
const MAX_FIELDS = 100;

/** A transform with a result of another kind is one problem of each field, not of every file. */
function withoutRepeatedKinds(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  const reported = new Set<string>();
  return problems.filter(({ code, key, message }) => {
    const name = `${key.slice(0, key.indexOf('/'))} ${message}`;
    const isRepeated = code === 'field/kind' && reported.has(name);
    if (code === 'field/kind') reported.add(name);
    return !isRepeated;
  });
}

/**
 * Reports bundles and targets without content, which are probably misspelled. `dangling` are the references of files to
 * such targets, which are errors of the schema.
 */
function reportSchema(
  report: (...args: Parameters<typeof problem>) => void,
  declared: ReadonlyMap<string, DeclaredBundle>,
  bundles: readonly Bundle[],
  dangling: readonly Diagnostic[],
): void {
  const filled = bundles.filter(({ keys }) => keys.size > 0).map(({ name }) => shortTypeName(name));
  const declaredNames = [...declared.keys()].map(shortTypeName);
  const names = new Set([...declaredNames, ...filled]);
  const undeclared = filled.filter((name) => !declaredNames.includes(name));
  const warn = (
    code: string,
    message: string,
    near: string | undefined,
    severity: Problem['severity'] = 'warning',
  ) => report(severity, code, message, near && `Did you mean \`${near}\`?`);
  for (const [type, { fields }] of declared) {
    const bundle = shortTypeName(type);
    const near = filled.includes(bundle) ? undefined : closestName(bundle, undeclared);
    if (near !== undefined) warn('schema/no-folder', `The bundle \`${bundle}\` has no content.`, near);
    for (const [name, { definition }] of fields) {
      for (const target of definition.targets.map(shortTypeName).filter((each) => !names.has(each))) {
        const message = `\`${bundle}.${name}\` refers to \`${target}\`, which does not exist.`;
        const uses = dangling.filter(({ missing }) => missing?.type === resourceTypeName(target));
        const severity = uses.some(isError) ? 'error' : 'warning';
        warn('schema/unknown-target', message, closestName(target, names), severity);
      }
    }
  }
}

/** One line for all skipped files: a warning if they are more than those that are read. */
function reportIgnored(report: Report, keys: ReadonlySet<string>, bundles: readonly Bundle[]): void {
  const skipped = new Set([...keys].filter((key) => key !== LEDGER_KEY));
  if (skipped.size === 0) return;
  const message = `${counted(skipped.size, 'file')} skipped (repository files, or with a leading \`_\` or \`.\`): ${listKeys(skipped)}.`;
  const pages = [...skipped].filter((key) => formatOf(key) !== undefined);
  const read = bundles.reduce((sum, bundle) => sum + bundle.keys.size, 0);
  if (pages.length <= read) report('', 'info', 'file/ignored', message);
  else report('', 'warning', 'file/ignored', `Most files are not read. ${message}`, hintForFolder(pages));
}

function reportGitIgnored(report: Report, keys: ReadonlySet<string>): void {
  if (keys.size === 0) return;
  const message = `${counted(keys.size, 'file')} skipped, because git ignores ${keys.size === 1 ? 'it' : 'them'}: ${listKeys(keys)}.`;
  report('', 'info', 'file/ignored', message, 'To read a file, commit it or change .gitignore.');
}

/** How to read the hidden folder with most of the skipped files, which folders of languages may contain. */
function hintForFolder(keys: readonly string[]): string | undefined {
  const hidden = keys.flatMap((key) => /^(?:.*\/)?[._][^/]*(?=\/)/.exec(key)?.[0] ?? []);
  const codes = new Set(hidden.map((folder) => folder.split('/', 1)[0]!).filter(isLanguage));
  const isBelowLanguage = (folder: string) => codes.size > 1 && codes.has(folder.split('/', 1)[0]!);
  const places = hidden.map((folder) =>
    isBelowLanguage(folder) ? folder.slice(folder.indexOf('/') + 1) : folder,
  );
  const [largest] = [...Map.groupBy(places, String)].sort(([, a], [, b]) => b.length - a.length);
  if (largest === undefined) return undefined;
  const [folder] = largest;
  const named = folder.split('/').filter((part) => !/^[._]/.test(part));
  const bundle = named.at(-1) ?? (folder.replace(/^[._]+/, '') || 'page');
  const locales = [...codes].sort().map((code) => JSON.stringify(code));
  const languages = hidden.some((each) => isBelowLanguage(each) && each.endsWith(`/${folder}`))
    ? ` and with the languages in option i18n of Astro: { locales: [${locales.join(', ')}] }`
    : '';
  return `Read them with option bundles, such as { ${JSON.stringify(bundle)}: ${JSON.stringify(folder)} }${languages}, or leave them out with option ignore.`;
}

/** One problem for every folder with an invalid bundle name. */
function reportMisplaced(report: Report, folders: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [folder, keys] of folders) {
    const message = `\`${folder}\` is not a valid bundle name, so ${counted(keys.size, 'file')} in it cannot be read: ${listKeys(keys)}.`;
    const hint = `Name its bundle with option bundles, such as { notes: ${JSON.stringify(folder)} }, or rename it with letters from a to z.`;
    report(`${folder}/`, 'error', 'bundle/name', message, hint);
  }
}

/** Reports faults of translations without a source, and one line for all others. */
function reportWithoutSource(
  report: Report,
  addFault: (fault: Diagnostic) => void,
  state: CollectorState,
  bundles: readonly Bundle[],
): void {
  const keys = new Set<string>();
  for (const bundle of bundles) {
    for (const file of withoutSource(state, bundle)) {
      const fault = standInProblem(bundle, file);
      if (fault === undefined) keys.add(file.key);
      else addFault({ ...fault, key: file.key });
    }
  }
  if (keys.size === 0) return;
  const exist = keys.size === 1 ? '1 page does' : `${keys.size} pages do`;
  const message = `${exist} not exist in \`${state.languages?.default}\`, the default language: ${listKeys(keys)}.`;
  report('', 'info', 'language/no-source', message, 'Each is an entity in the language that it has.');
}

/** One line for each renamed key, or one for all if there are many. */
function reportRenamed(report: Report, bundles: readonly Bundle[]): void {
  const renamed = bundles.flatMap((bundle) =>
    [...(bundle.shape?.type.fields.values() ?? [])]
      .filter(({ name, key }) => name !== key)
      .map(({ name, key }) => ({ name, key, folder: folderOf(bundle) })),
  );
  if (renamed.length <= MAX_RENAMED) {
    for (const { key, name, folder } of renamed) {
      const message = `The key \`${key}\` becomes the field \`${name}\`, because JSON:API reserves or forbids the key.`;
      report(folder, 'info', 'field/renamed', message);
    }
    return;
  }
  const pairs = [...new Set(renamed.map(({ key, name }) => `\`${key}\` → \`${name}\``))].sort();
  const more = pairs.length > MAX_NAMES ? ` and ${pairs.length - MAX_NAMES} more` : '';
  const message = `Some keys become fields with other names, because JSON:API reserves or forbids the keys: ${pairs.slice(0, MAX_NAMES).join(', ')}${more}.`;
  report('', 'info', 'field/renamed', message);
}

/** One line for all wiki links. */
function reportWikiLinks(report: Report, bundles: readonly Bundle[]): void {
  const sum = (name: 'wikiLinks' | 'wikiFiles') =>
    bundles.reduce((total, { profile }) => total + profile[name], 0);
  const links = sum('wikiLinks');
  if (links === 0) return;
  const message = `${counted(links, 'wiki link')} in ${counted(sum('wikiFiles'), 'file')} ${links === 1 ? 'is' : 'are'} shown as text: [[…]] is not Markdown.`;
  const hint = 'Write [text](path), or add a plugin for them to the Markdown processor of the site.';
  report('', 'warning', 'body/wiki-links', message, hint);
}

/** Reports inferred fields and contradictions between the files of a bundle. */
function reportBundle(report: Report, bundle: Bundle, publication: PublicationRule): void {
  const { shape } = bundle;
  if (shape === undefined) return;
  const folder = folderOf(bundle);
  const fields = [...shape.type.fields.values()];
  if (shape.type.origin === 'inferred') {
    const message = describeBundle(bundle, fields, shape.textStatus, publication);
    report(folder, 'info', 'inference/report', message);
  }
  for (const { key, winner, name } of shape.clashes) {
    const [file] = [...bundle.files.values()].filter(({ data }) => Object.hasOwn(data, key)).sort(byKey);
    const message = `The keys \`${winner}\` and \`${key}\` both become the field \`${name}\`; \`${key}\` is ignored.`;
    const hint = 'Rename one of them in all files of the bundle.';
    report(file?.key ?? folder, 'error', 'field/clash', message, hint, file && locatorOf(file)([key], 'key'));
  }
  reportTitles(report, bundle, shape.type);
  reportFieldOptions(report, bundle, shape.type);
  reportFolders(report, bundle);
  reportMixedStatus(report, bundle);
}

/** Reports options of fields that the bundle does not have. */
function reportFieldOptions(report: Report, bundle: Bundle, { fields }: ResourceType): void {
  const { name, fieldOptions, former, files } = bundle;
  const names = [...fields.values(), ...former.values()].map((field) =>
    field.base ? field.name : publicName(field.key),
  );
  for (const field of files.size === 0 ? [] : Object.keys(fieldOptions)) {
    if (names.includes(field)) continue;
    const message = `Option bundles.${shortTypeName(name)}.fields.${field} has no effect: the bundle has no such field.`;
    const near = closestName(field, names);
    const hint = near === undefined ? undefined : `Did you mean \`${near}\`?`;
    report(folderOf(bundle), 'warning', 'field/option', message, hint);
  }
}

/** Reports an option without effect, and titles that another field replaces. */
function reportTitles(
  report: Report,
  { name, titleField, profile, files, ...bundle }: Bundle,
  { fields }: ResourceType,
): void {
  const storedIn = fields.get('title')?.storedIn;
  if (titleField !== undefined && titleField !== 'title' && storedIn === undefined && files.size > 0) {
    const message = `Option bundles.${shortTypeName(name)}.title is \`${titleField}\`, but the bundle has no such field of single strings.`;
    const near = closestName(
      titleField,
      [...fields.values()].filter(({ kind, list }) => kind === 'string' && !list).map(({ key }) => key),
    );
    const hint = near === undefined ? undefined : `Did you mean \`${near}\`?`;
    report(folderOf({ name, ...bundle }), 'warning', 'title/unknown', message, hint);
  }
  if (storedIn === undefined || profile.titles === 0) return;
  const [first] = [...files.values()].filter(({ base }) => base.hasTitle).sort(byKey);
  const message = `\`title\` is ignored in ${counted(profile.titles, 'file')}, because option bundles.${shortTypeName(name)}.title is \`${titleField}\`.`;
  report(
    first?.key ?? '',
    'warning',
    'title/ignored',
    message,
    'Rename the key.',
    positionOf(first, 'title'),
  );
}

function byKey(a: ContentFile, b: ContentFile): number {
  return a.key < b.key ? -1 : 1;
}

function describeBundle(
  { name, files }: Bundle,
  fields: readonly FieldDefinition[],
  textStatus: boolean,
  publication: PublicationRule,
): string {
  const storedIn = fields.find((field) => field.name === 'title')?.storedIn;
  const own = fields
    .filter((field) => !field.base)
    .map((field) => `${describeField(field)}${field.name === storedIn ? ' (the title)' : ''}`);
  if (own.length > MAX_FIELDS) own.splice(MAX_FIELDS, own.length, `and ${own.length - MAX_FIELDS} more`);
  const status = textStatus ? `; status is a string: ${publication.description}` : '';
  const list = own.length === 0 ? 'no fields of its own' : own.join(', ');
  return `${name}, ${counted(files.size, 'file')}, no schema: ${list}${status}.`;
}

function describeField(field: FieldDefinition): string {
  const target = field.kind === 'reference' ? ` to ${field.targets.map(shortTypeName).join(' or ')}` : '';
  return `${field.name} ${field.list ? 'list of ' : ''}${KIND_NAMES[field.kind] ?? field.kind}${target}`;
}

const KIND_NAMES: Readonly<Partial<Record<FieldKind, string>>> = {
  datetime: 'date-time',
  formatted_text: 'formatted text',
  json: 'mixed',
};

/** The first folder of a bundle with a slash at its end; empty for the content folder itself. */
function folderOf({ name, folders }: Pick<Bundle, 'name' | 'folders'>): string {
  const [first = shortTypeName(name)] = [...folders.keys()].sort();
  return first === '' ? '' : `${first}/`;
}

/** Reports folders that become one bundle. `article` and `node--article` are meant to. */
function reportFolders(report: Report, { name, folders }: Bundle): void {
  const [first, ...others] = [...folders.keys()].sort();
  for (const folder of others) {
    if (first === undefined || [first, folder].every((each) => resourceTypeName(each) === name)) continue;
    const one = first === '' ? 'Files in no folder' : `\`${first}\``;
    const bundle = shortTypeName(name);
    const message = `${one} and \`${folder}\` are both the bundle \`${bundle}\`.`;
    const hint = `Rename the folder, or give it another bundle with option bundles, such as { other: '${first === '' ? '.' : folder}' }.`;
    report(`${folder}/`, 'error', 'bundle/folders', message, hint);
  }
}

function reportMixedStatus(report: Report, { name, declared, profile, files }: Bundle): void {
  const { flags, texts } = profile;
  if (declared !== undefined || flags === 0 || texts === 0) return;
  const firstWith = (kind: 'boolean' | 'string'): string =>
    [...files.values()]
      .filter((file) => typeof file.base.status === kind)
      .reduce((least, { key }) => (least === '' || key < least ? key : least), '');
  const isFlagOdd = flags < texts;
  const [key, other] = isFlagOdd
    ? [firstWith('boolean'), firstWith('string')]
    : [firstWith('string'), firstWith('boolean')];
  const [kind, otherKind] = isFlagOdd ? ['true or false', 'a string'] : ['a string', 'true or false'];
  const message = `\`status\` is ${kind} here, but ${otherKind} in \`${other}\`.`;
  const hint = `Use one kind in all files of \`${shortTypeName(name)}\`.`;
  report(key, 'error', 'status/mixed', message, hint, positionOf(files.get(key), 'status'));
}

function reportDuplicateIds(report: Report, { ids, files }: Bundle): void {
  for (const [id, [owner = '', ...others]] of ids.contested) {
    for (const key of others) {
      const file = files.get(key);
      if (isDataOfPage(key, owner)) {
        const message = `\`${owner}\` has the same id, so this file is skipped.`;
        const hint = 'Rename it if it is an entity of its own.';
        report(key, 'warning', 'id/data-file', message, hint);
        continue;
      }
      const message = `\`${key}\` and \`${owner}\` have the same id \`${id}\`; only \`${owner}\` is served.`;
      const hint = 'Rename one of the files, or give it another `id`.';
      report(key, 'error', 'id/duplicate', message, hint, positionOf(file, file?.idKey));
    }
  }
}

/** True for `x.json` beside `x.md`: other tools read it as data of the page. */
function isDataOfPage(key: string, page: string): boolean {
  return isDataKey(key) && !isDataKey(page) && withoutExtension(key) === withoutExtension(page);
}

function withoutExtension(key: string): string {
  return key.slice(0, key.lastIndexOf('.'));
}

/** Reports published entities whose alias leads to another entity. */
function reportAliases(report: Report, { addresses, decoded, index }: CollectorState): void {
  for (const [alias, keys] of addresses.contested) {
    const entities = keys
      .flatMap((key) => decoded.get(key)?.entity ?? [])
      .filter(({ published }) => published);
    // Pages in several languages can have the same alias.
    const holders = Map.groupBy(entities.sort(compareHolders), ({ translation }) => translation);
    for (const { type, key, translation } of entities) {
      const first = holders.get(translation)?.[0];
      if (first?.key === key) continue;
      const file = index.bundles.get(type)?.files.get(key);
      const isWritten = file !== undefined && file.base.alias !== null;
      const hint = isWritten
        ? 'Give one of them another `path`.'
        : `Give it a \`path\`, or change the alias pattern of \`${shortTypeName(type)}\`.`;
      const message = `\`${first?.key}\` already has the alias \`${alias}\`; the path leads there.`;
      report(
        key,
        'warning',
        'alias/duplicate',
        message,
        hint,
        positionOf(file, isWritten ? 'path' : undefined),
      );
    }
  }
}

function positionOf(file: ContentFile | undefined, key: string | undefined): Position {
  return file === undefined || key === undefined ? FILE_START : locatorOf(file)([key]);
}

/** References that are compared with all ids, because each comparison takes time. */
const MAX_SUGGESTIONS = 20;

/** Adds `Did you mean person/ada?` to dangling references. */
function withSuggestions(diagnostics: readonly Diagnostic[], state: CollectorState): readonly Diagnostic[] {
  const suggestions = new Map<string, string | undefined>();
  let suggested = 0;
  const result = diagnostics.map((diagnostic) => {
    const { missing } = diagnostic;
    if (missing === undefined || suggested === MAX_SUGGESTIONS) return diagnostic;
    suggested += 1;
    const name = referenceKey(missing);
    const near = state.suggestions.has(name)
      ? state.suggestions.get(name)
      : closestEntity(missing, state.index);
    suggestions.set(name, near);
    if (near === undefined) return diagnostic;
    if (diagnostic.code === 'body/link-missing') {
      const key = state.index.owner(missing.type, near) ?? '';
      const written = writtenAs({ source: 'content', key }, diagnostic.key);
      return { ...diagnostic, hint: `Did you mean \`${written}\`?` };
    }
    return { ...diagnostic, hint: `Did you mean \`${shortTypeName(missing.type)}/${near}\`?` };
  });
  state.suggestions = suggestions;
  return result;
}

function closestEntity({ type, id }: Reference, { bundles }: ContentIndex): string | undefined {
  const ids = bundles.get(type)?.ids.owners;
  // In `persn/ada`, `persn` may be a misspelled bundle.
  const bare = id.slice(id.indexOf('/') + 1);
  return ids?.has(bare) ? bare : closestName(id, ids?.keys() ?? []);
}

function listKeys(keys: ReadonlySet<string>): string {
  const more = keys.size > MAX_NAMES ? ' …' : '';
  return `${[...keys].sort().slice(0, MAX_NAMES).join(', ')}${more}`;
}

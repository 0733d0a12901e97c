import { compactMap, emptyMap, pathKey } from '../../source/data.ts';
import { dateTimeOfSeconds, isInvalidDate } from '../../source/date-time.ts';
import {
  createProblemList,
  type DataPath,
  FILE_START,
  type Problem,
  type ProblemList,
} from '../../source/diagnostic.ts';
import { readDate, readDateTime } from '../../source/written-date.ts';
import type { FileHistory } from '../../storage/driver.ts';
import { collectionInKey } from '../../storage/key.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import { printable } from '../../util/text.ts';
import { withoutPrototype } from '../base-fields.ts';
import { type ContentFile, locatorOf } from '../content-file.ts';
import type { Bundle } from '../content-index.ts';
import { type CollectorState, type DecodedFile, datesOf, isDraft } from '../content-state.ts';
import type { Severities } from '../diagnostics/problem-kinds.ts';
import type { FileCatalog } from '../file-catalog.ts';
import type { Languages } from '../languages.ts';
import type { LayoutOptions } from '../layout.ts';
import type { Entity, FieldDefinition, FieldValue, Reference, ResourceType } from '../model.ts';
import { type FieldOptions, optionFor } from '../resource-type.ts';
import type { BundleShape } from '../schema/bundle-shape.ts';
import { isOddItem } from '../schema/infer.ts';
import { dateInName, usualDate, usualLangcode } from '../usual-names.ts';
import { type AliasPattern, aliasByPattern, aliasFault, parseAliasPattern } from './alias.ts';
import type { FileContext } from './base-values.ts';
import { checkLinks } from './check-links.ts';
import { decodeImages, decodeLink, type LinkContext } from './decode-files.ts';
import { type PublicationRule, type PublishedStatuses, publicationRule, scheduleOf } from './publication.ts';
import { type KnownEntities, resolveReference } from './references.ts';

export interface CollectorOptions {
  readonly published: PublishedStatuses;
  readonly danglingReferences: 'error' | 'missing';
  /** BCP 47 tag of entities without a language. */
  readonly defaultLangcode: string;
  /** Alias patterns by bundle, for files without an alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The fields that store titles, by bundle. */
  readonly titles?: Readonly<Record<string, string>> | undefined;
  /** Option `bundles.<bundle>.fields`, by bundle. */
  readonly fields?: Readonly<Record<string, FieldOptions>> | undefined;
  /** The site's `base`, the start of file URLs: starts with a slash, ends without one. Empty by default. */
  readonly base?: string;
  /** IANA name of the zone of dates without an offset. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
  /** Undefined for a bundle in each folder. */
  readonly layout?: LayoutOptions;
  /** True if the images and files in fields are resources. */
  readonly fileResources?: boolean;
  /** Severities of problems that differ from the default. They change reports only, not which files are read. */
  readonly problems?: Severities;
}

/** Creates the entities of files. */
export interface Decoder {
  /**
   * Undefined if the bundle has no shape yet, and for a translation whose source has no entity. For a past version, `at`
   * is when it was committed, in Unix seconds.
   */
  decode(
    state: CollectorState,
    bundle: Bundle,
    file: ContentFile,
    known?: KnownEntities,
    at?: number,
  ): DecodedFile | undefined;
  publicationOf(bundle: Bundle): PublicationRule;
}

export function createDecoder(options: CollectorOptions, files: FileCatalog): Decoder {
  const settings = new Map<string, BundleSettings>();
  const links: LinkContext = { files, base: options.base ?? '' };

  function settingsOf({ name }: Bundle): BundleSettings {
    const cached = settings.get(name);
    if (cached !== undefined) return cached;
    const alias = optionFor(options.aliases ?? {}, name);
    const created = {
      publication: publicationRule(optionFor(options.published, name)),
      aliasPattern: alias === undefined ? undefined : parseAliasPattern(alias),
    };
    settings.set(name, created);
    return created;
  }

  return {
    decode(state, bundle, file, known = state.index, at = undefined) {
      const { shape } = bundle;
      if (shape === undefined) return undefined;
      const { translation } = file;
      const sourceFile = translation && state.index.sourceOf(bundle, file);
      const source = sourceFile && state.decoded.get(sourceFile.key)?.entity;
      if (translation !== undefined && source === undefined) return undefined;
      const history = historyAt(datesOf(state, file.key), at);
      const context = {
        shape,
        siblings: bundle.keys,
        settings: settingsOf(bundle),
        state,
        known,
        history,
        options,
        links,
      };
      return decodeFile(file, { ...context, source, sourceFile });
    },
    publicationOf: (bundle) => settingsOf(bundle).publication,
  };
}

interface BundleSettings {
  readonly publication: PublicationRule;
  /** For files without an alias. */
  readonly aliasPattern: AliasPattern | undefined;
}

/** Everything an entity depends on, except its own file. */
interface DecodeContext {
  readonly shape: BundleShape;
  /** Keys of the files of the bundle. */
  readonly siblings: Pick<ReadonlySet<string>, 'has'>;
  readonly settings: BundleSettings;
  readonly state: CollectorState;
  readonly known: KnownEntities;
  readonly history: FileHistory | undefined;
  readonly options: CollectorOptions;
  readonly links: LinkContext;
  /** Of a translation. */
  readonly source: Entity | undefined;
  readonly sourceFile: ContentFile | undefined;
}

/** The history of a file when it was last committed at `at`. */
function historyAt(now: FileHistory | undefined, at: number | undefined): FileHistory | undefined {
  return at === undefined ? now : { created: Math.min(now?.created ?? at, at), changed: at };
}

function decodeFile(file: ContentFile, context: DecodeContext): DecodedFile {
  const { shape, settings, state, links, source, options } = context;
  const { type } = shape;
  const { key, revision, body } = file;
  const id = source?.id ?? file.id;
  const list = createProblemList();
  const lookups: Reference[] = [];
  const files: string[] = [];
  const decode = createValueDecoder(file, context, list, { lookups, files });
  const values = emptyMap<FieldValue>();
  for (const [name, field] of type.fields) {
    if (name === 'body') continue;
    const raw = file.declared === null ? file.data[field.key] : file.declared[name];
    if (source !== undefined && field.untranslated === true) {
      if ((raw ?? null) !== null) list.add(ofSource(field), () => locatorOf(file)([field.key], 'key'));
      values[name] = source.values[name] ?? null;
      continue;
    }
    // A base field can follow from other fields. It has its place in the order of values already.
    values[name] = field.base ? null : decode(raw, field, [field.key]);
  }
  const base = decodeBase(file, context, values);
  for (const name of Object.keys(base)) {
    const field = type.fields.get(name);
    const isOwn = source === undefined || field?.untranslated !== true;
    if (isOwn && field !== undefined) values[name] = base[name] ?? null;
  }
  const { aliasPattern, publication } = settings;
  const hasAlias = type.fields.get('path')?.kind === 'object';
  // The first collection of a file has its address.
  if (hasAlias && collectionInKey(key) !== undefined) values.path = NO_ALIAS;
  else if (hasAlias && file.base.alias === null && aliasPattern !== undefined) {
    values.path = { alias: validAlias(aliasByPattern(aliasPattern, type, id, values), list) };
  }
  const images = decodeImages(file, links, list, files);
  checkLinks(file, context.siblings, context.state, list);
  const translation = file.translation?.language;
  const schedule = scheduleOf(values, options.timeZone);
  const hasOwnStatus = source === undefined || type.fields.get('status')?.untranslated !== true;
  const plain: Entity = {
    type: type.name,
    id,
    key,
    revision,
    values: compactMap(values, type.fields.size),
    published: hasOwnStatus ? publication.published(file.base) : source.published,
    body,
  };
  const outdated = isOutdated(file, context);
  // Few entities have these. Spread into `plain`, each would take memory in all entities.
  const isPlain = translation === undefined && !outdated && schedule === undefined && images.length === 0;
  const entity: Entity = isPlain
    ? plain
    : {
        ...plain,
        ...(translation !== undefined && { translation }),
        ...(outdated && { outdated }),
        ...(schedule && { schedule }),
        ...(images.length > 0 && { images }),
      };
  const [first] = lookups;
  return {
    entity,
    problems: list.problems.length === 0 ? NONE : list.problems,
    // Copies, because arrays that grew have spare capacity.
    lookups: first === undefined ? NONE : lookups.length === 1 ? state.index.sharedList(first) : [...lookups],
    files: files.length === 0 ? NONE : [...files],
  };
}

/** True if the source of a translation has changed since. Without git and `changed`, times of files mean nothing. */
function isOutdated(file: ContentFile, { sourceFile, state, history }: DecodeContext): boolean {
  if (sourceFile === undefined) return false;
  const changed = changedAt(file, history);
  const sourceChanged = changedAt(sourceFile, datesOf(state, sourceFile.key));
  return changed !== undefined && sourceChanged !== undefined && sourceChanged > changed;
}

/** True for problems of references and files, which other files can solve. */
export function isLinkProblem({ code }: Problem): boolean {
  return /^(?:reference|file|body)\//.test(code);
}

/** The problem of a translation that sets a field of its source. */
function ofSource({ key }: FieldDefinition): Omit<Problem, 'line' | 'column'> {
  const message = `The field \`${key}\` is not translated: its value is in the source file.`;
  const hint = 'Remove it from the translation.';
  return { severity: 'error', code: 'language/untranslated', message, hint, path: [key] };
}

const NONE: readonly never[] = [];
const NO_ALIAS = Object.freeze({ alias: null });

function validAlias(alias: string | null, list: ProblemList): string | null {
  const fault = alias === null ? undefined : aliasFault(alias);
  if (fault === undefined) return alias;
  const message = `The alias \`${alias}\`, from the alias pattern of the bundle, ${fault}.`;
  const hint = 'Give the file a `path`, or change the pattern.';
  list.add({ severity: 'error', code: 'alias/invalid', message, hint, path: ['path'] }, () => FILE_START);
  return null;
}

function decodeBase(
  { base, mtimeMs, createdMs, pathId }: ContentFile,
  { shape, settings, history, options, source }: DecodeContext,
  values: Entity['values'],
): Readonly<Record<string, FieldValue>> {
  const { timeZone, languages, defaultLangcode } = options;
  const modified = mtimeMs / 1000;
  const created =
    base.created ?? usualDate('created', shape.type, values, timeZone) ?? dateInName(pathId, timeZone);
  const changed = base.changed ?? usualDate('changed', shape.type, values, timeZone);
  // With languages, the file was read with the language in these fields.
  const usualLanguage = languages === undefined ? usualLangcode(shape.type, values) : undefined;
  const textStatus = base.status === null ? null : String(base.status);
  return {
    title: storedTitle(shape.type, values) ?? base.title,
    status: shape.textStatus ? textStatus : settings.publication.published(base),
    created: created ?? dateTimeOfSeconds(history?.created ?? createdMs / 1000) ?? null,
    changed: changed ?? dateTimeOfSeconds(history?.changed ?? modified) ?? null,
    langcode: base.langcode ?? usualLanguage ?? defaultLangcode,
    path: base.alias === null ? NO_ALIAS : { alias: base.alias },
    uid: base.uid ?? source?.values.uid ?? null,
  };
}

function storedTitle({ fields }: ResourceType, values: Entity['values']): string | undefined {
  const title = values[fields.get('title')?.storedIn ?? ''];
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}

/** When a file was changed, in milliseconds since the Unix epoch; undefined if neither git nor the file says so. */
function changedAt({ base, mtimeMs }: ContentFile, history: FileHistory | undefined): number | undefined {
  if (base.changed !== null) return Date.parse(base.changed);
  return history && (history.changed === null ? mtimeMs : history.changed * 1000);
}

function createValueDecoder(
  file: ContentFile,
  context: DecodeContext,
  list: ProblemList,
  { lookups, files }: { readonly lookups: Reference[]; readonly files: string[] },
): (value: unknown, field: FieldDefinition, path: DataPath) => FieldValue {
  const { known, state, options } = context;
  const isInferred = context.shape.type.origin === 'inferred';
  const locate = locatorOf(file);
  const report: FileContext['report'] = (severity, code, path, message, hint) =>
    list.add({ severity, code, message, hint, path }, () => locate(path));

  function decode(value: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const present = value ?? null;
    if (field.kind === 'json') return file.declared === null ? (present as JsonValue) : plainJson(present);
    if (!field.list) return present === null ? null : decodeItem(present, field, path);
    const isArray = Array.isArray(present);
    const items: readonly unknown[] = isArray ? present : present === null ? [] : [present];
    const decoded = items.map((item, index) =>
      (item ?? null) === null || (isInferred && isOdd(item, field, [...path, index]))
        ? null
        : decodeItem(item, field, isArray ? [...path, index] : path),
    );
    // A copy, because the filtered array has spare capacity.
    return decoded.includes(null) ? [...decoded.filter((item) => item !== null)] : decoded;
  }

  /** Such an item is not worth that the field cannot be queried. */
  function isOdd(item: unknown, field: FieldDefinition, path: DataPath): boolean {
    if (field.kind === 'object' || !isOddItem(item)) return false;
    const message = `An item of \`${field.key}\` is a map without values, and the others are not. It is ignored.`;
    report('warning', 'field/stray', path, message, 'Put it in quotes if it is text, for example "?".');
    return true;
  }

  function decodeItem(value: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    switch (field.kind) {
      case 'reference':
        return decodeReference(value, field, path);
      case 'image':
      case 'file':
        return decodeFileLink(value, field, path);
      case 'object':
        return isRecord(value) ? decodeObject(value, field, path) : unexpected(value, field, path);
      case 'date':
      case 'datetime':
        return decodeDate(value, field, path);
      case 'integer':
        return Number.isInteger(value) ? (value as number) : unexpected(value, field, path);
      case 'number':
        return typeof value === 'number' && Number.isFinite(value) ? value : unexpected(value, field, path);
      case 'boolean':
        return typeof value === 'boolean' ? value : unexpected(value, field, path);
      case 'string':
        if (isInferred && isScalar(value)) return decodeString(textAt(value, path), path);
        return typeof value === 'string' ? value : unexpected(value, field, path);
      case 'decimal':
        return isScalar(value) ? textAt(value, path) : unexpected(value, field, path);
      case 'json':
      case 'formatted_text':
        return plainJson(value);
      default:
        return field.kind satisfies never;
    }
  }

  /** Only a transformation in the schema can produce a value of another kind. */
  function unexpected(value: unknown, field: FieldDefinition, path: DataPath): null {
    const message = `The schema turns \`${path.join('.')}\` into a ${typeof value}, but the field is a ${field.kind}.`;
    const hint = `Declare what the transform returns: \`.transform(…).pipe(${outputType(value)})\`.`;
    report('error', 'field/kind', path, message, hint);
    return null;
  }

  function textAt(value: string | number | boolean, path: DataPath): string {
    return typeof value === 'number' ? (file.numerals.get(pathKey(path)) ?? String(value)) : String(value);
  }

  function decodeReference(value: unknown, field: FieldDefinition, path: DataPath): Reference | null {
    const written = typeof value === 'number' ? textAt(value, path) : (value as JsonValue);
    const { reference, problem, lookups: own } = resolveReference(written, field.targets, known);
    lookups.push(...own.map(state.index.shared));
    // A draft has errors of its own.
    const hasDraft = reference !== null && problem !== null && isDraft(state, reference);
    if (problem !== null && !hasDraft) {
      const { code, message, hint } = problem;
      const isDangling = code === 'reference/dangling';
      const severity = isDangling && options.danglingReferences === 'missing' ? 'warning' : 'error';
      const missing = isDangling ? reference : null;
      list.add(
        {
          ...{ severity, code, message, path },
          hint: isDangling && isInferred ? `${hint} ${STRING_HINT}` : hint,
          ...(missing && { missing }),
        },
        () => locate(path),
      );
    }
    return reference && state.index.shared(reference);
  }

  function decodeFileLink(written: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const { value, uris, problem } = decodeLink(written, field, file.key, context.links, state.history);
    files.push(...uris);
    if (problem !== undefined) report(problem.severity, problem.code, path, problem.message, problem.hint);
    return value;
  }

  function decodeDate(value: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const { kind, dayFirst } = field;
    if (value instanceof Date) {
      return kind === 'datetime'
        ? (dateTimeOfSeconds(value.getTime() / 1000) ?? null)
        : unexpected(value, field, path);
    }
    if (!isScalar(value)) return unexpected(value, field, path);
    const text = textAt(value, path);
    const read = kind === 'date' ? readDate : readDateTime;
    const date = read(text, { timeZone: options.timeZone, dayFirst });
    if (date !== undefined) return date;
    if (!isInferred) return kind === 'date' ? text : unexpected(value, field, path);
    if (text.trim() !== '') {
      const message = `\`${printable(text)}\` is not a date, but \`${field.key}\` is a field of dates. It is ignored.`;
      report('warning', 'date/stray', path, message, DATE_HINT);
    }
    return null;
  }

  /** An invalid date can be the reason why an inferred field is a string field, so it is worth a warning. */
  function decodeString(text: string, path: DataPath): string {
    if (isInvalidDate(text)) {
      const message = `\`${text}\` looks like a date, but does not exist. It is read as a string.`;
      const hint = 'Correct it. While one value is invalid, all dates of the field are strings.';
      report('warning', 'date/stray', path, message, hint);
    }
    return text;
  }

  function decodeObject(
    value: Readonly<Record<string, unknown>>,
    { properties }: FieldDefinition,
    path: DataPath,
  ): FieldValue {
    const object = emptyMap();
    for (const [name, item] of Object.entries(value)) {
      const part = properties[name];
      const decoded = part === undefined ? plainJson(item) : decode(item, part, [...path, name]);
      object[name] = decoded;
    }
    return object;
  }

  return decode;
}

const DATE_HINT =
  'Write it like 2024-01-31 or 2024-01-31T12:00:00+01:00, or declare the field as a string in a schema.';
const STRING_HINT = 'If it is not a reference, declare the field as a string in a schema.';

/** A value from a schema's transformation, as JSON. */
function plainJson(value: unknown): JsonValue {
  if (isScalar(value) || value === null) return value;
  const json = JSON.stringify(value) ?? 'null';
  return JSON.parse(json, (_, part: unknown) => (isRecord(part) ? withoutPrototype(part) : part));
}

/** The zod type of a value, as code. */
function outputType(value: unknown): string {
  if (Array.isArray(value)) return 'z.array(…)';
  if (value instanceof Date) return 'z.date()';
  return typeof value === 'object' ? 'z.object({ … })' : `z.${typeof value}()`;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

import { compactMap, emptyMap, pathKey } from '../../source/data.ts';
import { canonicalDateTime, dateTimeOfSeconds } from '../../source/date-time.ts';
import {
  createProblemList,
  type DataPath,
  FILE_START,
  type Problem,
  type ProblemList,
} from '../../source/diagnostic.ts';

import type { FileHistory } from '../../storage/driver.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import { type ContentFile, locatorOf } from '../content-file.ts';
import type { ContentIndex } from '../content-index.ts';
import type { Entity, FieldDefinition, FieldValue, Reference } from '../model.ts';
import type { BundleShape } from '../schema/bundle-shape.ts';
import { type AliasPattern, aliasByPattern, aliasFault } from './alias.ts';
import { decodeImages, decodeLink, type LinkContext } from './decode-files.ts';
import type { PublicationRule } from './publication.ts';
import { resolveReference } from './references.ts';

/** Everything an entity depends on, except its own file. */
export interface DecodeContext extends LinkContext {
  readonly shape: BundleShape;
  readonly publication: PublicationRule;
  readonly known: Pick<ContentIndex, 'has' | 'shared'>;
  readonly history: FileHistory | undefined;
  readonly defaultLangcode: string;
  /** For files without an alias. */
  readonly aliasPattern: AliasPattern | undefined;
  readonly danglingReferences: 'error' | 'missing';
  /** True if an entity is missing only because its file has errors. */
  readonly isDraft: (reference: Reference) => boolean;
}

export interface DecodedFile {
  readonly entity: Entity;
  readonly problems: readonly Problem[];
  /** Entities whose creation or removal may change this one or its problems. */
  readonly lookups: readonly Reference[];
  /** URIs of files whose change may do the same. */
  readonly files: readonly string[];
}

/** Creates the entity of a file. */
export function decodeFile(file: ContentFile, context: DecodeContext): DecodedFile {
  const { type } = context.shape;
  const { key, id, revision, body } = file;
  const list = createProblemList();
  const lookups: Reference[] = [];
  const files: string[] = [];
  const decode = createValueDecoder(file, context, list, { lookups, files });
  const values = emptyMap<FieldValue>();
  const base = decodeBase(file, context);
  for (const [name, field] of type.fields) {
    if (name === 'body') continue;
    const raw = file.declared === null ? file.data[field.key] : file.declared[name];
    values[name] = field.base ? (base[name] ?? null) : decode(raw, field, [field.key]);
  }
  const { aliasPattern } = context;
  if (file.base.alias === null && aliasPattern !== undefined && type.fields.get('path')?.kind === 'object') {
    values.path = { alias: validAlias(aliasByPattern(aliasPattern, type, id, values), list) };
  }
  const images = decodeImages(file, context, list, files);
  return {
    entity: {
      type: type.name,
      id,
      key,
      revision,
      values: compactMap(values, type.fields.size),
      published: context.publication.published(file.base),
      body,
      ...(images.length > 0 && { images }),
    },
    problems: list.problems.length === 0 ? NONE : list.problems,
    // Copies, because arrays that grew have spare capacity.
    lookups: lookups.length === 0 ? NONE : [...lookups],
    files: files.length === 0 ? NONE : [...files],
  };
}

/** True for problems of references and files, which other files can solve. */
export function isLinkProblem({ code }: Problem): boolean {
  return /^(?:reference|file)\//.test(code);
}

const NONE: readonly never[] = [];
const NO_ALIAS = Object.freeze({ alias: null });

function validAlias(alias: string | null, list: ProblemList): string | null {
  const fault = alias === null ? undefined : aliasFault(alias);
  if (fault === undefined) return alias;
  const message = `The alias \`${alias}\`, from the alias pattern of the bundle, ${fault}.`;
  const hint = 'Give the file a `path`, or change the pattern.';
  list.add('error', 'alias/invalid', message, () => FILE_START, hint, ['path']);
  return null;
}

function decodeBase(
  { base, mtimeMs }: ContentFile,
  { shape, publication, history, defaultLangcode }: DecodeContext,
): Readonly<Record<string, FieldValue>> {
  const modified = mtimeMs / 1000;
  const textStatus = base.status === null ? null : String(base.status);
  return {
    title: base.title,
    status: shape.textStatus ? textStatus : publication.published(base),
    created: base.created ?? dateTimeOfSeconds(history?.created ?? modified) ?? null,
    changed: base.changed ?? dateTimeOfSeconds(history?.changed ?? modified) ?? null,
    langcode: base.langcode ?? defaultLangcode,
    path: base.alias === null ? NO_ALIAS : { alias: base.alias },
    uid: base.uid,
  };
}

function createValueDecoder(
  file: ContentFile,
  context: DecodeContext,
  list: ProblemList,
  { lookups, files }: { readonly lookups: Reference[]; readonly files: string[] },
): (value: unknown, field: FieldDefinition, path: DataPath) => FieldValue {
  const locate = locatorOf(file);

  function report(
    severity: Problem['severity'],
    code: string,
    path: DataPath,
    message: string,
    hint?: string,
  ): void {
    list.add(severity, code, message, () => locate(path), hint, path);
  }

  function decode(value: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const present = value ?? null;
    if (field.kind === 'json') return file.declared === null ? (present as JsonValue) : plainJson(present);
    if (!field.list) return present === null ? null : decodeItem(present, field, path);
    const isArray = Array.isArray(present);
    const items: readonly unknown[] = isArray ? present : present === null ? [] : [present];
    const decoded = items.map((item, index) =>
      (item ?? null) === null ? null : decodeItem(item, field, isArray ? [...path, index] : path),
    );
    // A copy, because the filtered array has spare capacity.
    return decoded.includes(null) ? [...decoded.filter((item) => item !== null)] : decoded;
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
      case 'datetime':
        return decodeDateTime(value, path) ?? unexpected(value, field, path);
      case 'integer':
      case 'number':
        return typeof value === 'number' && Number.isFinite(value) ? value : unexpected(value, field, path);
      case 'boolean':
        return typeof value === 'boolean' ? value : unexpected(value, field, path);
      case 'string':
      case 'date':
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
    report('error', 'field/kind', path, message, 'Declare the field with the type that it ends up as.');
    return null;
  }

  function textAt(value: string | number | boolean, path: DataPath): string {
    return typeof value === 'number' ? (file.numerals.get(pathKey(path)) ?? String(value)) : String(value);
  }

  function decodeReference(value: unknown, field: FieldDefinition, path: DataPath): Reference | null {
    const written = typeof value === 'number' ? textAt(value, path) : (value as JsonValue);
    const { reference, problem, lookups: own } = resolveReference(written, field.targets, context.known);
    lookups.push(...own.map(context.known.shared));
    const hasDraft = reference !== null && problem !== null && context.isDraft(reference);
    if (problem !== null && !hasDraft) {
      const { code, message, hint } = problem;
      const isDangling = code === 'reference/dangling';
      const severity = isDangling && context.danglingReferences === 'missing' ? 'warning' : 'error';
      const isInferred = isDangling && context.shape.type.origin === 'inferred';
      report(severity, code, path, message, isInferred ? `${hint} ${STRING_HINT}` : hint);
    }
    return reference && context.known.shared(reference);
  }

  function decodeFileLink(written: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const { value, uris, problem } = decodeLink(written, field.kind, file.key, context);
    files.push(...uris);
    if (problem !== undefined) report(problem.severity, problem.code, path, problem.message, problem.hint);
    return value;
  }

  function decodeDateTime(value: unknown, path: DataPath): string | undefined {
    if (value instanceof Date) return dateTimeOfSeconds(value.getTime() / 1000);
    return isScalar(value) ? canonicalDateTime(textAt(value, path)) : undefined;
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
      object[name] = decoded as JsonValue;
    }
    return object;
  }

  return decode;
}

const STRING_HINT = 'If it is not a reference, declare the field as a string in a schema.';

/** A value from a schema's transformation, as JSON. */
function plainJson(value: unknown): JsonValue {
  return isScalar(value) || value === null
    ? value
    : (JSON.parse(JSON.stringify(value) ?? 'null', withoutPrototype) as JsonValue);
}

function withoutPrototype(_key: string, value: unknown): unknown {
  return isRecord(value) ? Object.assign(Object.create(null), value) : value;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

import { canonicalDateTime, dateTimeOfSeconds } from '../../source/date-time.ts';
import { type DataPath, type Problem, FILE_START } from '../../source/diagnostic.ts';
import { compactMap, emptyMap, pathKey } from '../../source/parsed-data.ts';
import { type ProblemList, createProblemList } from '../../source/problem-list.ts';
import type { FileHistory } from '../../storage/driver.ts';
import { type JsonValue, isRecord } from '../../util/json.ts';
import { type ContentFile, locatorOf } from '../content-file.ts';
import type { ContentIndex } from '../content-index.ts';
import type { FileCatalog } from '../file-catalog.ts';
import type { Entity, FieldDefinition, FieldValue, Reference, ResourceType } from '../model.ts';
import type { PublicationRule } from '../publication.ts';
import { resolveReference } from '../references.ts';
import type { BundleShape } from '../schema/bundle-shape.ts';
import { type AliasPattern, aliasByPattern, aliasFault } from './alias.ts';
import { decodeFileValue } from './decode-file.ts';
import { decodeImages } from './decode-images.ts';

/** What a file's entity depends on beside the file. */
export interface DecodeContext {
  readonly shape: BundleShape;
  readonly publication: PublicationRule;
  readonly known: Pick<ContentIndex, 'has' | 'shared'>;
  readonly history: FileHistory | undefined;
  readonly defaultLangcode: string;
  /** Of entities whose file gives no alias. */
  readonly aliasPattern: AliasPattern | undefined;
  readonly danglingReferences: 'error' | 'missing';
  /** Whether the file of an entity that is not known is there, with errors of its own. */
  readonly isDraft: (reference: Reference) => boolean;
  readonly files: FileCatalog;
  /** As the site's `base`: starts with a slash, ends without one. */
  readonly base: string;
}

export interface DecodedFile {
  readonly entity: Entity;
  readonly problems: readonly Problem[];
  /** Entities whose coming or going may change this one or its problems. */
  readonly lookups: readonly Reference[];
  /** URIs of files whose coming, going or changing may do the same. */
  readonly files: readonly string[];
}

/** Makes the entity of a file. */
export function decodeFile(file: ContentFile, context: DecodeContext): DecodedFile {
  const { type } = context.shape;
  const list = createProblemList();
  const lookups: Reference[] = [];
  const files: string[] = [];
  const decoder = createValueDecoder(file, context, list, { lookups, files });
  const values = emptyMap<FieldValue>();
  const base = decodeBase(file, context);
  for (const [name, field] of type.fields) {
    if (name !== 'body') {
      values[name] = field.base
        ? (base[name] ?? null)
        : decoder.decode(rawValue(file, field), field, [field.key]);
    }
  }
  const { key, id, revision, body } = file;
  if (
    file.base.alias === null &&
    context.aliasPattern !== undefined &&
    type.fields.get('path')?.kind === 'object'
  ) {
    values.path = { alias: derivedAlias(context.aliasPattern, type, id, values, list) };
  }
  const published = context.publication.published(file.base);
  const images = decodeImages(file, context, list, files);
  return {
    entity: {
      type: type.name,
      id,
      key,
      revision,
      values: compactMap(values, type.fields.size),
      published,
      body,
      ...(images.length > 0 && { images }),
    },
    problems: list.problems.length === 0 ? NONE : list.problems,
    // A copy is as long as what is in it; what grew has room to spare.
    lookups: lookups.length === 0 ? NONE : [...lookups],
    files: files.length === 0 ? NONE : [...files],
  };
}

const NONE: readonly never[] = [];
const TEXT_HINT = 'If it is a text, declare it in a schema.';
const NO_ALIAS = Object.freeze({ alias: null });

function derivedAlias(
  pattern: AliasPattern,
  type: ResourceType,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
  list: ProblemList,
): string | null {
  const alias = aliasByPattern(pattern, type, id, values);
  const fault = alias === null ? undefined : aliasFault(alias);
  if (fault === undefined) return alias;
  const hint = 'Give the file a `path`, or change the pattern.';
  const message = `The alias \`${alias}\`, made by the pattern in option bundles, ${fault}.`;
  list.add('error', 'alias/invalid', message, () => FILE_START, hint, ['path']);
  return null;
}

function rawValue(file: ContentFile, field: FieldDefinition): unknown {
  return file.declared === null ? file.data[field.key] : file.declared[field.name];
}

function decodeBase(file: ContentFile, context: DecodeContext): Readonly<Record<string, FieldValue>> {
  const { base } = file;
  const { status } = base;
  const modified = file.mtimeMs / 1000;
  return {
    title: base.title,
    status: context.shape.textStatus
      ? status === null
        ? null
        : String(status)
      : context.publication.published(base),
    created: base.created ?? dateTimeOfSeconds(context.history?.created ?? modified) ?? null,
    changed: base.changed ?? dateTimeOfSeconds(context.history?.changed ?? modified) ?? null,
    langcode: base.langcode ?? context.defaultLangcode,
    path: base.alias === null ? NO_ALIAS : { alias: base.alias },
    uid: base.uid,
  };
}

function createValueDecoder(
  file: ContentFile,
  context: DecodeContext,
  list: ProblemList,
  { lookups, files }: { readonly lookups: Reference[]; readonly files: string[] },
) {
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
    if (field.kind === 'json') {
      return file.declared === null ? (present as JsonValue) : plainJson(present);
    }
    if (!field.list) {
      return present === null ? null : decodeItem(present, field, path);
    }
    const items: readonly unknown[] = Array.isArray(present) ? present : present === null ? [] : [present];
    const decoded = items.map((item, index) =>
      (item ?? null) === null
        ? null
        : decodeItem(item, field, Array.isArray(present) ? [...path, index] : path),
    );
    // What is filtered grew item by item, and has room to spare.
    return decoded.includes(null) ? [...decoded.filter((item) => item !== null)] : decoded;
  }

  function decodeItem(value: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    switch (field.kind) {
      case 'reference':
        return decodeReference(value, field, path);
      case 'image':
      case 'file':
        return decodeFileAt(value, field, path);
      case 'object':
        return isRecord(value) ? decodeObject(value, field, path) : misfit(value, field, path);
      case 'datetime':
        return decodeDateTime(value, path) ?? misfit(value, field, path);
      case 'integer':
      case 'number':
        return typeof value === 'number' && Number.isFinite(value) ? value : misfit(value, field, path);
      case 'boolean':
        return typeof value === 'boolean' ? value : misfit(value, field, path);
      case 'string':
      case 'date':
      case 'decimal':
        return isScalar(value) ? textAt(value, path) : misfit(value, field, path);
      case 'json':
      case 'formatted_text':
        return plainJson(value);
      default:
        return field.kind satisfies never;
    }
  }

  /** Only what a transformation in a schema turned into something else can come here. */
  function misfit(value: unknown, field: FieldDefinition, path: DataPath): null {
    const message = `The schema makes \`${path.join('.')}\` a ${typeof value}, which is no ${field.kind}.`;
    report('error', 'field/kind', path, message, 'Declare the field by the type it ends in.');
    return null;
  }

  function textAt(value: string | number | boolean, path: DataPath): string {
    return typeof value === 'number' ? (file.written.get(pathKey(path)) ?? String(value)) : String(value);
  }

  function decodeReference(value: unknown, field: FieldDefinition, path: DataPath): Reference | null {
    const written = typeof value === 'number' ? textAt(value, path) : (value as JsonValue);
    const resolved = resolveReference(written, field.targets, context.known);
    lookups.push(...resolved.lookups.map(context.known.shared));
    const missed = resolved.reference !== null && resolved.problem !== null && resolved.reference;
    if (resolved.problem !== null && !(missed && context.isDraft(missed))) {
      const { code, message, hint } = resolved.problem;
      const tolerated = code === 'reference/dangling' && context.danglingReferences === 'missing';
      const inferred = code === 'reference/dangling' && context.shape.type.origin === 'inferred';
      report(tolerated ? 'warning' : 'error', code, path, message, inferred ? `${hint} ${TEXT_HINT}` : hint);
    }
    return resolved.reference && context.known.shared(resolved.reference);
  }

  function decodeFileAt(written: unknown, field: FieldDefinition, path: DataPath): FieldValue {
    const { base, files: catalog } = context;
    const { value, uris, problem } = decodeFileValue(written, field.kind, {
      from: file.key,
      files: catalog,
      base,
    });
    files.push(...uris);
    if (problem !== undefined) report(problem.severity, problem.code, path, problem.message, problem.hint);
    return value;
  }

  function decodeDateTime(value: unknown, path: DataPath): string | undefined {
    if (value instanceof Date) {
      return dateTimeOfSeconds(value.getTime() / 1000);
    }
    return isScalar(value) ? canonicalDateTime(textAt(value, path)) : undefined;
  }

  function decodeObject(
    value: Readonly<Record<string, unknown>>,
    field: FieldDefinition,
    path: DataPath,
  ): FieldValue {
    const object = emptyMap();
    for (const [name, item] of Object.entries(value)) {
      const part = field.properties[name];
      object[name] = (
        part === undefined ? plainJson(item) : decode(item, part, [...path, name])
      ) as JsonValue;
    }
    return object;
  }

  return { decode };
}

/** What JSON can say of a value that a schema's transformation may have made. */
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

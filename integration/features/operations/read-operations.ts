import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { mapLinkage, mapRelationships } from '../../core/api/jsonapi/linkage.ts';
import { optionNote } from '../../core/engine/limits.ts';
import { LANGUAGE_PARAMETERS } from '../../core/engine/parse/parse-query.ts';
import { splitLanguage } from '../../core/read/language-paths.ts';
import {
  namedLanguage,
  type RequestLanguage,
  requestLanguage,
  writtenLanguage,
} from '../../core/read/request-language.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { belowPrefix, pathSegments } from '../../core/read/url-path.ts';
import { DomainError, withSource } from '../../core/util/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/util/json.ts';
import { badBody, escaped } from '../../core/write/request-json.ts';

/** An operation object as sent, with a target of a valid form. Source: JSON:API extension "Atomic Operations". */
export interface OperationObject {
  readonly op: Op;
  readonly target: OperationTarget;
  /** The language of the translation that it changes; undefined for the source. */
  readonly language: RequestLanguage | undefined;
  /** The operation itself, which has `data` like the document of a single request. */
  readonly document: JsonObject;
  /** `meta.ifMatch`: `meta.revision` of the entity as the client knows it. */
  readonly revision: string | null;
  /** The JSON pointer of the operation. */
  readonly pointer: string;
}

const OPS = ['add', 'update', 'remove'] as const;
export type Op = (typeof OPS)[number];

/** The target of an operation; `member` is the member of the operation that names it. */
export type OperationTarget =
  | { readonly kind: 'collection'; readonly type: string; readonly member: 'data' }
  | ({ readonly kind: 'entity'; readonly member: 'data' | 'ref' } & Identifier)
  | ({ readonly kind: 'relationship'; readonly name: string; readonly member: 'ref' } & Identifier)
  | { readonly kind: 'href'; readonly segments: readonly string[]; readonly member: 'href' };

/** A resource, by its id or by the `lid` of a resource that the request creates. */
export interface Identifier {
  readonly type: string;
  readonly id: string | undefined;
  readonly lid: string | undefined;
}

interface OperationSite extends Pick<ApiSettings, 'base' | 'prefix' | 'languages' | 'limits'> {
  /** The URL of the request, from which `href` is relative. */
  readonly url: string;
  readonly origin: string;
}

/**
 * Reads the operations of a document. Throws a `bad-request` error with the pointer of the first one that is malformed or
 * that uses a `lid` without a resource. With `meta.dryRun`, nothing is changed.
 */
export function readOperations(
  text: string,
  site: OperationSite,
): { readonly objects: readonly OperationObject[]; readonly dryRun: boolean } {
  const document = readDocument(text);
  const { [MEMBER]: list, meta } = document;
  const { operations: most } = site.limits;
  const other = OTHER_MEMBERS.find((name) => document[name] !== undefined);
  if (other !== undefined) throw badBody(`\`${other}\` cannot be sent with \`${MEMBER}\`.`, `/${other}`);
  if (!Array.isArray(list) || list.length === 0) {
    throw badBody(`\`${MEMBER}\` must be an array with at least one operation.`, `/${MEMBER}`);
  }
  if (list.length > most) {
    const detail = `A request may have ${most} operations at most, not ${list.length}${optionNote('operations')}.`;
    throw badBody(detail, `/${MEMBER}/${most}`);
  }
  const operations = list.map((each: JsonValue, at) => readOperation(each, `/${MEMBER}/${at}`, site));
  checkLids(operations);
  const { dryRun = false } = isRecord(meta) ? meta : {};
  if (typeof dryRun !== 'boolean') throw badBody('`dryRun` must be true or false.', '/meta/dryRun');
  return { objects: operations, dryRun };
}

const MEMBER = 'atomic:operations';
/** Members of other documents. Source: JSON:API extension "Atomic Operations". */
const OTHER_MEMBERS = ['data', 'included', 'errors'] as const;

function readOperation(value: JsonValue, pointer: string, site: OperationSite): OperationObject {
  if (!isRecord(value)) throw badBody('An operation must be an object.', pointer);
  const op = OPS.find((each) => each === value.op);
  if (op === undefined) throw badBody(`\`op\` must be one of ${OPS.join(', ')}.`, `${pointer}/op`);
  const { data, meta = {} } = value;
  if (!isRecord(meta)) throw badBody('`meta` must be an object.', `${pointer}/meta`);
  const { ifMatch: revision = null, langCode, ...others } = meta;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const detail = `\`meta\` of an operation has no member '${unknown}'. Members: ifMatch, langCode.`;
    throw badBody(detail, `${pointer}/meta/${escaped(unknown)}`);
  }
  if (revision !== null && typeof revision !== 'string') {
    throw badBody('`meta.ifMatch` must be the `meta.revision` of the resource.', `${pointer}/meta`);
  }
  if (data === undefined && op !== 'remove') throw badBody('`data` is missing.', pointer);
  const named = readLanguage(langCode, `${pointer}/meta/langCode`, site);
  const addressed = readTarget(op, value, pointer, named, site);
  if (data === undefined && addressed.target.kind === 'relationship')
    throw badBody('`data` is missing.', pointer);
  return { op, ...addressed, document: value, revision, pointer };
}

/** The language in `meta.langCode`. */
function readLanguage(
  name: JsonValue | undefined,
  pointer: string,
  { languages }: OperationSite,
): RequestLanguage | undefined {
  if (name === undefined) return undefined;
  if (languages === undefined) throw badBody('The site has one language: leave out `langCode`.', pointer);
  if (typeof name !== 'string') throw badBody('`langCode` must be a string.', pointer);
  return locating(pointer, () => namedLanguage(languages, name));
}

/** The target, and its language: `named`, or that of `href`. */
function readTarget(
  op: Op,
  operation: JsonObject,
  pointer: string,
  named: RequestLanguage | undefined,
  site: OperationSite,
): Pick<OperationObject, 'target' | 'language'> {
  const { ref, href } = operation;
  if (ref !== undefined && href !== undefined) {
    throw badBody('An operation has either `ref` or `href`, not both.', pointer);
  }
  if (href === undefined) return { target: readNamedTarget(op, operation, pointer, named), language: named };
  if (named === undefined) return readHref(href, `${pointer}/href`, site);
  throw badBody('The language of `href` is in its URL: leave out `langCode`.', `${pointer}/meta/langCode`);
}

/** The target in `ref`, else in `data`. With a language, the target of `add` is a translation of that resource. */
function readNamedTarget(
  op: Op,
  { ref, data }: JsonObject,
  pointer: string,
  language: RequestLanguage | undefined,
): OperationTarget {
  const createsResource = op === 'add' && language === undefined;
  if (ref !== undefined) {
    const identifier = readIdentifier(ref, `${pointer}/ref`);
    const name = isRecord(ref) ? ref.relationship : undefined;
    if (name !== undefined && typeof name !== 'string') {
      throw badBody('`relationship` must be the name of a relationship.', `${pointer}/ref/relationship`);
    }
    if (name !== undefined) return { kind: 'relationship', ...identifier, name, member: 'ref' };
    if (!createsResource) return { kind: 'entity', ...identifier, member: 'ref' };
    checkSameResource(identifier, data, pointer);
  }
  if (op === 'remove') throw badBody('`remove` needs a target: `ref` or `href`.', pointer);
  if (!isRecord(data) || typeof data.type !== 'string') {
    throw badBody('`data` must be a resource object with `type`.', `${pointer}/data`);
  }
  if (createsResource) return { kind: 'collection', type: data.type, member: 'data' };
  if (op === 'add' && data.id === undefined && data.lid === undefined) {
    throw badBody(
      '`add` with a language creates a translation: name its source in `ref`.',
      `${pointer}/data`,
    );
  }
  return { kind: 'entity', ...readIdentifier(data, `${pointer}/data`), member: 'data' };
}

/** Some clients name a new resource in `ref`, too. */
function checkSameResource(
  { type, id, lid }: Identifier,
  data: JsonValue | undefined,
  pointer: string,
): void {
  const isSame =
    isRecord(data) && data.type === type && (id === undefined ? data.lid === lid : data.id === id);
  if (isSame) return;
  throw badBody(
    '`ref` of a new resource must be the same as in `data`. Leave it out, or name a `relationship`.',
    `${pointer}/ref`,
  );
}

function readIdentifier(value: JsonValue, pointer: string): Identifier {
  const { type, id, lid } = isRecord(value) ? value : {};
  const isName = (name: JsonValue | undefined) => typeof name === 'string' && name !== '';
  if (!isName(type) || !isName(id === undefined ? lid : id)) {
    throw badBody('The target needs `type`, and `id` or `lid`, all strings.', pointer);
  }
  return {
    type: String(type),
    id: id === undefined ? undefined : String(id),
    lid: id === undefined ? String(lid) : undefined,
  };
}

/** The target and the language of `href`. Its language is that of a request to the same URL. */
function readHref(
  href: JsonValue,
  pointer: string,
  { url, origin, base, prefix, languages }: OperationSite,
): Pick<OperationObject, 'target' | 'language'> {
  const address = typeof href === 'string' && URL.canParse(href, url) ? new URL(href, url) : undefined;
  if (address?.origin !== new URL(origin).origin) {
    throw badBody('`href` must be an address of this site.', pointer);
  }
  const accepted = languages === undefined ? [] : LANGUAGE_PARAMETERS;
  const isPlain = [...address.searchParams.keys()].every((name) => accepted.includes(name));
  if (!isPlain || address.hash !== '') {
    const detail =
      languages === undefined
        ? '`href` must not have a query or a fragment.'
        : '`href` must not have a fragment or parameters other than `langCode`.';
    throw badBody(detail, pointer);
  }
  const { langcode, path } = splitLanguage({ base, languages }, address.pathname);
  const requested = locating(pointer, () => requestLanguage(languages, address.search, langcode));
  const language = requested && locating(pointer, () => writtenLanguage(requested));
  const below = belowPrefix(path, { base, prefix });
  const segments = locating(pointer, () => pathSegments(below));
  if (below === path || segments.length < 2) {
    throw badBody(
      '`href` must be the address of a collection, a resource or a relationship, such as `/jsonapi/node/article`.',
      pointer,
    );
  }
  if (segments.length === 2 && language !== undefined) {
    throw badBody(
      'New resources are sources: leave out the language. Add a translation at the address of its source.',
      pointer,
    );
  }
  return { target: { kind: 'href', segments, member: 'href' }, language };
}

/** Runs `work`. An error without a place below `pointer` gets that place. */
export function locating<T>(pointer: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw locate(pointer, error);
  }
}

export function locate(pointer: string, error: unknown): unknown {
  return error instanceof DomainError
    ? withSource(error, (source) => (source.pointer?.startsWith(`${pointer}/`) ? source : { pointer }))
    : error;
}

/** New resources may refer to each other. A target has to exist before its operation. */
function checkLids(operations: readonly OperationObject[]): void {
  const positions = new Map<string, number>();
  for (const [at, operation] of operations.entries()) {
    const { pointer } = operation;
    const { type, lid } = newResource(operation) ?? {};
    if (lid === undefined) continue;
    if (typeof type !== 'string' || typeof lid !== 'string' || lid === '') {
      throw badBody('`lid` must be a string.', `${pointer}/data/lid`);
    }
    const key = lidKey(type, lid);
    if (positions.has(key)) {
      throw badBody(`Another operation already adds a ${type} with the lid '${lid}'.`, `${pointer}/data/lid`);
    }
    positions.set(key, at);
  }
  for (const [at, { target, document, pointer }] of operations.entries()) {
    if ('lid' in target && target.lid !== undefined) {
      const position = positions.get(lidKey(target.type, target.lid));
      const place = `${pointer}/${target.member}/lid`;
      if (position === undefined) throw unknownLid(target.type, target.lid, place);
      if (position >= at) throw badBody(`The resource with the lid '${target.lid}' is added later.`, place);
    }
    for (const { type, lid, path } of lidsIn(document.data ?? null)) {
      if (!positions.has(lidKey(type, lid))) throw unknownLid(type, lid, `${pointer}/data${path}/lid`);
    }
  }
}

/** The resource that an operation adds. */
export function newResource({ op, target, document: { data } }: OperationObject): JsonObject | undefined {
  const isCollection =
    target.kind === 'collection' || (target.kind === 'href' && target.segments.length === 2);
  return op === 'add' && isCollection && isRecord(data) ? data : undefined;
}

function unknownLid(type: string, lid: string, pointer: string): DomainError {
  return badBody(`No operation adds a ${type} with the lid '${lid}'.`, pointer);
}

/** The key of a `lid` in maps. Type names have no spaces. */
export function lidKey(type: string, lid: string): string {
  return `${type} ${lid}`;
}

/** The `lid` of each resource identifier without an `id`: in linkage, and in the relationships of a resource. */
function lidsIn(data: JsonValue): readonly { type: string; lid: string; path: string }[] {
  const lids: { type: string; lid: string; path: string }[] = [];
  const collect = (identifier: JsonObject, path: string) => {
    const { type, id, lid } = identifier;
    if (id === undefined && typeof type === 'string' && typeof lid === 'string')
      lids.push({ type, lid, path });
    return identifier;
  };
  mapLinkage(data, collect);
  mapRelationships(data, collect);
  return lids;
}

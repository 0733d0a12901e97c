import { bodyLength, type Entity } from '../content/model.ts';
import type { ByteRange } from '../storage/driver.ts';
import { digestBytes } from '../util/revision.ts';
import type {
  DataDocument,
  DocumentMeta,
  JsonApiMember,
  Link,
  Linkage,
  MenuItemObject,
} from './document-types.ts';
import type { Fragment, ResourceWriter, WrittenPart } from './reader.ts';
import type { ResponseWork } from './response-limiter.ts';

/** The resources of a document in order, and how to write each. */
export interface Resources extends ResourceWriter {
  readonly entities: readonly Entity[];
}

type ComposedData = Fragment | Resources | Linkage | readonly MenuItemObject[];

interface DocumentState {
  /** The tag, if the document has that of its only resource. */
  readonly tag?: string | undefined;
  /** True for a past version: the response depends on more than content, clock and actor. */
  readonly past?: true | undefined;
  /** The language of the document, on a site with several. */
  readonly language?: string | undefined;
  /** The media type, if it is not that of the route. */
  readonly contentType?: string | undefined;
}

/** A JSON document whose members are values, WrittenParts, or Resources. */
export interface SerializableDocument extends DocumentState {
  readonly members: Readonly<Record<string, unknown>>;
}

/** A JSON:API document. Its state is not part of the JSON. */
export interface ComposedDocument<Data extends ComposedData = ComposedData> extends DocumentState {
  readonly jsonapi: JsonApiMember;
  readonly data: Data;
  readonly included?: Resources;
  readonly meta?: DocumentMeta;
  readonly links: Readonly<Record<string, Link | null>>;
}

interface Body extends DocumentState {
  /** A digest that differs when the same URL returns other bytes. */
  readonly tag: string;
  /** Present if the body is a file instead of JSON. */
  readonly file?: FileHeaders;
}

/** A response body in memory. */
export interface SerializedBody extends Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The media type of a file, and headers that limit what browsers do with it. */
export interface FileHeaders {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response body that is too large for memory. */
export interface Streamed extends Body {
  /** Bytes; undefined if unknown. */
  readonly size?: number;
  /** Starts writing, for a file only these bytes. Each chunk has about 64 kB and is written on demand. */
  chunks(range?: ByteRange): Chunks;
  readonly work: ResponseWork;
}

export type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

export function isStreamed(answer: SerializedBody | Streamed): answer is Streamed {
  return 'chunks' in answer;
}

/** Documents with fewer bytes are written whole and may be cached. */
export const WHOLE_BYTES = 1_000_000;
/** Documents with at most this many resources and less than half of WHOLE_BYTES in bodies are not weighed. */
const MAX_UNWEIGHED = 200;

/** Writes a whole JSON:API document. */
export function writeDocument(document: ComposedDocument): Promise<SerializedBody> {
  return writeWhole(serializable(document));
}

/** Converts a JSON:API document. */
export function serializable({
  tag,
  past,
  language,
  contentType,
  ...members
}: ComposedDocument): SerializableDocument {
  return { members, tag, past, language, contentType };
}

export function stateOf({ past, language, contentType }: DocumentState): Omit<DocumentState, 'tag'> {
  return { past, language, contentType };
}

/** Writes a value as JSON. */
export function writeJson(value: unknown): SerializedBody {
  const bytes = encoder.encode(JSON.stringify(value));
  return { bytes, tag: digestBytes(bytes) };
}

/** Parses the JSON of a document. */
export function parseSerialized({ bytes }: SerializedBody): DataDocument {
  return JSON.parse(decoder.decode(bytes));
}

/** Writes a whole document. */
export async function writeWhole(
  document: SerializableDocument,
  work?: ResponseWork,
): Promise<SerializedBody> {
  const parts: Uint8Array[] = [];
  const tag = await visitParts(document, work, 'write', (part) => {
    parts.push(typeof part === 'string' ? encoder.encode(part) : part.bytes);
  });
  return { bytes: concatenated(parts), tag, ...stateOf(document) };
}

/** Writes or weighs each part of a document in order. Returns the tag of the document. */
export async function visitParts<Verb extends 'write' | 'weigh'>(
  document: SerializableDocument,
  work: ResponseWork | undefined,
  verb: Verb,
  visit: (part: string | WrittenPart | Awaited<ReturnType<ResourceWriter[Verb]>>) => void,
): Promise<string> {
  const digested: string[] = [];
  const resources = Object.values(document.members).filter(isResources);
  await Promise.all(resources.map((each) => each.prepare?.(each.entities)));
  for (const part of partsOf(document)) {
    if (typeof part === 'string') {
      if (part !== COMMA) digested.push(part);
      visit(part);
      continue;
    }
    const result = isPending(part) ? part.of[verb](part.entity) : part;
    const visited = result instanceof Promise ? await result : result;
    digested.push(visited.tag);
    visit(visited as WrittenPart);
    const pause = work?.pause();
    if (pause !== undefined) await pause;
  }
  return document.tag ?? digestBytes(encoder.encode(digested.join('\n')));
}

/** The parts of a document in order: text, resources, and a COMMA between the resources of a list. */
export function* partsOf({
  members,
}: SerializableDocument): Generator<string | WrittenPart | PendingResource, void, undefined> {
  let text = '{';
  for (const [name, value] of Object.entries(members)) {
    if (text !== '{') text += ',';
    text += `${JSON.stringify(name)}:`;
    if (isWritten(value)) {
      yield text;
      yield value;
      text = '';
    } else if (isResources(value)) {
      text += '[';
      let isFirst = true;
      for (const entity of value.entities) {
        yield isFirst ? text : COMMA;
        yield { of: value, entity };
        if (isFirst) text = '';
        isFirst = false;
      }
      text += ']';
    } else {
      text += JSON.stringify(value);
    }
  }
  yield `${text}}`;
}

/** True if the document is certainly small, so that it need not be weighed. */
export function isSmall({ members }: SerializableDocument): boolean {
  const entities = Object.values(members)
    .filter(isResources)
    .flatMap((each) => each.entities);
  if (entities.length > MAX_UNWEIGHED) return false;
  return entities.reduce((sum, { body }) => sum + (body ? bodyLength(body) : 0), 0) < WHOLE_BYTES / 2;
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function isWritten(value: unknown): value is WrittenPart {
  return value instanceof Object && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function isResources(value: unknown): value is Resources {
  return value instanceof Object && 'weigh' in value;
}

export function isPending(part: WrittenPart | PendingResource): part is PendingResource {
  return 'of' in part;
}

interface PendingResource {
  readonly of: Resources;
  readonly entity: Entity;
}

const COMMA = ',';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

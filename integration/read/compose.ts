import { bodyLength, type Entity } from '../content/model.ts';
import { beyondLimit, type Limits } from '../engine/limits.ts';
import { digestBytes } from '../util/revision.ts';
import type {
  DataDocument,
  DocumentMeta,
  JSONAPI_MEMBER,
  Link,
  Linkage,
  MenuItemObject,
} from './document-types.ts';
import type { Production } from './production.ts';
import type { Fragment, ResourceWriter, Weight, WrittenPart } from './reader.ts';

/** Resources of a document in their order, which are written one by one. */
export interface Resources extends ResourceWriter {
  readonly entities: readonly Entity[];
}

type ComposedData = Fragment | Resources | Linkage | readonly MenuItemObject[];

/** A JSON document whose members are values, WrittenParts, or Resources. */
export interface Composed {
  readonly members: Readonly<Record<string, unknown>>;
  /** The tag of the document if it is that of its only resource. */
  readonly tag?: string;
  /** True for a past version: the answer depends on more than content, clock and actor. */
  readonly past?: true;
}

/** A JSON:API document whose resources are written apart from the rest. */
export interface ComposedDocument<Data extends ComposedData = ComposedData> {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly data: Data;
  readonly included?: Resources;
  readonly meta?: DocumentMeta;
  readonly links: Readonly<Record<string, Link>>;
  /** As of Composed. Not a member. */
  readonly tag?: string;
  /** As of Composed. Not a member. */
  readonly past?: true;
}

/** JSON in UTF-8 and a digest that differs when the same address returns something else. */
export interface Written {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tag: string;
  /** As of Composed. */
  readonly past?: true;
  readonly file?: FileHeaders;
}

/** How a file is sent, which is not JSON: its own media type, and how a browser may use it. */
export interface FileHeaders {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer that is too large to be held in memory. Its tag is known before it is written. */
export interface Streamed {
  readonly tag: string;
  /** Bytes, if they are known. */
  readonly size?: number;
  /** As of Composed. */
  readonly past?: true;
  readonly file?: FileHeaders;
  /** Begins to write. Each chunk has about CHUNK_BYTES and is made when it is asked for. */
  chunks(): Chunks;
  readonly work: Production;
}

type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

export function isStreamed(answer: Written | Streamed): answer is Streamed {
  return 'chunks' in answer;
}

/** Bytes of one chunk, unless a single resource has more. */
const CHUNK_BYTES = 65_536;
/** Documents that count fewer bytes than this are written whole and may be cached. */
const WHOLE_BYTES = 1_000_000;
/** Documents of fewer resources whose bodies have fewer bytes than half of WHOLE_BYTES need not be weighed. */
const FEW = 200;

/** The whole document. */
export async function writeDocument(document: ComposedDocument, work?: Production): Promise<Written> {
  return writeWhole(composed(document), work);
}

/** The document to send: whole if it is small, else in chunks. Throws a 400 beyond `limits.answerBytes`. */
export async function openDocument(
  document: Composed,
  { limits, work, parameter }: OpenOptions,
): Promise<Written | Streamed> {
  if (isSmall(document)) return writeWhole(document, work);
  const { tag, size } = await weigh(document, work);
  if (size > limits.answerBytes) {
    throw beyondLimit(
      parameter,
      'answerBytes',
      `This answer would have about ${size} bytes, and ${limits.answerBytes} are allowed. Ask for pages, or for fewer fields`,
    );
  }
  if (size < WHOLE_BYTES) return writeWhole(document, work);
  const { past } = document;
  return { tag, chunks: () => chunksOf(document, work), work, ...(past && { past }) };
}

interface OpenOptions {
  readonly limits: Limits;
  readonly work: Production;
  /** The parameter by which a client asks for pages. */
  readonly parameter: string;
}

/** A JSON:API document as any other. */
export function composed({ tag, past, ...members }: ComposedDocument): Composed {
  return { members, ...(tag !== undefined && { tag }), ...(past && { past }) };
}

/** Anything else as JSON. */
export function writeJson(value: unknown): Written {
  const bytes = encoder.encode(JSON.stringify(value));
  return { bytes, tag: digestBytes(bytes) };
}

/** What a document's JSON says. */
export function parseWritten({ bytes }: Written): DataDocument {
  return JSON.parse(decoder.decode(bytes));
}

/** The whole document, whatever its form. */
export async function writeWhole(document: Composed, work?: Production): Promise<Written> {
  const parts: Uint8Array[] = [];
  const digested: string[] = [];
  for (const part of partsOf(document)) {
    if (typeof part === 'string') {
      parts.push(encoder.encode(part));
      if (part !== COMMA) digested.push(part);
      continue;
    }
    const writing = isPending(part) ? part.of.write(part.entity) : part;
    const { bytes, tag } = writing instanceof Promise ? await writing : writing;
    parts.push(bytes);
    digested.push(tag);
    const pause = work?.pause();
    if (pause !== undefined) await pause;
  }
  const { past } = document;
  return { bytes: concatenated(parts), tag: document.tag ?? tagOf(digested), ...(past && { past }) };
}

/** The tag that `writeWhole` gives, and what the document counts for `limits.answerBytes`. */
async function weigh(document: Composed, work: Production): Promise<Weight> {
  const digested: string[] = [];
  let size = 0;
  for (const part of partsOf(document)) {
    if (typeof part === 'string') {
      if (part !== COMMA) digested.push(part);
      size += part.length;
      continue;
    }
    const weighing = isPending(part) ? part.of.weigh(part.entity) : { ...part, size: part.bytes.length };
    const weight = weighing instanceof Promise ? await weighing : weighing;
    digested.push(weight.tag);
    size += weight.size;
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  return { tag: document.tag ?? tagOf(digested), size };
}

async function* chunksOf(document: Composed, work: Production): Chunks {
  let parts: Uint8Array[] = [];
  let length = 0;
  for (const part of partsOf(document)) {
    const writing =
      typeof part === 'string'
        ? { bytes: encoder.encode(part) }
        : isPending(part)
          ? part.of.writeOnce(part.entity)
          : part;
    const { bytes } = writing instanceof Promise ? await writing : writing;
    parts.push(bytes);
    length += bytes.length;
    if (length >= CHUNK_BYTES) {
      yield concatenated(parts);
      parts = [];
      length = 0;
    }
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  if (length > 0) yield concatenated(parts);
}

/** A document in its order: text, resources, and a COMMA between the resources of a list. */
function* partsOf({ members }: Composed): Generator<string | WrittenPart | PendingResource, void, undefined> {
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

/** True if the document has so few and short resources that weighing them is not worth the time. */
function isSmall({ members }: Composed): boolean {
  let count = 0;
  let bytes = 0;
  for (const value of Object.values(members)) {
    if (!isResources(value)) continue;
    count += value.entities.length;
    if (count > FEW) return false;
    for (const { body } of value.entities) if (body !== null) bytes += bodyLength(body);
  }
  return bytes < WHOLE_BYTES / 2;
}

function tagOf(digested: readonly string[]): string {
  return digestBytes(encoder.encode(digested.join('\n')));
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function isWritten(value: unknown): value is WrittenPart {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function isResources(value: unknown): value is Resources {
  return typeof value === 'object' && value !== null && 'entities' in value && 'weigh' in value;
}

function isPending(part: WrittenPart | PendingResource): part is PendingResource {
  return 'of' in part;
}

interface PendingResource {
  readonly of: Resources;
  readonly entity: Entity;
}

const COMMA = ',';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

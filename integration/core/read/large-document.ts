import { beyondLimit, type Limits } from '../engine/limits.ts';
import {
  type Chunks,
  concatenated,
  isPending,
  isSmall,
  partsOf,
  type SerializableDocument,
  type SerializedBody,
  type Streamed,
  stateOf,
  visitParts,
  WHOLE_BYTES,
  writeWhole,
} from './compose.ts';
import type { Weight } from './reader.ts';
import type { ResponseWork } from './response-limiter.ts';

/** Bytes of one chunk. A single larger resource is one chunk. */
const CHUNK_BYTES = 65_536;

/** Writes a document: whole if it is small, else in chunks. Throws BadParameterError beyond `limits.answerBytes`. */
export async function openDocument(
  document: SerializableDocument,
  { limits, work, parameter }: OpenOptions,
): Promise<SerializedBody | Streamed> {
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
  return { tag, chunks: () => chunksOf(document, work), work, ...stateOf(document) };
}

interface OpenOptions {
  readonly limits: Limits;
  readonly work: ResponseWork;
  /** The query parameter that limits the page. */
  readonly parameter: string;
}

/** Returns the tag that `writeWhole` computes, and the size that counts for `limits.answerBytes`. */
async function weigh(document: SerializableDocument, work: ResponseWork): Promise<Weight> {
  let size = 0;
  const tag = await visitParts(document, work, 'weigh', (part) => {
    size += typeof part === 'string' ? part.length : 'size' in part ? part.size : part.bytes.length;
  });
  return { tag, size };
}

async function* chunksOf(document: SerializableDocument, work: ResponseWork): Chunks {
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

const encoder = new TextEncoder();

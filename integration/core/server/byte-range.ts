import type { ByteRange } from '../storage/driver.ts';
import { DomainError } from '../util/errors.ts';

/**
 * The part of a file that a request asks for. Undefined for the whole file: without the header `Range`, for several ranges,
 * and if `If-Range` names another version. Throws if all bytes are outside of the file. Source: RFC 9110, sections 13.1.5
 * and 14.2.
 */
export function requestedRange(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | undefined {
  const [, first, last] = RANGE.exec(headers.get('range') ?? '') ?? [];
  const version = headers.get('if-range');
  if (method !== 'GET' || first === undefined || last === undefined) return undefined;
  if (version !== null && version.trim() !== etag) return undefined;
  const hasBoth = first !== '' && last !== '';
  if (hasBoth ? Number(last) < Number(first) : first === last) return undefined;
  // `-500` are the last 500 bytes.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size) {
    const detail = `The file has ${size} bytes. Ask for some of them, for example bytes=0-${Math.max(0, size - 1)}.`;
    throw new DomainError('range-not-satisfiable', detail, { source: { header: 'Range' }, size });
  }
  return { start, end: hasBoth ? Math.min(Number(last) + 1, size) : size };
}

/** One range. A file never has as many bytes as 15 digits can count. */
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

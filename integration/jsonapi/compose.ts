import { digestBytes } from '../storage/revision.ts';
import type {
  DataDocument,
  DocumentMeta,
  JSONAPI_MEMBER,
  Link,
  Linkage,
  MenuItemObject,
} from './document-types.ts';
import type { Fragment } from './fragment.ts';

/** Fragments, what a relationship points to, or the items of a menu. */
type ComposedData = Fragment | readonly Fragment[] | Linkage | readonly MenuItemObject[];

/** A document whose resources are written already, and the rest of it is not. */
export interface ComposedDocument<Data extends ComposedData = ComposedData> {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly data: Data;
  readonly included?: readonly Fragment[];
  readonly meta?: DocumentMeta;
  readonly links: Readonly<Record<string, Link>>;
  /** Of the whole document, where it is that of its only resource. Not a member. */
  readonly tag?: string;
  /** Whether a past version is told, so that more than content, clock and asker decides how long it holds. Not a member. */
  readonly past?: true;
}

/** JSON in UTF-8 and the digest that tells it from what the same address answers at other times. */
export interface Written {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tag: string;
  /** As of ComposedDocument. */
  readonly past?: true;
  /** Of a file, which is no JSON: its own media type, and how a browser may use it. */
  readonly file?: { readonly contentType: string; readonly headers: Readonly<Record<string, string>> };
}

/** Concatenates a document from its fragments. The digest is combined from theirs. */
export function writeDocument({ tag, past, ...document }: ComposedDocument): Written {
  const parts: Uint8Array[] = [];
  const digested: string[] = [];
  let text = '{';
  const flush = (): void => {
    if (text === '') return;
    parts.push(encoder.encode(text));
    digested.push(text);
    text = '';
  };
  const addFragment = (fragment: Fragment): void => {
    flush();
    parts.push(fragment.bytes);
    digested.push(fragment.tag);
  };
  for (const [name, value] of Object.entries(document)) {
    if (text !== '{') text += ',';
    text += `"${name}":`;
    if (isFragment(value)) {
      addFragment(value);
    } else if (isFragmentList(value)) {
      text += '[';
      value.forEach((fragment, at) => {
        if (at > 0) parts.push(COMMA);
        addFragment(fragment);
      });
      text += ']';
    } else {
      text += JSON.stringify(value);
    }
  }
  text += '}';
  flush();
  const digest = tag ?? digestBytes(encoder.encode(digested.join('\n')));
  return { bytes: concatenated(parts), tag: digest, ...(past && { past }) };
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

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function isFragment(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function isFragmentList(value: unknown): value is readonly Fragment[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFragment);
}

const encoder = new TextEncoder();
const COMMA = encoder.encode(',');
const decoder = new TextDecoder();

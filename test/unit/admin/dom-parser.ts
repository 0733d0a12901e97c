import { createRequire } from 'node:module';

/** The DOM that turndown uses in Node. */
const domino: { createDocument(html: string): Document } = createRequire(
  createRequire(import.meta.url).resolve('turndown'),
)('@mixmark-io/domino');

globalThis.DOMParser ??= class {
  parseFromString(html: string): Document {
    return domino.createDocument(html);
  }
} as typeof DOMParser;

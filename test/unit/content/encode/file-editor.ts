import {
  type EncodeContext,
  encodeFile,
  type FieldChanges,
} from '../../../../integration/core/content/encode/encode-file.ts';
import { bodyText, type Entity } from '../../../../integration/core/content/model.ts';
import type { Problem } from '../../../../integration/core/source/diagnostic.ts';
import { type Collected, type CollectSettings, collect, type Files } from '../collect.ts';

/** Edits files in memory and returns the results. */
export interface Editor {
  readonly collected: Collected;
  /** The text of a file after changes. */
  edit(key: string, changes: FieldChanges, more?: Partial<EncodeContext>): string;
  /** The text of a new file. */
  create(key: string, changes: FieldChanges, more?: Partial<EncodeContext>): string;
  /** The file as the given text would become it. */
  read(key: string, text: string): Promise<{ entity: Entity | null; problems: readonly Problem[] }>;
}

export async function createFileEditor(files: Files, settings: CollectSettings = {}): Promise<Editor> {
  const collected = await collect(files, settings);
  const { collector } = collected;

  function encode(key: string, before: boolean, changes: FieldChanges, more: Partial<EncodeContext>): string {
    const bundle = collector.encoding(key);
    if (bundle === undefined) throw new Error(`No bundle for ${key}.`);
    const entity = before ? collected.entity(key) : null;
    const bytes = before ? toBytes(files[key] ?? '') : null;
    return toText(encodeFile(bytes, changes, { ...bundle, key, entity, ...more }).bytes);
  }

  return {
    collected,
    edit: (key, changes, more = {}) => encode(key, true, changes, more),
    create: (key, changes, more = {}) => encode(key, false, changes, more),
    read: (key, text) => collector.preview(key, toBytes(text)),
  };
}

/** All values of an entity, as changes without effect. */
export function allValues({ values, body }: Entity): FieldChanges {
  return body === null ? values : { ...values, body: { value: bodyText(body), summary: body.summary } };
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

function toText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

import type { z } from 'zod';

export type JsonValue =
  | null
  | string
  | number
  | boolean
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** True for an object that is not an array. The overload keeps the type of JSON values. */
export function isRecord(value: JsonValue | undefined): value is JsonObject;
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>>;
export function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a text has as JSON; undefined if it is not JSON, or does not match the schema. */
export function parseAs<S extends z.ZodType>(schema: S, text: string): z.output<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export type JsonObject = { readonly [key: string]: JsonValue };

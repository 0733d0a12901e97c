import type { JsonSchema } from '../../core/api/json-schema.ts';
import { isRecord } from '../../core/util/json.ts';

/** The components of a kind, such as `schemas`, by name. */
type Components = { readonly [kind: string]: JsonSchema };

/** The components that a part of the document refers to, directly or through other components. */
export function usedComponents(part: unknown, components: Components): Components {
  const used: Record<string, Record<string, JsonSchema[string]>> = {};
  const visit = (value: unknown): void => {
    if (!Array.isArray(value) && !isRecord(value)) return;
    for (const member of Object.values(value)) visit(member);
    if (Array.isArray(value) || typeof value.$ref !== 'string') return;
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref) ?? [];
    const component = components[kind]?.[name];
    if (component === undefined || used[kind]?.[name] !== undefined) return;
    used[kind] = { ...used[kind], [name]: component };
    visit(component);
  };
  visit(part);
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [kind, inOrder(all, used[kind])]),
  );
}

function inOrder(all: JsonSchema, used: JsonSchema = {}): JsonSchema {
  return Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(used, name)));
}

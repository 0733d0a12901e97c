import { compileSchema } from '../json-schema.ts';

/** The component schemas of an OpenAPI document, compiled on first use. */
export function componentsOf(description: { components: { schemas: Record<string, object> } }) {
  const compiled = new Map<string, ReturnType<typeof compileSchema>>();
  return (name: string) => {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const { components } = description;
    const validate = compileSchema({
      $ref: `#/$defs/${name}`,
      $defs: JSON.parse(JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/')),
    });
    compiled.set(name, validate);
    return validate;
  };
}

/** Compiles a schema of an operation, which refers to component schemas, once per label. */
export function inlineSchema(
  description: { components: { schemas: Record<string, object> } },
  label: string,
  described: object,
) {
  const known = inline.get(description)?.get(label);
  if (known !== undefined) return known;
  const $defs = description.components.schemas;
  const text = JSON.stringify({ ...described, $defs }).replaceAll('#/components/schemas/', '#/$defs/');
  const validate = compileSchema(JSON.parse(text));
  const compiled = inline.get(description) ?? new Map<string, ReturnType<typeof compileSchema>>();
  inline.set(description, compiled.set(label, validate));
  return validate;
}

const inline = new WeakMap<object, Map<string, ReturnType<typeof compileSchema>>>();

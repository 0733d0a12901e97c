import type { Services } from '../../integration/core/api/request.ts';
import type { FieldDefinition, ResourceType } from '../../integration/core/content/model.ts';
import type { FuzzCollection, FuzzVocabulary } from './fuzz-requests.ts';

/** The URLs, paths and values of a site's content. */
export function vocabularyOf({ store }: Services): FuzzVocabulary {
  const collections: FuzzCollection[] = [];
  const addresses = ['/jsonapi', '/jsonapi/openapi.json', '/jsonapi-explorer/schema.json', '/subrequests'];
  const values = new Set(VALUES);
  for (const type of store.types.values()) {
    const { name, entityType, bundle, fields } = type;
    const at = `/jsonapi/${entityType}/${bundle}`;
    const plain = [`/api/content/${bundle}`, `/v1/api/content/${bundle}`];
    const names = {
      paths: [...BASE_PATHS, ...throughReferences(store, type, 2)],
      includes: includesOf(store, type, 3),
      ids: store.entities(name).map(({ id }) => id),
    };
    collections.push(...[at, at, at, ...plain].map((address) => ({ address, ...names })));
    addresses.push(at, ...plain, `${at}/resource/schema`, `/jsonapi/menu_items/${bundle}`);
    for (const { id, values: given } of store.entities(name)) {
      addresses.push(`${at}/${id}`, ...plain.map((prefix) => `${prefix}/${id}`));
      for (const { name: field, kind } of fields.values()) {
        const below = [`${at}/${id}/${field}`, `${at}/${id}/relationships/${field}`];
        if (kind === 'reference') addresses.push(...below);
      }
      for (const value of Object.values(given)) if (typeof value !== 'object') values.add(String(value));
    }
  }
  return { addresses, collections, types: [...store.types.keys()], values: [...values] };
}

function throughReferences(store: Store, type: ResourceType, depth: number): string[] {
  return [...type.fields.values()].flatMap((field) => {
    const own = pathsOf(field);
    if (field.kind !== 'reference' || depth === 0) return own;
    const further = targetsOf(store, field).flatMap((target) => throughReferences(store, target, depth - 1));
    return [...own, ...further.map((path) => `${field.name}.${path}`)];
  });
}

function includesOf(store: Store, type: ResourceType, depth: number): string[] {
  const references = [...type.fields.values()].filter(({ kind }) => kind === 'reference');
  return references.flatMap((field) => {
    const further =
      depth === 1 ? [] : targetsOf(store, field).flatMap((to) => includesOf(store, to, depth - 1));
    return [field.name, ...further.map((path) => `${field.name}.${path}`)];
  });
}

function targetsOf(store: Store, { targets }: FieldDefinition): ResourceType[] {
  return targets.map((name) => store.types.get(name)).filter((type) => type !== undefined);
}

function pathsOf({ name, kind, properties }: FieldDefinition): readonly string[] {
  if (kind === 'reference') {
    return [`${name}.id`, `${name}.title`, `${name}.entity.title`, `${name}.1.id`];
  }
  const keys = Object.keys(properties);
  if (keys.length === 0) return [name, name, `${name}.0`];
  return [name, ...keys.flatMap((key) => [`${name}.${key}`, `${name}.1.${key}`])];
}

const BASE_PATHS = ['id', 'status', 'title', '@published', 'path.alias', 'body.value', 'body.processed'];
const VALUES = [
  '',
  '0',
  '1',
  '-3',
  '2.5',
  '1e3',
  'true',
  'e',
  'sea',
  '2026-03-01',
  '2026-03-01T12:00:00+01:00',
];

type Store = Services['store'];

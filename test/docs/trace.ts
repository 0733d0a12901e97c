import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import { createPolicy } from '../../integration/core/access/policy.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { createCollector } from '../../integration/core/content/collect.ts';
import { createQueryEngine } from '../../integration/core/engine/create-engine.ts';
import { DEFAULT_LIMITS } from '../../integration/core/engine/limits.ts';
import { parseQuery } from '../../integration/core/engine/parse/parse-query.ts';
import { parseQueryString } from '../../integration/core/engine/parse/query-string.ts';
import { createResolveContext } from '../../integration/core/engine/resolve/bind-path.ts';
import { type ResolvedNode, resolveFilter } from '../../integration/core/engine/resolve/resolve-filter.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { createFileSource } from '../../integration/core/storage/file-source.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { DEMO } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { idsOf } from '../support/ids-of.ts';
import { createReadServices } from '../support/services.ts';

export const REQUEST =
  '/jsonapi/node/article?filter[field_tags.title]=tides&filter[field_height][operator]=<&filter[field_height][value]=2.5&sort=-field_published&page[limit]=2&include=field_author&fields[node--article]=title,field_author&fields[node--person]=title';

/** The stages of one request over the demo content, for ARCHITECTURE.md. */
export async function traceRequest(): Promise<ReadonlyMap<string, string>> {
  const store = createEntityStore({ locale: 'en' });
  const { languages, schema } = DEMO;
  const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en', languages } as const;
  const { types, entities } = await createCollector({
    driver: createGitDriver(DEMO.content),
    files: { public: createFileSource(createFsDriver(DEMO.public)) },
    schema,
    options,
  }).load();
  store.load(types, entities);
  const engine = createQueryEngine(store);
  const access = createPolicy(store, { now: () => Date.parse('2026-11-01T00:00:00Z'), languages })(ANONYMOUS);
  const type = store.types.get('node--article');
  const entity = store.get('node--article', 'two-bulges');
  if (type === undefined || entity === undefined) throw new Error('The demo content has changed.');
  const search = REQUEST.slice(REQUEST.indexOf('?') + 1);
  const query = parseQuery(search, 'collection', {
    pageSize: { default: 50, max: 50, unlimited: true },
    limits: DEFAULT_LIMITS,
  });
  const { ast, plan, result } = engine.explain(type, query, access);
  const document = await answer({
    ...createReadServices(store, { settings: { languages } }),
    access: () => access,
  });
  return new Map([
    [
      'entity',
      show({
        type: entity.type,
        id: entity.id,
        key: entity.key,
        published: entity.published,
        values: pick(entity.values),
      }),
    ],
    ['tree', show(parseQueryString(search, DEFAULT_LIMITS))],
    [
      'ast',
      show({
        filter: ast.filter,
        sort: ast.sort,
        page: ast.page,
        include: query.include,
        fields: query.fields,
      }),
    ],
    [
      'resolved',
      show(
        withoutFunctions(
          resolveFilter(type, query.filter, createResolveContext(store.types, access, DEFAULT_LIMITS)),
        ),
      ),
    ],
    ['policy', show(access.visibility(type))],
    ['plan', plan],
    ['result', show({ ids: idsOf(result), count: result.count })],
    ['document', show(document)],
  ]);
}

async function answer(services: Services): Promise<unknown> {
  const response = await createHandler(services)(new Request(new URL(REQUEST, 'http://127.0.0.1:4321')));
  return response?.json();
}

function pick(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    ['title', 'field_height', 'field_author', 'field_tags'].map((name) => [name, values[name]]),
  );
}

/** The resolved tree without internal details: slots by name, types by name. */
function withoutFunctions(node: ResolvedNode): unknown {
  switch (node.kind) {
    case 'group':
      return { kind: node.kind, conjunction: node.conjunction, members: node.members.map(withoutFunctions) };
    case 'items':
      return {
        kind: node.kind,
        slots: node.slots.map(({ slot, tests }) => ({
          slot: `${slot.name}: ${slot.kind}`,
          tests: tests.map(({ operand }) => operand),
        })),
      };
    case 'join':
      return {
        kind: node.kind,
        slot: `${node.slot.name}: ${node.slot.kind}`,
        targets: node.targets.map(({ type, members }) => ({
          type: type.name,
          members: members.map(withoutFunctions),
        })),
      };
    case 'search':
      return { kind: node.kind, words: node.words };
    case 'constant':
      return node;
    default:
      return node satisfies never;
  }
}

/** JSON with short arrays and objects on one line. */
function show(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat.length + indent.length < 96) return spaced(value);
  const inner = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? (['[', ']', value.map((item) => show(item, inner))] as const)
    : ([
        '{',
        '}',
        Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${show(item, inner)}`),
      ] as const);
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

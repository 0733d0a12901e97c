import { type Document, type DrupalFile, fileIds, PUBLIC_FOLDER, type Recorded } from './umami-content.ts';

/**
 * Differences of form, which are the same in all documents. Each has a reason in `docs/differences-from-drupal.md`, at the
 * anchor of its name, and is removed from both documents before they are compared.
 */
export const FORMS = {
  version: 'The member `jsonapi`',
  'own-fields': 'In documents of changes, the fields that Drupal fills in',
  'created-self': 'In responses with the status 201, `links.self`',
  described: '`links.describedby`',
  count: '`meta.count`',
  ignored: '`meta.ignored`',
  'last-link': '`links.last`',
  'sorted-links': 'The order of parameters in links of pages',
  revisions: '`meta.revision` and `meta.translations` of a resource',
  versions: '`resourceVersion` in links, and the link `working-copy`',
  'link-prefixes': 'The prefix of the default language in links of resources',
  'target-ids': '`meta.drupal_internal__target_id`',
  'included-sent': 'An empty `included`',
  'base-fields': 'Base fields that the type does not have in Drupal',
  'alias-rows': '`path.pid` and `path.langcode`',
  'body-format': '`format` and `processed` of a body',
  'file-resources': 'Ids, dates, numbers, languages and owners of files, and the folder in `uri.value`',
  'virtual-parents': 'The parent `virtual` of a term without one',
  'owner-names': '`meta.name` of an owner, for roles that see the names of accounts',
  'same-fields':
    'Fields that are null here and left out in Drupal, because other entities of the type have them',
  'image-titles': '`meta.title` of an image',
  'empty-maps': 'Empty maps of configuration, which PHP writes as lists',
  'omitted-keys': 'The texts and keys in `meta.omitted`, without the resources',
} as const;
export type Form = keyof typeof FORMS;

export interface Comparison {
  /** Places that differ, with both values. */
  readonly differences: readonly Place[];
  readonly forms: ReadonlySet<Form>;
}

export interface Place {
  readonly path: string;
  readonly drupal: unknown;
  readonly ours: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: Document | null;
}

/** A recorded document. The test checks its shape. */
type Mutable = Record<string, ReturnType<typeof JSON.parse>>;

export function createComparison(files: readonly DrupalFile[], origin: string, isChanged = false) {
  const ids = fileIds(files);

  /** A path or parameter with the ids and addresses that files have here. */
  const translate = (text: string) =>
    text
      .replace(/[\da-f]{8}-[\da-f-]{27}/g, (id) => ids.get(id) ?? id)
      .replace(/(uri\.value\]=public:\/\/)(?!sites)/, `$1${PUBLIC_FOLDER}/`);

  return { compare, translate };

  function compare(recorded: Recorded, answer: Answer): Comparison {
    const forms = new Set<Form>();
    const use = (form: Form) => void forms.add(form);
    if (recorded.status !== answer.status) {
      const places = [{ path: 'status', drupal: recorded.status, ours: answer.status }];
      return { differences: places, forms };
    }
    // Texts of errors are our own.
    if (recorded.status >= 400 || /^(HEAD|OPTIONS)$/.test(recorded.method)) return { differences: [], forms };
    const theirs: Mutable = structuredClone(recorded.response ?? {});
    const ours: Mutable = structuredClone(answer.body ?? {});
    tidyDocument(theirs, ours, use, recorded.status === 201);
    return { differences: [...differences('', theirs, ours)], forms };
  }

  function tidyDocument(theirs: Mutable, ours: Mutable, use: (form: Form) => void, isCreated: boolean): void {
    for (const document of [theirs, ours]) {
      if (document.jsonapi) use('version');
      delete document.jsonapi;
    }
    for (const [owner, member, form] of [
      ['links', 'describedby', 'described'],
      ['links', 'last', 'last-link'],
      ['meta', 'count', 'count'],
      ['meta', 'ignored', 'ignored'],
    ] as const) {
      if (ours[owner]?.[member] === undefined) continue;
      use(form);
      delete ours[owner][member];
    }
    tidyOmitted(theirs, ours, use);
    for (const document of [theirs, ours]) {
      if (document.meta && Object.keys(document.meta).length === 0) delete document.meta;
    }
    const pairs: [Mutable, Mutable][] = [];
    for (const document of [theirs, ours])
      for (const each of resourcesOf(document)) tidyFile(each, document === theirs, use);
    if (theirs.included)
      theirs.included = withoutDoubles(theirs.included, resourcesOf({ data: theirs.data }));
    if (ours.included?.length === 0 && theirs.included === undefined) {
      use('included-sent');
      delete ours.included;
    }
    const byKey = new Map(resourcesOf(ours).map((each) => [`${each.type} ${each.id}`, each]));
    for (const each of resourcesOf(theirs)) {
      const other = byKey.get(`${each.type} ${each.id}`);
      if (other !== undefined) pairs.push([each, other]);
    }
    for (const [their, our] of pairs) tidyResource(their, our, use);
    for (const [document, isDrupal] of [
      [theirs, true],
      [ours, false],
    ] as const) {
      visit(document, (value) => tidyIdentifier(value, isDrupal, use));
      document.links = tidyLinks(document.links ?? {}, use);
      if (isCreated) delete document.links.self;
    }
    if (isCreated) use('created-self');
  }

  /** The hidden resources alone. */
  function tidyOmitted(theirs: Mutable, ours: Mutable, use: (form: Form) => void): void {
    for (const { meta } of [theirs, ours]) {
      if (meta?.omitted === undefined) continue;
      use('omitted-keys');
      const links: Record<string, { href: string }> = meta.omitted.links;
      const hrefs = Object.entries(links)
        .filter(([name]) => name !== 'help')
        .map(([, { href }]) => new URL(plainHref(href, use), origin).pathname)
        .sort();
      meta.omitted = [...new Set(hrefs)];
    }
  }

  function tidyFile(resource: Mutable, isDrupal: boolean, use: (form: Form) => void): void {
    if (resource.type !== 'file--file') return;
    use('file-resources');
    const { attributes = {} } = resource;
    for (const name of ['drupal_internal__fid', 'langcode', 'created', 'changed']) delete attributes[name];
    if (attributes.uri?.value) {
      attributes.uri.value = attributes.uri.value
        .replace(`public://${PUBLIC_FOLDER}/`, 'public://')
        .replace('content://media--image/', 'private://');
      // Drupal also encodes parentheses.
      attributes.uri.url = decodeURI(attributes.uri.url)
        .replaceAll(/%2[89]/g, decodeURIComponent)
        .replace('/content-files/media--image/', '/system/files/');
    }
    if (isDrupal) delete resource.relationships;
    if (Object.keys(attributes).length === 0) delete resource.attributes;
    resource.id = ids.get(resource.id) ?? resource.id;
  }

  function tidyResource(theirs: Mutable, ours: Mutable, use: (form: Form) => void): void {
    if (isChanged) tidyChanged(theirs, ours, use);
    for (const name of BASE_FIELDS) {
      if (ours.attributes?.[name] === undefined || theirs.attributes?.[name] !== undefined) continue;
      use('base-fields');
      delete ours.attributes[name];
    }
    if (isChanged && ours.relationships?.uid?.data && theirs.relationships?.uid === undefined) {
      use('base-fields');
      delete ours.relationships.uid;
    }
    for (const member of ['attributes', 'relationships'] as const) {
      for (const [name, value] of Object.entries<Mutable>(ours[member] ?? {})) {
        if (theirs[member]?.[name] !== undefined) continue;
        const isEmpty = member === 'attributes' ? value === null : value.data === null;
        if (!isEmpty) continue;
        use('same-fields');
        delete ours[member][name];
      }
      if (ours[member] && Object.keys(ours[member]).length === 0) delete ours[member];
    }
    for (const { attributes = {} } of [theirs, ours]) {
      if (isObject(attributes.path)) {
        use('alias-rows');
        attributes.path = attributes.path.alias ?? null;
      }
      if (attributes.body?.value === '' && theirs.attributes?.body === null) {
        use('base-fields');
        attributes.body = null;
      }
      if (attributes.body) {
        use('body-format');
        attributes.body = { value: attributes.body.value, summary: attributes.body.summary };
      }
    }
    // The account that asks changes while it is recorded.
    if (theirs.type === 'user--user') for (const { attributes } of [theirs, ours]) delete attributes?.access;
    for (const [name, value] of Object.entries(theirs.attributes ?? {})) {
      if (!Array.isArray(value) || value.length > 0 || ours.attributes?.[name] !== null) continue;
      use('empty-maps');
      ours.attributes[name] = value;
    }
    if (theirs.relationships?.parent?.data?.[0]?.id === 'virtual') {
      use('virtual-parents');
      theirs.relationships.parent.data = [];
    }
  }

  /** Drupal counts versions, notes who changed what and when, and fills in defaults. */
  function tidyChanged(theirs: Mutable, ours: Mutable, use: (form: Form) => void): void {
    for (const member of ['attributes', 'relationships'] as const) {
      for (const name of Object.keys({ ...theirs[member], ...ours[member] })) {
        const own = ours[member]?.[name] ?? null;
        const isEmpty = (member === 'attributes' ? own : own?.data) === null;
        if (!NOTED.test(name) && !(isEmpty && FILLED_IN.test(name))) continue;
        use('own-fields');
        for (const each of [theirs, ours]) delete each[member]?.[name];
      }
    }
  }

  function tidyIdentifier(value: Mutable, isDrupal: boolean, use: (form: Form) => void): void {
    if (typeof value.type === 'string' && typeof value.id === 'string') {
      if (value.type === 'file--file') value.id = ids.get(value.id) ?? value.id;
      const { meta } = value;
      if (value.type === 'file--file' && typeof meta?.title === 'string') {
        use('image-titles');
        meta.title = null;
      }
      if (meta !== undefined) {
        if (meta.drupal_internal__target_id !== undefined) use('target-ids');
        if (meta.revision !== undefined) use('revisions');
        if (meta.name !== undefined) use('owner-names');
        for (const name of ['drupal_internal__target_id', 'revision', 'translations', 'name'])
          delete meta[name];
        if (value.id === 'missing') delete value.meta;
        else if (Object.keys(meta).length === 0) delete value.meta;
      }
    }
    if (value.links?.['working-copy'] && isDrupal) {
      use('versions');
      delete value.links['working-copy'];
    }
    if (isObject(value.links)) {
      for (const link of Object.values(value.links) as Mutable[]) {
        if (typeof link?.href === 'string') link.href = plainHref(link.href, use);
      }
    }
  }

  function tidyLinks(links: Mutable, use: (form: Form) => void): Mutable {
    for (const link of Object.values(links)) {
      const { pathname, searchParams } = new URL(link.href, origin);
      const sorted = [...searchParams]
        .map(([name, value]) => `${name.replace(/\[\d+\]$/, '[]')}=${value}`)
        .sort();
      if (sorted.join() !== [...searchParams].map((pair) => pair.join('=')).join()) use('sorted-links');
      link.href = translate(`${pathname}?${sorted.join('&')}`);
      delete link.type;
    }
    return links;
  }

  function plainHref(href: string, use: (form: Form) => void): string {
    let plain = href.replace('{base}', origin);
    if (plain.startsWith(`${origin}/en/jsonapi`)) {
      use('link-prefixes');
      plain = plain.replace('/en/jsonapi', '/jsonapi');
    }
    if (/resourceVersion=id/.test(plain)) {
      use('versions');
      plain = plain.replace(/[?&]resourceVersion=id%3A\d+/, '');
    }
    return plain.replace(/(file\/file\/)([\w-]+)/, (_, start, id) => start + (ids.get(id) ?? id));
  }

  function withoutDoubles(included: Mutable[], primary: readonly Mutable[]): Mutable[] {
    const seen = new Set(primary.map(({ type, id }) => `${type} ${id}`));
    return included.filter(({ type, id }) => !seen.has(`${type} ${id}`) && seen.add(`${type} ${id}`));
  }
}

const NOTED = /^(drupal_internal__|revision_|content_translation_)|^(created|changed)$/;
const FILLED_IN =
  /^(promote|sticky|weight|default_langcode|moderation_state|enabled|external|rediscover|expanded|node_type|bundle|vid)$/;
const BASE_FIELDS = ['title', 'status', 'created', 'changed', 'langcode', 'path', 'body'];

function resourcesOf(document: Mutable): Mutable[] {
  return [document.data ?? [], document.included ?? []].flat();
}

function visit(value: unknown, use: (object: Mutable) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, use);
  if (!isObject(value)) return;
  use(value);
  for (const item of Object.values(value)) visit(item, use);
}

function isObject(value: unknown): value is Mutable {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Objects are compared without the order of their members, lists with it. */
function* differences(path: string, drupal: unknown, ours: unknown): Iterable<Place> {
  if (Array.isArray(drupal) && Array.isArray(ours)) {
    const keys = [drupal, ours].map((list) =>
      list.map((each) => (isObject(each) && each.id ? `${each.type} ${each.id}` : '')),
    );
    if (keys[0]?.join() !== keys[1]?.join()) {
      yield { path: `${path} (ids)`, drupal: keys[0], ours: keys[1] };
      return;
    }
    if (drupal.length !== ours.length) yield { path: `${path}.length`, drupal, ours };
    for (const [at, item] of drupal.entries()) yield* differences(`${path}[${at}]`, item, ours[at]);
  } else if (isObject(drupal) && isObject(ours)) {
    for (const name of new Set([...Object.keys(drupal), ...Object.keys(ours)])) {
      yield* differences(path === '' ? name : `${path}.${name}`, drupal[name], ours[name]);
    }
  } else if (drupal !== ours) yield { path, drupal, ours };
}

/** What differs, in short: two statuses, or the members of the document. */
export function kindOf(places: readonly Place[]): string {
  const [first] = places;
  if (first?.path === 'status') return `${first.drupal} → ${first.ours}`;
  return [...new Set(places.map(({ path }) => /^\w+/.exec(path)?.[0]))].sort().join(', ');
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Actor } from '../../integration/core/access/actor.ts';
import type { Permission, Roles } from '../../integration/core/access/role.ts';
import { fileId } from '../../integration/core/content/file-id.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import type { JsonObject, JsonValue } from '../../integration/core/util/json.ts';
import { file, image, reference, z } from '../../integration/schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { createServices, type TestSite } from '../support/services.ts';

/**
 * Recorded responses of a Drupal site with its demo content, Umami, and its files. Nothing of them is part of this
 * repository, so tests read them from here.
 */
export const UMAMI = process.env.UMAMI ?? path.join(import.meta.dirname, '../../../shared/drupal-umami');
export const hasUmami = existsSync(UMAMI);

export interface Recorded {
  readonly id: string;
  readonly db: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly as: string;
  readonly status: number;
  readonly response: Document | null;
  /** In writes: the steps of a sequence follow each other. */
  readonly sequence?: string;
  /** Names of ids of the response, which later steps use as `{name}`. */
  readonly capture?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  /** A file with the bytes of the body. */
  readonly body_file?: string;
}

export interface Document {
  data?: Resource | readonly Resource[] | null;
  included?: readonly Resource[];
  meta?: Record<string, JsonValue>;
  links?: Record<string, JsonValue>;
  jsonapi?: JsonValue;
  errors?: JsonValue;
}

export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes?: Readonly<Record<string, JsonValue>>;
  readonly relationships?: Readonly<Record<string, { readonly data: Linkage }>>;
  readonly meta?: Readonly<Record<string, JsonValue>>;
}
type Linkage = Resource | readonly Resource[] | null;

export function readRecorded(name: string): readonly Recorded[] {
  const lines = readFileSync(path.join(UMAMI, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** A file entity of Drupal. */
export interface DrupalFile {
  readonly fid: number;
  readonly uuid: string;
  readonly filename: string;
  readonly uri: string;
  readonly size: number;
  readonly width: number | null;
  readonly height: number | null;
}

export interface UmamiSite {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly publicFiles: Readonly<Record<string, Uint8Array>>;
  readonly schema: SchemaDefinition;
  readonly roles: Roles;
  readonly drupalFiles: readonly DrupalFile[];
  /** By the name that the recordings use. */
  readonly actors: Readonly<Record<string, Actor>>;
}

/** The content of the site as files. */
export function umamiSite(db: 'stock' | 'extra'): UmamiSite {
  const drupalFiles: readonly DrupalFile[] = JSON.parse(
    readFileSync(path.join(UMAMI, `files-${db}.json`), 'utf8'),
  );
  const rows = readRecorded('collections.jsonl').filter(({ as }) => as === 'admin');
  const bundles = bundlesOf(rows.filter((row) => row.db === db));
  // The schema is that of all content, because a bundle exists before it has content.
  const models = bundlesOf(rows);
  const paths = new Map(drupalFiles.map((each) => [each.uuid, writtenFile(each)]));
  const files: Record<string, string | Uint8Array> = {};
  const schema: Record<string, Record<string, z.ZodType>> = {};
  for (const bundle of bundles.values()) {
    schema[folderOf(bundle.type)] = schemaOf(required(models, bundle.type), models);
    for (const [id, resources] of bundle.resources) {
      for (const [at, resource] of resources.entries()) {
        const suffix = at === 0 ? '' : `.${resource.attributes?.langcode}`;
        const [extension, text] = contentFile(resource, paths, at === 0);
        files[`${folderOf(bundle.type)}/${id}${suffix}.${extension}`] = text;
      }
    }
  }
  const publicFiles = readFiles();
  for (const each of drupalFiles) {
    const written = writtenFile(each).replace('/', '');
    if (isPrivate(each)) files[`media--image/${written}`] = picture(each);
    else publicFiles[written] ??= picture(each);
  }
  return { files, publicFiles, schema, roles: rolesOf(bundles), drupalFiles, actors: actorsOf(bundles) };
}

/** Services over the content of the site. */
export async function openUmami(site: UmamiSite, more: TestSite = {}) {
  const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'es'] });
  return createServices(createMemoryDriver(site.files), site.schema, {
    publicFiles: createMemoryDriver(site.publicFiles),
    roles: site.roles,
    problems: { 'file/missing': 'warning' },
    ...more,
    settings: { ...more.settings, ...(languages && { languages }) },
    renderBody: async () => '',
  });
}

/** The id of the resource of a file here, by its id in Drupal. */
export function fileIds(files: readonly DrupalFile[]): ReadonlyMap<string, string> {
  return new Map(
    files.map(({ uuid, uri, filename }) => [
      uuid,
      fileId(
        isPrivate({ uri })
          ? `content://media--image/${filename}`
          : `public://${PUBLIC_FOLDER}/${uri.slice('public://'.length)}`,
      ),
    ]),
  );
}

export const PUBLIC_FOLDER = 'sites/default/files';

function bundlesOf(rows: readonly Recorded[]): ReadonlyMap<string, Bundle> {
  const bundles = new Map<string, Bundle>();
  for (const row of rows) {
    const [, entityType = '', name = ''] = /\/jsonapi\/(\w+)\/(\w+)$/.exec(row.path) ?? [];
    const type = `${entityType}--${name}`;
    if (name !== '' && !SKIPPED.has(type) && !bundles.has(type))
      bundles.set(type, { type, resources: new Map() });
    for (const resource of [row.response?.data ?? []].flat() as Resource[]) {
      if (SKIPPED.has(resource.type)) continue;
      const { resources } = required(bundles, resource.type);
      const known = resources.get(resource.id) ?? [];
      const langcode = resource.attributes?.langcode ?? 'en';
      if (!known.some((each) => (each.attributes?.langcode ?? 'en') === langcode)) {
        resources.set(resource.id, [...known, resource]);
      }
    }
  }
  return bundles;
}

interface Bundle {
  readonly type: string;
  /** By id, the source first. */
  readonly resources: Map<string, readonly Resource[]>;
}

/** Files follow from the content, and image styles are not content. */
const SKIPPED = new Set(['file--file', 'image_style--image_style']);

function required(bundles: ReadonlyMap<string, Bundle>, type: string): Bundle {
  const bundle = bundles.get(type);
  if (bundle === undefined) throw new Error(`${type} is in no recorded collection.`);
  return bundle;
}

function folderOf(type: string): string {
  return type.replace(/^node--/, '');
}

/** The path as a file of the content names it. */
function writtenFile({ uri, filename }: DrupalFile): string {
  return isPrivate({ uri }) ? filename : `/${PUBLIC_FOLDER}/${uri.slice('public://'.length)}`;
}

function isPrivate({ uri }: Pick<DrupalFile, 'uri'>): boolean {
  return uri.startsWith('private://');
}

function readFiles(): Record<string, Uint8Array> {
  const folder = path.join(UMAMI, 'files');
  const files = readdirSync(folder).map((name) => [
    `${PUBLIC_FOLDER}/${name.normalize('NFC')}`,
    new Uint8Array(readFileSync(path.join(folder, name))),
  ]);
  return Object.fromEntries(files);
}

/** An image of the size of a file that the recording does not have. */
function picture({ size, width, height }: DrupalFile): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(png(width ?? 1, height ?? 1));
  return bytes;
}

function contentFile(
  { attributes = {}, relationships = {} }: Resource,
  paths: ReadonlyMap<string, string>,
  isSource: boolean,
): [string, string] {
  const { body, path: alias, langcode, ...fields } = attributes;
  // PHP writes an empty object as a list.
  const data: Record<string, unknown> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isEmptyList(value)),
  );
  if ((!isSource || langcode !== 'en') && langcode !== 'und') data.langcode = langcode;
  if (isObject(alias) && typeof alias.alias === 'string') data.path = alias.alias;
  for (const [name, { data: linkage }] of Object.entries(relationships)) {
    const items = [linkage ?? []].flat() as Resource[];
    const targets = items.flatMap((item) => target(item, name, paths));
    data[name] = Array.isArray(linkage) ? targets : (targets[0] ?? null);
  }
  if (!isObject(body)) return ['json', JSON.stringify(data)];
  data.summary = body.summary;
  return ['md', `---\n${JSON.stringify(data)}\n---\n\n${body.value}\n`];
}

function target(item: Resource, field: string, paths: ReadonlyMap<string, string>): readonly unknown[] {
  const { type, id, meta = {} } = item;
  if (id === 'virtual') return [];
  if (field === 'uid') return [id];
  if (type !== 'file--file')
    return [`${folderOf(type)}/${id === 'missing' ? `deleted-${meta.arity ?? 0}` : id}`];
  // An identifier without a file has no metadata. Drupal still has its alternative text, and sorts by it.
  const isMissing = id === 'missing';
  const src = isMissing ? '/deleted.png' : paths.get(id);
  const alt = isMissing ? 'Deleted' : (meta.alt ?? meta.description);
  return src === undefined ? [] : [{ src, ...(typeof alt === 'string' && { alt }) }];
}

function schemaOf(
  { type, resources }: Bundle,
  bundles: ReadonlyMap<string, Bundle>,
): Record<string, z.ZodType> {
  const all = [...resources.values()].flat();
  const fields: Record<string, z.ZodType> = {};
  for (const name of new Set(all.flatMap(({ attributes = {} }) => Object.keys(attributes)))) {
    if (BASE.has(name)) continue;
    const values = all.map(({ attributes }) => attributes?.[name] ?? null);
    // A name in every file is the title.
    fields[name] = TITLES.has(name) && !values.includes(null) ? z.string() : kindOf(values);
  }
  for (const name of new Set(all.flatMap(({ relationships = {} }) => Object.keys(relationships)))) {
    if (name === 'uid') continue;
    const linkages = all.map(({ relationships }) => relationships?.[name]?.data ?? null);
    const types = new Set((linkages.flat() as (Resource | null)[]).flatMap((each) => each?.type ?? []));
    if (types.size === 0) types.add(TARGETS[name] ?? type);
    const kind = types.has('file--file')
      ? /document|audio|video/.test(name)
        ? file()
        : image()
      : reference([...types].filter((each) => bundles.has(each)).map(folderOf));
    fields[name] = linkages.some(Array.isArray) ? z.array(kind).default([]) : kind.nullish();
  }
  return fields;
}

const BASE = new Set(['title', 'status', 'created', 'changed', 'langcode', 'path', 'body']);
const TITLES = new Set(['name', 'label']);
/** The targets of relationships that no resource has. */
const TARGETS: Readonly<Record<string, string>> = {
  user_picture: 'file--file',
  revision_user: 'user--user',
  roles: 'user_role--user_role',
  field_media_image: 'media--image',
  field_tags: 'taxonomy_term--tags',
};

function kindOf(values: readonly JsonValue[]): z.ZodType {
  const present = values.filter((value) => value !== null);
  const first = present.find((value) => !isEmptyList(value)) ?? present[0];
  if (Array.isArray(first))
    return z.array(kindOf((present as JsonValue[][]).flat()).nonoptional()).default([]);
  if (isObject(first)) {
    const objects = present.filter(isObject);
    const names = new Set(objects.flatMap(Object.keys));
    return z
      .object(
        Object.fromEntries(
          [...names].map((name) => [name, kindOf(objects.map((each) => each[name] ?? null))]),
        ),
      )
      .nullish();
  }
  if (typeof first === 'boolean') return z.boolean().nullish();
  if (typeof first === 'number') return (present.every(Number.isInteger) ? z.int() : z.number()).nullish();
  const isDate = present.length > 0 && present.every((value) => DATE_TIME.test(String(value)));
  return (isDate ? z.iso.datetime({ offset: true }) : z.string()).nullish();
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** What Drupal's roles may see, as this project writes it. */
function rolesOf(bundles: ReadonlyMap<string, Bundle>): Roles {
  const named = (pattern: RegExp) => [...bundles.keys()].filter((type) => pattern.test(type)).map(folderOf);
  const content = named(/^(node|media|taxonomy_term|block_content)--/);
  const view = (
    names: readonly string[],
    more: Omit<Permission, 'actions' | 'bundles'> = {},
  ): Permission => ({
    actions: ['view'],
    bundles: names.filter((name) => bundles.has(name) || bundles.has(`node--${name}`)),
    ...more,
  });
  const revisions = ['revision_log', 'revision_log_message'];
  const visitor = (except: readonly string[]): Permission[] => [
    view(content, { where: 'published', fields: { view: { except } } }),
    view(named(/^node_type--/)),
    view(named(/^(media_type|menu)--/), { fields: { view: ['label'] } }),
    view(['user--user'], { fields: { view: ['display_name'] } }),
  ];
  const nodes = named(/^node--/);
  const changes: Permission['fields'] = { change: { except: ['uid', 'status', 'created', 'changed'] } };
  return {
    anonymous: { permissions: visitor(['uid', ...revisions]) },
    authenticated: { permissions: visitor(revisions) },
    author: {
      permissions: [
        view(nodes, { where: ['own', 'unpublished'], fields: { view: { except: revisions } } }),
        { actions: ['create'], bundles: nodes, fields: changes },
        { actions: ['update', 'delete'], bundles: nodes, where: 'own', fields: changes },
      ],
    },
    editor: {
      permissions: [
        view(content),
        {
          actions: ['create', 'update', 'delete'],
          bundles: [...nodes, ...named(/^taxonomy_term--/)],
          fields: changes,
        },
      ],
    },
  };
}

/** Accounts have the ids of their users as names, because content names its owners by id. */
function actorsOf(bundles: ReadonlyMap<string, Bundle>): Record<string, Actor> {
  const users = [...(bundles.get('user--user')?.resources.values() ?? [])].flat();
  const actors = users.map(({ id, attributes }): [string, Actor] => {
    const name = String(attributes?.display_name);
    const role = { admin: ['administrator'], editor: ['editor'], author: ['author'] }[name] ?? [];
    return [name, { name: id, roles: ['authenticated', ...role] }];
  });
  return Object.fromEntries(actors);
}

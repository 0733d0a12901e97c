import { type JsonObject, objectOf, type Resource } from '../api/document.ts';

export const FILE_KINDS = ['image', 'video', 'audio', 'document'] as const;
export const FILE_SORTS = ['-changed', '-used', 'filename', '-filesize'] as const;

/** The state of the media screen: the parameters of its address. */
export interface MediaState {
  readonly search: string;
  /** Empty for all kinds. */
  readonly kind: string;
  /** `true` for used files, `false` for unused ones, empty for both. */
  readonly used: string;
  readonly sort: string;
  /** The URI of a folder, such as `content://article`; empty for all. */
  readonly folder: string;
  /** From 1. */
  readonly page: number;
}

/** A file of the content folder or of `public/`. */
export interface MediaFile {
  /** Such as `content://article/moon.png`. */
  readonly uri: string;
  readonly url: string;
  readonly name: string;
  readonly isImage: boolean;
  /** Undefined for a file that cannot be played. */
  readonly plays: 'video' | 'audio' | undefined;
  /** Bytes. */
  readonly size: number;
  /** In pixels; undefined for files without. */
  readonly dimensions: { readonly width: number; readonly height: number } | undefined;
  /** Undefined if it is not known. */
  readonly changed: string | undefined;
  readonly users: readonly FileUser[];
  /** Number of users, also of those that are not listed. */
  readonly userCount: number;
  /** The alternative text of its last use; empty without one. */
  readonly alt: string;
  /** The same of each language. */
  readonly alts: Readonly<Record<string, unknown>>;
  /** The path as the author of the entity in the request writes it; empty in other requests. */
  readonly src: string;
  /** For `If-Match`; undefined in lists. */
  readonly revision: string | undefined;
}

/** A folder with the number of its files that a list selects. */
export interface MediaFolder {
  /** Such as `content://article/2024`. */
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

/** An entity that uses a file in these fields. */
export interface FileUser {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly fields: readonly string[];
}

export function readMediaState(query: URLSearchParams): MediaState {
  const sort = query.get('sort') ?? '';
  const page = Number(query.get('page') ?? 1);
  return {
    search: query.get('search') ?? '',
    kind: oneOf(FILE_KINDS, query.get('kind')) ?? '',
    used: oneOf(['true', 'false'], query.get('used')) ?? '',
    sort: oneOf(FILE_SORTS, sort) ?? FILE_SORTS[0],
    folder: query.get('folder') ?? '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The API path of a page of files. `beside`: an entity or a type, for the paths as its author writes them. */
export function mediaPath(
  { search, kind, used, sort, folder, page }: MediaState,
  pageSize: number,
  beside = '',
): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(kind !== '' && { 'filter[kind]': kind }),
    ...(used !== '' && { 'filter[used]': used }),
    ...(folder !== '' && { 'filter[folder]': folder }),
    ...(beside !== '' && { beside }),
    sort,
    'page[offset]': String((page - 1) * pageSize),
    'page[limit]': String(pageSize),
  });
  return `/_files?${query}`;
}

/** The API path of one file. */
export function pathOfFile(uri: string): string {
  const [source = '', path = ''] = uri.split('://');
  return `/_files/${[source, ...path.split('/')].map(encodeURIComponent).join('/')}`;
}

/** True for a file of the content folder. The others belong to the code of the site. */
export function isContentFile({ uri }: Pick<MediaFile, 'uri'>): boolean {
  return uri.startsWith('content://');
}

/** The path of a file for people: `article/moon.png` or `/logo.png`. */
export function shownPath({ uri }: Pick<MediaFile, 'uri'>): string {
  return uri.replace('content://', '').replace('public://', '/');
}

export function mediaFileOf({ id, attributes, relationships, meta }: Resource): MediaFile {
  const { uri, filename, filemime, filesize, width, height, changed } = attributes;
  const usedBy = objectOf(relationships.usedBy);
  const users = Array.isArray(usedBy.data) ? usedBy.data.map(userOf) : [];
  return {
    uri: id,
    url: String(objectOf(uri).url ?? ''),
    name: String(filename ?? ''),
    isImage: String(filemime).startsWith('image/'),
    plays: (['video', 'audio'] as const).find((kind) => String(filemime).startsWith(`${kind}/`)),
    size: Number(filesize ?? 0),
    dimensions: typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined,
    changed: typeof changed === 'string' ? changed : undefined,
    users,
    alt: typeof meta.alt === 'string' ? meta.alt : '',
    alts: objectOf(meta.alts),
    src: typeof meta.src === 'string' ? meta.src : '',
    userCount: Number(objectOf(usedBy.meta).count ?? users.length),
    revision: typeof meta.revision === 'string' ? meta.revision : undefined,
  };
}

/** The folders in the answer of a list. */
export function foldersOf(meta: JsonObject): readonly MediaFolder[] {
  const all = Array.isArray(meta.folders) ? meta.folders : [];
  return all.map(objectOf).map(({ id, name, count }) => ({
    id: String(id),
    name: String(name),
    count: Number(count),
  }));
}

/** A folder and those above it, from the top. */
export function foldersAbove(folder: string): readonly Omit<MediaFolder, 'count'>[] {
  const [scheme = '', path = ''] = folder.split('://');
  const names = path === '' ? [] : path.split('/');
  const below = names.map((name, at) => ({ id: `${scheme}://${names.slice(0, at + 1).join('/')}`, name }));
  return scheme === 'public' ? [{ id: 'public://', name: 'public' }, ...below] : below;
}

/** The address of an image that shows its current bytes, also after they were replaced. */
export function currentUrl({ url, changed }: Pick<MediaFile, 'url' | 'changed'>): string {
  return changed === undefined ? url : `${url}?${new URLSearchParams({ changed })}`;
}

function userOf(value: unknown): FileUser {
  const { type, id, meta } = objectOf(value);
  const { title, fields } = objectOf(meta);
  return {
    type: String(type),
    id: String(id),
    title: typeof title === 'string' && title !== '' ? title : String(id),
    fields: Array.isArray(fields) ? fields.map(String) : [],
  };
}

function oneOf(values: readonly string[], value: string | null): string | undefined {
  return values.find((each) => each === value);
}

import { BASE } from './config.ts';

/** Files of this session that no entity refers to yet: the server does not show them. */
const unsent = new Map<string, string>();

/** Makes `fileUrl` show an uploaded file. */
export function showUnsent(uri: string, file: File): void {
  unsent.set(uri, URL.createObjectURL(file));
}

/** The address of a file of the content folder or of `public/`; undefined for other URIs. */
export function fileUrl(uri: string): string | undefined {
  const [, scheme, path = ''] = /^(content|public):\/\/(.+)$/.exec(uri) ?? [];
  if (scheme === undefined) return undefined;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return unsent.get(uri) ?? `${BASE}/${scheme === 'content' ? 'content-files/' : ''}${encoded}`;
}

/** The place of files for an entity, or for a new one of its type, as uploads and lists of files name it. */
export function besideOf(type: string, id: string | undefined): string {
  return id === undefined ? type : `${type}/${id}`;
}

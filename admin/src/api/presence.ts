import { textOf } from '../model/document.ts';
import { request } from './content.ts';
import { objectOf } from './document.ts';

/** Another person with an entry open. */
export interface Editor {
  readonly name: string;
  /** Seconds since the person last did something. */
  readonly idle: number;
}

/** Reports that this account has an entry open, or with null that it closes it. Returns the others. */
export async function reportPresence(path: string, idle: number | null): Promise<readonly Editor[]> {
  const { document } = await request(`/_presence/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ idle }),
  });
  const { data } = objectOf(document);
  return (Array.isArray(data) ? data : []).map((each) => {
    const { id, attributes } = objectOf(each);
    const { displayName, idle } = objectOf(attributes);
    return { name: textOf(displayName) || textOf(id), idle: Number(idle ?? 0) };
  });
}

import { createStore, del, entries, get, set } from 'idb-keyval';
import type { Values } from '../model/entity-form.ts';
import { BASE } from './config.ts';

/** Whose unsent changes of what: an entity in one language, or a new entity of a bundle. */
export interface DraftKey {
  readonly account: string;
  readonly type: string;
  /** Undefined for a new entity. */
  readonly id?: string | undefined;
  /** Undefined for the source. */
  readonly language?: string | undefined;
}

/** Changes that have not been sent, kept in the browser. */
export interface Draft {
  readonly key: DraftKey;
  readonly title: string;
  /** The stored values of the changed fields when the changes were made. */
  readonly base: Values;
  readonly changes: Values;
  /** When they were last changed, in milliseconds. */
  readonly saved: number;
}

export async function readDraft(key: DraftKey): Promise<Draft | undefined> {
  await adoptLast();
  return get<Draft>(nameOf(key), STORE);
}

export function keepDraft(draft: Draft): Promise<void> {
  localStorage.removeItem(LAST + nameOf(draft.key));
  return set(nameOf(draft.key), draft, STORE);
}

/** Keeps a draft while the page goes away, which does not wait for the database. */
export function keepLastDraft(draft: Draft): void {
  localStorage.setItem(LAST + nameOf(draft.key), JSON.stringify(draft));
}

export function removeDraft(key: DraftKey): Promise<void> {
  localStorage.removeItem(LAST + nameOf(key));
  return del(nameOf(key), STORE);
}

/** The unsent changes of an account, the latest first. */
export async function listDrafts(account: string): Promise<readonly Draft[]> {
  await adoptLast();
  const all = await entries<string, Draft>(STORE);
  return all
    .map(([, draft]) => draft)
    .filter(({ key }) => key.account === account)
    .sort((one, other) => other.saved - one.saved);
}

const STORE = createStore(`astro-jsonapi${BASE}`, 'drafts');
const LAST = `astro-jsonapi${BASE}:draft:`;

/** Moves the drafts of pages that have gone away into the database. */
async function adoptLast(): Promise<void> {
  for (const name of Object.keys(localStorage)) {
    const draft = name.startsWith(LAST) ? localStorage.getItem(name) : null;
    if (draft === null) continue;
    await set(name.slice(LAST.length), JSON.parse(draft), STORE);
    if (localStorage.getItem(name) === draft) localStorage.removeItem(name);
  }
}

function nameOf({ account, type, id = '', language = '' }: DraftKey): string {
  return JSON.stringify([account, type, id, language]);
}

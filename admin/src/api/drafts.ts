import { createStore, del, entries, get, set } from 'idb-keyval';
import type { Values } from '../model/entity-form.ts';
import { BASE } from './config.ts';

/** What unsent changes belong to: an entity in one language, or a new entity of a bundle. */
export interface DraftTarget {
  readonly account: string;
  readonly type: string;
  /** Undefined for a new entity. */
  readonly id?: string | undefined;
  /** Undefined for the source. */
  readonly language?: string | undefined;
}

export interface DraftKey extends DraftTarget {
  /** The form that keeps the changes: each tab has its own, and so has each new entity. */
  readonly slot: string;
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
  /** What the first values of a new entry are from. */
  readonly origin?: DraftOrigin | undefined;
}

export interface DraftOrigin {
  readonly kind: 'copy' | 'template';
  /** The title of the copied entry, or the name of the template. */
  readonly name: string;
}

/** The place of the changes of one form. */
export interface OpenDrafts {
  readonly slot: string;
  /** The changes that closed forms kept, the oldest first. No other form opens them. */
  readonly drafts: readonly Draft[];
  /** To be called when the form goes away: others can open its drafts from then on. */
  close(): void;
}

export function newSlot(): string {
  // Pages of a site without TLS have no `randomUUID`.
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Opens the drafts of an entity that no other tab has open. For a new entity, it opens only the draft in `slot`; if another
 * tab has it open, this form gets a copy in a slot of its own.
 */
export async function openDrafts(target: DraftTarget, slot = newSlot()): Promise<OpenDrafts> {
  await adoptLast();
  const releases: (() => void)[] = [];
  const close = () => {
    for (const release of releases) release();
  };
  const own = await hold({ ...target, slot });
  if (own !== undefined) releases.push(own);
  if (target.id === undefined) {
    const draft = await get<Draft>(nameOf({ ...target, slot }), STORE);
    if (own !== undefined) return { slot, drafts: draft ? [draft] : [], close };
    const copy = await openDrafts(target);
    return draft ? { ...copy, drafts: [{ ...draft, key: { ...draft.key, slot: copy.slot } }] } : copy;
  }
  const drafts: Draft[] = [];
  for (const { key } of await listDrafts(target.account)) {
    if (nameOf({ ...key, slot }) !== nameOf({ ...target, slot })) continue;
    const release = await hold(key);
    if (release === undefined) continue;
    releases.push(release);
    // Its form may have changed it while it was open.
    const draft = await get<Draft>(nameOf(key), STORE);
    if (draft !== undefined) drafts.push(withSlot(draft));
  }
  return { slot, drafts: drafts.sort((one, other) => one.saved - other.saved), close };
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
    .map(([, draft]) => withSlot(draft))
    .filter(({ key }) => key.account === account)
    .sort((one, other) => other.saved - one.saved);
}

/** The message of a form to the forms of other tabs about the same entity. */
export interface TabMessage {
  /** `changed` has the names of its fields with unsent changes; `opened` asks the others for theirs. */
  readonly kind: 'opened' | 'changed' | 'stored';
  readonly slot: string;
  readonly fields: readonly string[];
}

/** Connects a form with the forms of other tabs about the same entity. */
export function connectTabs(
  target: DraftTarget,
  onmessage: (message: TabMessage) => void,
): { send(message: TabMessage): void; close(): void } {
  const channel = new BroadcastChannel(LAST + nameOf({ ...target, slot: FIRST_SLOT }));
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onmessage(data);
  return { send: (message) => channel.postMessage(message), close: () => channel.close() };
}

const STORE = createStore(`astro-jsonapi${BASE}`, 'drafts');
const LAST = `astro-jsonapi${BASE}:draft:`;
/** Drafts of earlier versions of the admin have no slot. */
const FIRST_SLOT = 'first';

/**
 * Holds a slot until it is released or the page goes away; undefined if another form holds it. On a site without TLS,
 * browsers have no locks. There, a second tab opens the drafts of the first, and both keep them.
 */
function hold(key: DraftKey): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return Promise.resolve(() => undefined);
  // A new entity keeps its slot when it is stored, and gets another key.
  const name = LAST + (key.slot === FIRST_SLOT ? nameOf(key) : key.slot);
  return new Promise((resolve, reject) => {
    const holding = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) return new Promise<void>(resolve);
      resolve(undefined);
      return undefined;
    });
    holding.catch(reject);
  });
}

/** Moves the drafts of pages that have gone away into the database. */
async function adoptLast(): Promise<void> {
  for (const name of Object.keys(localStorage)) {
    const draft = name.startsWith(LAST) ? localStorage.getItem(name) : null;
    if (draft === null) continue;
    await set(name.slice(LAST.length), JSON.parse(draft), STORE);
    if (localStorage.getItem(name) === draft) localStorage.removeItem(name);
  }
}

function nameOf({ account, type, id = '', language = '', slot }: DraftKey): string {
  const parts = [account, type, id, language];
  return JSON.stringify(slot === FIRST_SLOT ? parts : [...parts, slot]);
}

function withSlot(draft: Draft): Draft {
  return { ...draft, key: { ...draft.key, slot: draft.key.slot ?? FIRST_SLOT } };
}

import { isRecord } from '../../../../../integration/core/util/json.ts';
import { API } from '../../../api/config.ts';
import { type JsonObject, objectOf } from '../../../api/document.ts';
import { fileQuery, fileValues } from '../../../api/file-values.ts';
import { type ApiResponse, isSuccess, type RequestOptions, send } from '../../../api/request.ts';
import type { Field, Schema } from '../../../api/schema.ts';
import { session } from '../../../api/session.svelte.ts';
import { keyOfPointer } from '../../../components/marks.svelte.ts';
import {
  changeOf,
  fieldIn,
  parseDocument,
  toInput,
  withChange,
  withField,
  withId,
} from '../../../model/document.ts';
import type { ResponseState } from '../response.svelte.ts';
import { createDocument, readTarget, type WriteTarget } from './target.ts';

/** The stored entity, and the fields that the account may change. */
interface Stored {
  readonly result?: ApiResponse;
  /** `data` of the response; undefined if the entity could not be read. */
  readonly data?: unknown;
  /** For `If-Match`. */
  readonly tag?: string;
  readonly writable: ReadonlySet<string>;
}

/** Creates, changes and deletes content: one request with its form and its document. Unsent documents are kept. */
export class Writer {
  /** Undefined if the path does not belong to a bundle. */
  target = $state.raw<WriteTarget>();
  /** Undefined until it was read. */
  stored = $state.raw<Stored>();
  /** The document to send, as text; it can be invalid while it is edited by hand. */
  text = $state('');
  problem = $state('');
  /** The last valid document of the text. */
  document = $state.raw<JsonObject>({});
  /** True to send `If-Match`. */
  sendsMatch = $state(true);
  isSending = $state(false);
  isConfirming = $state(false);
  /** The last request of this form and its response. */
  outcome = $state.raw<{ readonly target: WriteTarget; readonly result: ApiResponse }>();
  readonly #drafts = new Map<string, string>();
  #initial = '';
  #reading = new AbortController();
  readonly #schema: () => Schema;
  readonly #reloadSchema: () => Promise<void>;
  readonly #response: ResponseState;

  /** False for a deletion: it sends no document. */
  readonly hasDocument = $derived(
    this.target !== undefined && this.isAllowed && (this.target.method !== 'DELETE' || !this.target.hasForm),
  );
  /** The stored resource; undefined if a new one is created. */
  readonly resource = $derived(
    this.target?.method === 'PATCH' && isRecord(this.stored?.data) ? this.stored.data : undefined,
  );
  readonly title = $derived(String(objectOf(objectOf(this.stored?.data).attributes).title ?? ''));

  constructor(schema: () => Schema, reloadSchema: () => Promise<void>, response: ResponseState) {
    this.#schema = schema;
    this.#reloadSchema = reloadSchema;
    this.#response = response;
  }

  get schema(): Schema {
    return this.#schema();
  }

  /** True if the form is shown. For a deletion, only the response shows whether it is allowed. */
  get isAllowed(): boolean {
    const { target, stored } = this;
    if (!this.schema.writes || target === undefined || stored === undefined) return false;
    if (target.method !== 'POST' && target.id === '') return false;
    if (target.method === 'POST' && target.hasForm) return stored.writable.size > 0;
    if (stored.data === undefined) return false;
    return (
      !target.hasForm ||
      stored.writable.size > 0 ||
      (target.method === 'DELETE' && session.account !== undefined)
    );
  }

  get hasDrafts(): boolean {
    return this.#drafts.size > 0;
  }

  /** Shows the form of a request with the stored values. Sends only reads. */
  async open(method: WriteTarget['method'], path: string): Promise<void> {
    this.close();
    const target = readTarget(this.schema, method, path);
    this.target = target;
    this.sendsMatch = true;
    this.#response.clear(
      target === undefined ? 'Nothing to send' : target.id === '' ? 'Not sent yet' : 'Loading …',
    );
    if (target === undefined) return;
    if (await this.#read(target)) this.#showStored();
  }

  /** Leaves the form. An unsent document is kept. */
  close(): void {
    this.#reading.abort();
    this.target = undefined;
    this.stored = undefined;
    this.outcome = undefined;
  }

  /** The value of a field as its inputs hold it. */
  valueOf(field: Field): unknown {
    return withChange(field, this.#storedValue(field), fieldIn(this.document.data, field));
  }

  isChanged(field: Field): boolean {
    return fieldIn(this.document.data, field) !== undefined;
  }

  setField(field: Field, value: unknown): void {
    this.#setDocument(withField(this.document, field, changeOf(field, this.#storedValue(field), value)));
  }

  undo(field: Field): void {
    this.#setDocument(withField(this.document, field, undefined));
  }

  setId(id: string): void {
    this.#setDocument(withId(this.document, id));
  }

  /** Takes a document that was edited by hand. The form follows if it is valid. */
  edit(text: string): void {
    const parsed = parseDocument(text);
    this.text = text;
    this.problem = 'problem' in parsed ? parsed.problem : '';
    if ('document' in parsed) this.document = parsed.document;
    if (this.target === undefined) return;
    const key = draftKey(this.target);
    if (text === this.#initial) this.#drafts.delete(key);
    else this.#drafts.set(key, text);
  }

  startOver(): void {
    this.edit(this.#initial);
  }

  /** The request that `send` sends. */
  get request(): RequestOptions & {
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  } {
    const tag = this.sendsMatch ? this.stored?.tag : undefined;
    return {
      method: this.target?.method ?? 'GET',
      headers: {
        ...(this.hasDocument && { 'Content-Type': 'application/vnd.api+json' }),
        ...(tag !== undefined && { 'If-Match': tag }),
      },
      ...(this.hasDocument && { body: this.text }),
    };
  }

  /** Sends the request, after a confirmation for a deletion. */
  async send(confirmed = false): Promise<void> {
    const { target } = this;
    if (target === undefined || !this.isAllowed || this.isSending) return;
    if (target.method === 'DELETE' && target.hasForm && !confirmed) {
      this.isConfirming = true;
      return;
    }
    this.isConfirming = false;
    const focused = document.activeElement;
    this.isSending = true;
    this.#response.wait();
    const result = await send(API + target.path, this.request);
    const isDone = isSuccess(result);
    if (isDone) this.#drafts.delete(draftKey(target));
    // A session can begin or end in another tab.
    const mayDiffer = isDone ? session.account === undefined : MAYBE_SIGNED_OUT.includes(result.status ?? 0);
    if (mayDiffer && this.schema.signIn) await session.refresh();
    if (target === this.target) {
      this.#response.show(result, outcomeOf(target, result));
      this.outcome = { target, result };
      this.#response.scrollIntoView();
      if (isDone) await this.#afterSuccess(target);
    }
    this.isSending = false;
    if (isDone || target !== this.target) return;
    if (await this.#markErrors()) focusFirstError();
    else if (focused instanceof HTMLElement) focused.focus();
  }

  /** Reads the entity again after a conflict. Keeps the unsent changes. */
  async readAgain(): Promise<void> {
    const { target } = this;
    if (target === undefined || !(await this.#read(target))) return;
    this.outcome = undefined;
    this.#showStored();
    document.getElementById('send')?.focus();
  }

  async #afterSuccess(target: WriteTarget): Promise<void> {
    await this.#reloadSchema();
    if (target !== this.target) return;
    document.getElementById('response')?.focus({ preventScroll: true });
    if (target.method === 'DELETE' && target.hasForm) {
      this.target = undefined;
      return;
    }
    const next = readTarget(this.schema, target.method, target.path);
    this.target = next;
    if (next !== undefined) await this.#read(next);
  }

  /** Reads the stored entity, and restores or starts the document. False if the form was left meanwhile. */
  async #read(target: WriteTarget): Promise<boolean> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const stored = await readStored(target, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (stored === undefined || signal.aborted) return false;
    this.stored = stored;
    const { data } = stored;
    const document = target.hasForm || data === undefined ? createDocument(target) : { data };
    this.#initial = writeDocument(document);
    this.document = document;
    this.edit(this.#drafts.get(draftKey(target)) ?? this.#initial);
    return true;
  }

  #showStored(): void {
    if (this.stored?.result === undefined) return;
    this.#response.show(this.stored.result, this.stored.data === undefined ? undefined : 'Stored version');
  }

  #markErrors(): Promise<boolean> {
    return this.#response.markErrors(({ source: { pointer } }) => pointer && keyOfPointer(pointer));
  }

  #setDocument(document: JsonObject): void {
    this.edit(writeDocument(document));
  }

  #storedValue(field: Field): unknown {
    return toInput(field, this.resource && fieldIn(this.resource, field));
  }
}

const MAYBE_SIGNED_OUT = [401, 403, 404];

const OUTCOMES = {
  POST: ['Created', 'Not created'],
  PATCH: ['Changed', 'Not changed'],
  DELETE: ['Deleted', 'Not deleted'],
} as const;

function outcomeOf({ method, hasForm }: WriteTarget, result: ApiResponse): string {
  const [done, failed] = OUTCOMES[hasForm ? method : 'PATCH'];
  if (!isSuccess(result)) return failed;
  return result.status === 202 ? `${done}, job in progress` : done;
}

async function readStored(target: WriteTarget, signal: AbortSignal): Promise<Stored> {
  const { method, id, hasForm, path } = target;
  const url = API + path.split('?')[0];
  if (method !== 'POST' && id === '') return { writable: new Set() };
  const options = send(url, { method: 'OPTIONS', signal });
  if (method === 'POST' && hasForm) return { writable: writableFields(await options) };
  const query = hasForm ? new URLSearchParams(fileQuery(target.bundle)).toString() : '';
  const [allowed, result] = await Promise.all([
    options,
    send(query === '' ? url : `${url}?${query}`, { signal }),
  ]);
  const { data: read, included } = objectOf(result.document);
  const { attributes, relationships } = objectOf(read);
  // Forms have files among the attributes.
  const files = hasForm ? fileValues(relationships, included) : {};
  const data = isRecord(read) ? { ...read, attributes: { ...objectOf(attributes), ...files } } : read;
  const writable = writableFields(allowed);
  if (result.status !== 200 || data === undefined) return { result, writable };
  const tag = hasForm ? tagOf(data, result) : undefined;
  return { result, data, writable, ...(tag !== undefined && { tag }) };
}

/** A proxy can change the header, so the revision in the document comes first. */
function tagOf(data: unknown, { headers }: ApiResponse): string | undefined {
  const { revision } = objectOf(objectOf(data).meta);
  if (typeof revision === 'string') return `"${revision}"`;
  return headers.get('ETag')?.replace(/^W\//, '');
}

function writableFields({ document }: ApiResponse): ReadonlySet<string> {
  const { attributes, relationships } = objectOf(objectOf(document).meta);
  return new Set(
    [attributes, relationships].flatMap((names) => (Array.isArray(names) ? names.map(String) : [])),
  );
}

function draftKey({ method, path }: WriteTarget): string {
  return `${method} ${path}`;
}

function writeDocument(document: JsonObject): string {
  return JSON.stringify(document, null, 2);
}

function focusFirstError(): void {
  const input = document.querySelector<HTMLElement>('main [aria-invalid=true]');
  input?.focus({ preventScroll: true });
  input?.scrollIntoView({ block: 'center' });
}

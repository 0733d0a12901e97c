import type { AnswerPane } from '../answer-pane.ts';
import { showSnippets } from '../call-pane.ts';
import { byId, h, replaceChildren } from '../dom.ts';
import { clearErrorMarks, keyOfPointer, markErrors } from '../error-marks.ts';
import type { Method } from '../location-hash.ts';
import { type Answer, ask, type Sent } from '../request.ts';
import type { ExplorerConfig, ExplorerField, ExplorerSchema } from '../schema.ts';
import { confirmed } from './confirm.ts';
import { type DocumentBox, documentBox } from './document-box.ts';
import { createDrafts } from './drafts.ts';
import { changeOf, formValue } from './field-value.ts';
import { nextSteps, outcome } from './outcome.ts';
import { type RefusalContext, refusal } from './refusal.ts';
import { requestCode } from './request-code.ts';
import { sendSection } from './send-section.ts';
import { readStored, type Stored } from './stored.ts';
import { fieldOf, type WriteDocument, withField, withId } from './write-document.ts';
import { targetSection, type WriteForm, writeFields } from './write-form.ts';
import { readTarget, type WriteTarget } from './write-target.ts';

export interface WriteModeDeps {
  readonly config: ExplorerConfig;
  readonly pane: AnswerPane;
  schema(): ExplorerSchema;
  /** Who is signed in; undefined for nobody. */
  account(): string | undefined;
  /** Asks again who that is. */
  knowAccount(): Promise<void>;
  goTo(method: Method, path: string): void;
  /** Content has changed: what the page knows of it is to be asked for again. */
  changed(): Promise<void>;
}

/** Creating, changing and removing: one request at a time, with a form and the document that it makes. */
export interface WriteMode {
  /** Shows the form for a request, with what is stored. Sends nothing but reads. */
  open(method: WriteTarget['method'], path: string): Promise<void>;
  send(): Promise<void>;
  /** Leaves the form; what is not sent yet is kept. */
  close(): void;
}

export function createWriteMode(deps: WriteModeDeps): WriteMode {
  const { config, pane } = deps;
  const prefix = `${config.base}/jsonapi`;
  const drafts = createDrafts();
  let target: WriteTarget | undefined;
  let stored: Stored = { kind: 'nothing' };
  let box: DocumentBox | undefined;
  /** Whether `If-Match` is sent. */
  let matches = true;
  let reading = new AbortController();
  let sending = false;

  addEventListener('beforeunload', (event) => {
    if (drafts.any()) event.preventDefault();
  });
  return { open, send, close };

  async function open(method: WriteTarget['method'], path: string): Promise<void> {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    target = readTarget(deps.schema(), method, path);
    matches = true;
    if (target === undefined) {
      pane.clear('Nothing to send.');
      say('Give the address of a bundle or of an entity, such as /jsonapi/node/article.');
      return;
    }
    pane.clear(target.id === '' ? 'Nothing sent yet' : 'Reading …');
    try {
      stored = await readStored(prefix, target, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    drafts.open(target, stored);
    draw();
    showStored();
  }

  function close(): void {
    reading.abort();
    target = undefined;
    showDraft();
  }

  function showStored(): void {
    if (stored.kind === 'found') pane.show(stored.answer, 'As it is now');
    else if (stored.kind === 'failed') pane.show(stored.answer);
  }

  function draw(): void {
    if (target === undefined) return;
    const { method, id, formed } = target;
    const source = { schema: deps.schema(), prefix };
    const head = targetSection(source, target, (path) => deps.goTo(method, path));
    const why = refusal(target, stored, contextOf());
    box = undefined;
    if (why !== undefined || (method !== 'POST' && id === '')) {
      const said = why === undefined ? null : h('section', { class: 'part stack' }, ...why);
      replaceChildren(byId('builder'), head, said);
      showDraft();
      showSnippets([]);
      return;
    }
    if (hasDocument()) box = documentBox(drafts.text(), edit);
    showDraft(box);
    box?.say(drafts.problem());
    const values = h(
      'section',
      { class: 'part', 'aria-label': 'Values' },
      h('h2', {}, 'Values'),
      h('div', { id: 'values' }),
    );
    replaceChildren(
      byId('builder'),
      head,
      hasDocument() && formed ? values : null,
      sendSection({
        target,
        tag: stored.kind === 'found' ? stored.tag : undefined,
        matches,
        setMatches(on) {
          matches = on;
          showCode();
        },
        send: () => void send(),
        restart: hasDocument() ? restart : undefined,
      }),
    );
    drawFields();
    showCode();
  }

  function drawFields(): void {
    const place = document.getElementById('values');
    if (place !== null && target !== undefined) replaceChildren(place, ...writeFields(formOf(target)));
  }

  function formOf(about: WriteTarget): WriteForm {
    const resource = about.method === 'PATCH' && stored.kind === 'found' ? stored.resource : undefined;
    const known = (field: ExplorerField): unknown =>
      formValue(field, resource === undefined ? undefined : fieldOf(resource, field));
    return {
      schema: deps.schema(),
      prefix,
      target: about,
      resource,
      writable: stored.kind === 'found' || stored.kind === 'new' ? stored.writable : new Set(),
      document: drafts.document,
      set: (field, value) =>
        change(withField(drafts.document(), field, changeOf(field, known(field), value))),
      undo: (field) => {
        change(withField(drafts.document(), field, undefined));
        drawFields();
        document
          .querySelector<HTMLElement>(`[data-field="${CSS.escape(field.name)}"] :is(${INPUTS})`)
          ?.focus();
      },
      setId: (id) => change(withId(drafts.document(), id)),
    };
  }

  /** By the form: the document follows. */
  function change(next: WriteDocument): void {
    drafts.change(next);
    box?.show(drafts.text());
    box?.say('');
    showCode();
  }

  /** By hand: the form follows. */
  function edit(text: string): void {
    drafts.write(text);
    box?.say(drafts.problem());
    drawFields();
    showCode();
  }

  function restart(): void {
    if (target === undefined) return;
    drafts.forget(target);
    drafts.open(target, stored);
    draw();
    byId('builder').querySelector<HTMLElement>(`#values :is(${INPUTS})`)?.focus();
  }

  async function send(): Promise<void> {
    if (target === undefined || sending || document.getElementById('send') === null) return;
    const about = target;
    if (about.method === 'DELETE' && about.formed) {
      const title = stored.kind === 'found' && stored.title !== '' ? `“${stored.title}”` : about.id;
      const more = `${about.type.name} ${about.id}, with its file.`;
      if (!(await confirmed(`Delete ${title}?`, more, 'Delete'))) return;
    }
    const focused = document.activeElement;
    hold(true);
    clearErrorMarks();
    pane.wait();
    const answer = await ask(prefix + about.path, new AbortController().signal, requestOf(about));
    const isDone = answer.status !== undefined && answer.status < 400;
    if (isDone) drafts.forget(about);
    // Sessions end, and begin, in other tabs.
    if (isDone ? deps.account() === undefined : MAY_BE_SIGNED_OUT.has(answer.status))
      await deps.knowAccount();
    if (about !== target) {
      hold(false);
      return;
    }
    pane.show(answer, outcome(about, answer));
    pane.offer(nextSteps(about, answer, contextOf(), () => void readAgain(about)));
    if (byId('answer').getBoundingClientRect().top > innerHeight * 0.7) byId('answer').scrollIntoView();
    if (isDone) await done(about);
    hold(false);
    if (!isDone && !mark(answer) && focused instanceof HTMLElement) focused.focus();
  }

  /** Nothing is changed between sending and what is stored then. */
  function hold(on: boolean): void {
    sending = on;
    for (const id of ['builder', 'draft']) byId(id).toggleAttribute('inert', on);
  }

  /** After what was sent has been done: the form shows what is stored now. */
  async function done(about: WriteTarget): Promise<void> {
    await deps.changed();
    if (about !== target) return;
    byId('answer').focus({ preventScroll: true });
    target = readTarget(deps.schema(), about.method, about.path);
    if (target === undefined || (about.method === 'DELETE' && about.formed)) {
      target = undefined;
      say(`${about.type.name} ${about.id} is deleted.`);
      return;
    }
    if (about.method !== 'POST' || !about.formed)
      stored = await readStored(prefix, target, new AbortController().signal);
    drafts.open(target, stored);
    draw();
  }

  /** Marks what is wrong, and goes to the first of it; false where nothing of the form is. */
  function mark(answer: Answer): boolean {
    markErrors(answer, ({ pointer }) => keyOfPointer(pointer));
    const wrong = document.querySelector<HTMLElement>('main [aria-invalid=true]');
    wrong?.focus({ preventScroll: true });
    wrong?.scrollIntoView({ block: 'center' });
    return wrong !== null;
  }

  async function readAgain(about: WriteTarget): Promise<void> {
    stored = await readStored(prefix, about, new AbortController().signal);
    if (about !== target) return;
    draw();
    showStored();
    byId('builder').querySelector<HTMLElement>(`.changed :is(${INPUTS}), #send`)?.focus();
  }

  function requestOf({ method }: WriteTarget): Sent & { readonly body?: string } {
    const tag = matches && stored.kind === 'found' ? stored.tag : undefined;
    return {
      method,
      headers: {
        ...(hasDocument() && { 'Content-Type': 'application/vnd.api+json' }),
        ...(tag !== undefined && { 'If-Match': tag }),
      },
      ...(hasDocument() && { body: drafts.text() }),
    };
  }

  function hasDocument(): boolean {
    return target !== undefined && (target.method !== 'DELETE' || !target.formed);
  }

  function showCode(): void {
    if (target === undefined) return;
    const { method, headers = {}, body } = requestOf(target);
    const url = new URL(prefix + target.path, location.href).href;
    showSnippets(requestCode({ method, url, headers, body, account: deps.account() }));
  }

  function contextOf(): RefusalContext {
    return { config, schema: deps.schema(), account: deps.account() };
  }

  function say(sentence: string): void {
    replaceChildren(byId('builder'), h('p', { class: 'empty' }, sentence));
    showDraft();
    showSnippets([]);
  }
}

/** The document stands beside the form; nothing where none is sent. */
function showDraft(box?: DocumentBox): void {
  const place = byId('draft');
  replaceChildren(place, ...(box?.elements ?? []));
  place.hidden = box === undefined;
}

/** What somebody without an account may be answered. */
const MAY_BE_SIGNED_OUT: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

const INPUTS = 'input, select, textarea';

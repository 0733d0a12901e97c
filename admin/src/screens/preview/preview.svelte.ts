import { RequestError } from '../../api/content.ts';
import { objectOf } from '../../api/document.ts';
import { failureOf } from '../../api/failure.ts';
import { previewText } from '../../texts/preview.ts';
import type { Editor } from '../edit/editor.svelte.ts';
import { fieldLabel } from '../edit/labels.ts';
import { createFrame, type FrameEvents, type PreviewFrame } from './frame.ts';
import { operationOf } from './operation.ts';
import { type PreviewedPage, requestPage } from './page-request.ts';

/** After a change, the preview waits for further ones, in milliseconds. */
const PAUSE_MS = 100;
const RETRY_MS = 3000;

/** What the preview says about the page that it shows. */
export interface Note {
  readonly isError: boolean;
  readonly lines: readonly string[];
  /** An address to open in a new tab, because it is not a page. */
  readonly file?: string;
}

/** The ending of a file that is not a page. */
const FILE = /^[^?]*\.(?!html?\b)\w+(?:\?|$)/;

/** The page of the site with the changes of a form, in a frame. */
export class Preview {
  /** The path that is shown; empty before the first page. */
  path = $state('');
  note = $state.raw<Note>();
  /** True if the entry has no page of its own, and no path was given. */
  needsPath = $state(false);
  /** Paths of pages that show an entry without a page of its own. */
  offered = $state.raw<readonly string[]>([]);
  isLoading = $state(true);
  /** Grows with each page that the frame shows. */
  version = $state(0);
  /** Errors of the values, by the path of the field or part. */
  errors = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());
  /** The pages that were left. Undefined is the page of the entity. */
  #trail = $state.raw<readonly (string | undefined)[]>([]);
  /** The page to show. Undefined is the page of the entity. */
  #wanted: string | undefined;
  #hash = '';
  #frame: PreviewFrame | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isBusy = false;
  #isStale = false;
  #isClosed = false;
  readonly #editor: Editor;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  get hasTrail(): boolean {
    return this.#trail.length > 0;
  }

  get document(): Document | undefined {
    return this.#frame?.document;
  }

  /** Shows the page in another element. */
  open(host: HTMLElement, title: string, events: FrameEvents): PreviewFrame {
    this.#frame?.destroy();
    this.#frame = createFrame(host, title, events);
    this.refresh(0);
    return this.#frame;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#frame?.destroy();
  }

  /** Shows the page of a path, with the same changes. */
  go(path: string, hash = ''): void {
    this.#trail = [...this.#trail, this.#wanted];
    this.#wanted = path;
    this.#hash = hash;
    this.refresh(0);
  }

  back(): void {
    this.#wanted = this.#trail.at(-1);
    this.#trail = this.#trail.slice(0, -1);
    this.refresh(0);
  }

  /** Shows the values of the form, once no further ones follow. */
  refresh(pause = PAUSE_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), pause);
  }

  /** One request at a time: the newest values follow. */
  async #run(): Promise<void> {
    this.#isStale = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#update();
    }
    this.#isBusy = false;
  }

  async #update(): Promise<void> {
    this.isLoading = true;
    const { revision } = this.#editor.resource?.meta ?? {};
    try {
      const page = await requestPage(operationOf(this.#editor), this.#wanted);
      if (this.#isClosed) return;
      await this.#show(page);
    } catch (error) {
      if (this.#isClosed) return;
      await this.#report(error, revision);
    }
    this.isLoading = false;
  }

  async #show(page: PreviewedPage): Promise<void> {
    const { url, status, html, follows, collections, message, location } = page;
    this.needsPath = false;
    this.errors = new Map();
    if (status === 404 && (html === undefined || FILE.test(url))) {
      // The shown page stays, and follows the form again.
      this.#wanted = this.#trail.at(-1);
      this.#trail = this.#trail.slice(0, -1);
      this.note = { isError: false, lines: [previewText('notFound', { path: url })], file: url };
      return;
    }
    if (html === undefined) {
      const place = location === undefined ? [] : [location];
      this.note = { isError: true, lines: [previewText('failed'), message, ...place] };
      return;
    }
    const lines =
      status === 404
        ? [previewText('notFound', { path: url })]
        : follows
          ? []
          : [
              previewText(collections.length > 0 ? 'readsCollections' : 'doesNotFollow', {
                collections: collections.join(', '),
                query: `entities('${this.#editor.target.bundle.name.replace('node--', '')}')`,
              }),
            ];
    this.note = lines.length > 0 ? { isError: false, lines } : undefined;
    await this.#frame?.show({ url, html, hash: this.#hash });
    this.#hash = '';
    this.path = url;
    this.version++;
  }

  /** The last good page stays. */
  async #report(error: unknown, revision: unknown): Promise<void> {
    if (!(error instanceof RequestError)) {
      this.note = { isError: true, lines: [failureOf(error)] };
      return;
    }
    const { status, problems } = error;
    if (status === undefined) {
      this.note = { isError: true, lines: [previewText('offline')] };
      this.refresh(RETRY_MS);
      return;
    }
    if (status === 412) {
      // Others have changed the entry. Merging shows it again.
      await this.#editor.refresh();
      if (this.#editor.resource?.meta.revision !== revision) return this.refresh(0);
    }
    this.needsPath = problems.some(({ code }) => code === 'no-page');
    if (this.needsPath) {
      const { pages } = objectOf(problems[0]?.meta);
      this.offered = Array.isArray(pages) ? pages.map(String) : [];
      this.note = undefined;
      return;
    }
    const { formErrors } = await import('../../model/form-errors.ts');
    const { bundle } = this.#editor.target;
    const { byField, byPart, others } = await formErrors(error, bundle.fields, this.#editor.values);
    const parts = [...byPart].map(([path, { messages }]) => [path, messages] as const);
    this.errors = new Map([...byField, ...parts]);
    const named = [...this.errors].map(([path, messages]) => {
      const name = path.split('/')[0] ?? '';
      const field = bundle.fields.find((each) => each.name === name) ?? { name };
      return `${fieldLabel(field)}: ${messages.join(' ')}`;
    });
    if (this.version === 0) await this.#showStored();
    const lines = [...named, ...others];
    this.note = {
      isError: true,
      lines: [
        ...(lines.length > 0 ? lines : [error.message]),
        ...(this.version > 0 ? [previewText('notValid')] : []),
      ],
    };
  }

  /** For a form that begins with values that are not valid. The draft of a new entry has no page. */
  async #showStored(): Promise<void> {
    const operation = operationOf(this.#editor);
    if (operation.op !== 'update') return;
    const { bundle, id } = this.#editor.target;
    const { errors } = this;
    const stored = { ...operation, data: { type: bundle.name, id } };
    // The note is about the values.
    const page = await requestPage(stored, this.#wanted).catch(() => undefined);
    if (page !== undefined && !this.#isClosed) await this.#show(page);
    this.errors = errors;
  }
}

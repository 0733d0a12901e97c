import { untrack } from 'svelte';
import { API, API_BASE, FILES_ONLY, IS_STATIC, urlOf } from '../../api/config.ts';
import type { ApiProblem } from '../../api/document.ts';
import { send } from '../../api/request.ts';
import { bundleNamed, pathTo, type Schema } from '../../api/schema.ts';
import { type Method, readHash, type View, writeHash } from './hash.ts';
import { errorInput } from './query/error-input.ts';
import { createForm, type QueryForm } from './query/form.ts';
import { apiPath, readPath, type UrlProblem } from './query/read-url.ts';

import { writeCode, writeQuery } from './query/write-query.ts';
import { ResponseState, readPlan } from './response.svelte.ts';
import { Writer } from './write/writer.svelte.ts';

/**
 * The state of the explorer. The location hash holds the method, the path and the view, and the form and the URL box
 * follow each other.
 */
export class Explorer {
  method = $state<Method>('GET');
  view = $state<View>('json');
  /** API path of the URL box, such as `/node/article?sort=title`. */
  path = $state('');
  urlText = $state('');
  problems = $state.raw<readonly UrlProblem[]>([]);
  form = $state<QueryForm>(createForm(''));
  readonly response = new ResponseState();
  readonly writer: Writer;
  readonly #schema: () => Schema;
  /** The path that was requested last. */
  #responsePath = $state('');
  /** The path that the form last stood for. */
  #written = '';
  #inputs: ReadonlyMap<string, string> = new Map();
  #running = new AbortController();

  readonly isStale = $derived(
    this.method === 'GET' && this.response.result !== undefined && this.path !== this.#responsePath,
  );
  readonly code = $derived.by(() => {
    const listed = this.schema.staticQueries.find(({ url }) => apiPath(url, API_BASE) === this.path);
    const path = isFile(this.path) ? (listed?.query ?? this.path.replace(/\.json$/, '')) : this.path;
    const { form, problems } = readPath(this.schema, path);
    return form === undefined || problems.length > 0 ? undefined : writeCode(this.schema, form);
  });

  constructor(schema: () => Schema, reloadSchema: () => Promise<void>) {
    this.#schema = schema;
    this.writer = new Writer(schema, reloadSchema, this.response);
  }

  get schema(): Schema {
    return this.#schema();
  }

  /** A link to an API path; undefined for a text that is not a URL of the API. */
  linkTo(text: string): string | undefined {
    const local = text.startsWith(location.origin) ? text.slice(location.origin.length) : text;
    if (local !== API && !local.startsWith(`${API}/`)) return undefined;
    const path = apiPath(local, API_BASE);
    return path === undefined ? undefined : this.hashOf(path);
  }

  hashOf(path: string): string {
    return writeHash({ path, view: this.view });
  }

  goTo(method: Method, path: string): void {
    location.hash = writeHash({ method, path, view: this.view });
  }

  showView(view: View): void {
    this.view = view;
    const path = this.method === 'GET' ? this.#responsePath : this.path;
    history.replaceState(null, '', writeHash({ method: this.method, path, view }));
  }

  /** Shows the state of the location hash. */
  followHash(): void {
    const { method, path, view } = readHash(location.hash);
    this.view = view === 'plan' && IS_STATIC ? 'json' : view;
    const previous = this.method;
    this.method = IS_STATIC ? 'GET' : method;
    if (this.method === 'GET') {
      this.writer.close();
      const next = path === '' ? this.#firstPath() : path;
      // The form that wrote this path can hold more than the path: unfinished conditions.
      if (next !== this.path || previous !== 'GET') this.#load(next);
      void this.run();
      return;
    }
    this.#running.abort();
    this.#show(path, []);
    document.title = `${method} ${path} · Query explorer`;
    void this.writer.open(this.method, path);
  }

  /** Writes the URL of the form after it was edited. To be called in an effect. */
  followForm(): void {
    if (this.method !== 'GET' || FILES_ONLY || this.form.type === '') return;
    const { path, inputs } = this.#write();
    if (path === this.#written) return;
    untrack(() => {
      this.#written = path;
      this.#inputs = inputs;
      this.#show(path, []);
    });
  }

  /** Reads the URL box while it is edited. */
  editUrl(text: string): void {
    this.urlText = text;
    const path = apiPath(text, API_BASE);
    if (path === undefined) {
      const message = `Only URLs below ${location.origin}${API} can be run here.`;
      this.problems = [{ parameter: '', message }];
    } else if (this.method === 'GET') this.#load(path, text);
    else {
      this.path = path;
      this.problems = [];
    }
  }

  /** Runs the query, or sends the change. */
  submit(): void {
    if (apiPath(this.urlText, API_BASE) === undefined) {
      document.getElementById('url')?.focus();
      return;
    }
    if (this.method !== 'GET' && this.path === this.writer.target?.path) {
      void this.writer.send();
      return;
    }
    this.response.scrollIntoView();
    const before = location.hash;
    this.goTo(this.method, this.path);
    if (location.hash === before) this.followHash();
  }

  async run(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { path } = this;
    this.#responsePath = path;
    document.title = `${path.replace(/\?.*/, '')} · Query explorer`;
    this.response.wait();
    try {
      const result = await send(urlOf(path), { signal });
      this.response.show(result);
      await this.response.markErrors((problem) => (path === this.path ? this.#keyOf(problem) : undefined));
      if (IS_STATIC || result.status !== 200 || readPath(this.schema, path).form === undefined) return;
      const url = `${API_BASE}/jsonapi-explorer/explain.json?url=${encodeURIComponent(path)}`;
      this.response.plan = readPlan((await send(url, { signal })).document);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #keyOf({ source: { parameter }, detail }: ApiProblem): string | undefined {
    return parameter === undefined
      ? undefined
      : errorInput(this.schema, this.form, this.#inputs, parameter, detail);
  }

  /** Reads a path into the form as far as possible. */
  #load(path: string, text = urlOf(path)): void {
    if (FILES_ONLY || isFile(path)) {
      this.#show(path, path === '/' || isFile(path) ? [] : [NO_SNAPSHOT], text);
      return;
    }
    const { form, inputs, problems } = readPath(this.schema, path);
    if (form !== undefined) this.form = form;
    else if (this.form.type === '') this.form = createForm(largest(this.schema).name);
    this.#inputs = inputs;
    this.#written = this.#write().path;
    this.#show(path, problems, text);
  }

  #show(path: string, problems: readonly UrlProblem[], text = urlOf(path)): void {
    this.path = path;
    this.urlText = text;
    this.problems = problems;
  }

  #write(): { readonly path: string; readonly inputs: ReadonlyMap<string, string> } {
    const { query, inputs } = writeQuery(this.form);
    const path = pathTo(bundleNamed(this.schema, this.form.type) ?? largest(this.schema));
    return { path: query === '' ? path : `${path}?${query}`, inputs };
  }

  #firstPath(): string {
    const [query] = this.schema.staticQueries;
    const path = pathTo(largest(this.schema));
    return FILES_ONLY ? ((query && apiPath(query.url, API_BASE)) ?? `${path}.json`) : path;
  }
}

const NO_SNAPSHOT: UrlProblem = {
  parameter: '',
  message: 'This site has only .json files: the ones listed here and the ones they link to.',
};

/** True for a file of a static site. */
function isFile(path: string): boolean {
  return IS_STATIC && /^[^?]*\.json$/.test(path);
}

/** The bundle with the most entities. */
function largest({ types: [first, ...others] }: Schema): Schema['types'][number] {
  if (first === undefined) throw new Error('The site has no bundles.');
  return others.reduce((best, type) => (type.count > best.count ? type : best), first);
}

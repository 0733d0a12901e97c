import { answerPane } from './answer-pane.ts';
import { apiAddress } from './api-address.ts';
import type { ShownError } from './api-document.ts';
import { showCall } from './call-pane.ts';
import type { FormHost } from './condition-tree.ts';
import { byId, copyText, h, replaceChildren } from './dom.ts';
import { errorInput } from './error-input.ts';
import { clearErrorMarks, inputAt, keyOfPointer, markErrors } from './error-marks.ts';
import { formSections } from './form-sections.ts';
import { type AnswerView, linkHash, type Method, readHash, writeHash } from './location-hash.ts';
import { methodBox, showMethod } from './method-box.ts';
import { listen } from './page-events.ts';
import { emptyForm, type QueryForm } from './query-form.ts';
import { readPath, type UrlProblem } from './read-url.ts';
import { type Answer, ask, readExplained } from './request.ts';
import { type ExplorerSchema, readConfig, readSchema } from './schema.ts';
import { staticLists } from './static-lists.ts';
import { fitUrlBox, showInUrlBox, showUrlProblems, urlBox, urlBoxText } from './url-box.ts';
import { readAccount, showAccount } from './write/account.ts';
import { createWriteMode } from './write/write-mode.ts';
import { pathFor } from './write/write-target.ts';
import { writeCode } from './write-code.ts';
import { writeQuery } from './write-url.ts';

const config = readConfig(JSON.parse(byId('config').textContent));
const { prefix, pathOf, urlOf, isUnderPrefix } = apiAddress(config);
const isStatic = config.mode === 'static';

let schema: ExplorerSchema = readSchema(null);
let form: QueryForm = emptyForm('');
/** Of the query in the URL box: `/node/article?…`. */
let path = '';
let method: Method = 'GET';
let account: string | undefined;
let accountKnown = Promise.resolve();
let inputs: ReadonlyMap<string, string> = new Map();
let answered = '';
/** Of the form for what is to be sent; undefined while queries are asked. */
let opened: string | undefined;
let view: AnswerView = 'json';
let running = new AbortController();

const pane = answerPane({
  linkOf: (text) => {
    const found = text.startsWith('/') || text.startsWith(location.origin) ? pathOf(text) : undefined;
    return found === undefined || !isUnderPrefix(text) ? undefined : linkHash(found);
  },
  plans: !isStatic,
  onview: (next) => {
    view = next;
    history.replaceState(null, '', writeHash({ method, path: method === 'GET' ? answered : path, view }));
    pane.view(view);
  },
  focusOf: (error) => {
    const element = inputAt(keyOf(error));
    return element === undefined ? undefined : () => element.focus();
  },
});

const writes = createWriteMode({
  config,
  pane,
  schema: () => schema,
  account: () => account,
  async knowAccount() {
    if (schema.signIn) await knowAccount();
  },
  goTo: (next, to) => go(writeHash({ method: next, path: to })),
  changed: async () => {
    schema = readSchema((await askForSchema()).document);
  },
});

/** The input that what an error names comes from: a parameter of the URL, or a place in the document that was sent. */
function keyOf({ parameter, pointer }: ShownError): string | undefined {
  if (parameter !== undefined && method === 'GET') return errorInput(schema, form, inputs, parameter);
  return keyOfPointer(pointer);
}

function askForSchema(): Promise<Answer> {
  return ask(`${config.base}/jsonapi-explorer/schema.json`, new AbortController().signal);
}

const host: FormHost = {
  get schema() {
    return schema;
  },
  form: () => form,
  change: (next, focus) => {
    form = next;
    const written = writeQuery(form);
    const type = schema.types.find((known) => known.name === form.type);
    path = `/${type?.entityType}/${type?.bundle}${written.query === '' ? '' : `?${written.query}`}`;
    inputs = written.inputs;
    showUrl([]);
    if (focus === undefined) return;
    drawForm();
    inputAt(focus)?.focus();
  },
};

void start();

async function start(): Promise<void> {
  const answer = await askForSchema();
  byId('builder').removeAttribute('aria-busy');
  if (answer.status !== 200 || answer.document === undefined) {
    pane.show(answer);
    const text = `The list of bundles and fields did not come (${answer.status ?? 'no answer'}).`;
    replaceChildren(byId('builder'), h('p', { class: 'empty' }, text));
    return;
  }
  schema = readSchema(answer.document);
  if (schema.signIn) accountKnown = knowAccount();
  listen({
    follow,
    submit,
    paste,
    enter: (from) => {
      if (method === 'GET') submit();
      else if (from === 'url') go(writeHash({ method, path }));
    },
    hashOf: (hash) => writeHash({ path: readHash(hash).path, view }),
  });
  const copy = byId('copy');
  copy.addEventListener('click', () => copyText(new URL(urlOf(path), location.href).href, copy));
  if (schema.types.length === 0) {
    replaceChildren(byId('builder'), h('p', { class: 'empty' }, 'This site has no content yet.'));
    return;
  }
  if (isStatic) drawStatic();
  if (schema.writes)
    methodBox((next) => go(writeHash({ method: next, path: pathFor(schema, next, path), view })));
  follow();
}

async function knowAccount(): Promise<void> {
  account = await readAccount(config);
  showAccount(config, account);
}

/** Takes the query and the view from the location, and runs it. */
function follow(): void {
  const state = readHash(decodedHash());
  view = state.view;
  pane.view(view);
  method = isStatic ? 'GET' : state.method;
  showMethod(method);
  byId('builder').setAttribute('aria-label', method === 'GET' ? 'Query' : 'Change');
  if (method !== 'GET') {
    path = state.path;
    opened = path;
    running.abort();
    showInUrlBox(urlOf(path));
    showUrlProblems([]);
    showOpen();
    document.title = `${method} ${path} · Query explorer`;
    void openWrites(method, path);
    return;
  }
  writes.close();
  const asked = state.path === '' ? firstPath() : state.path;
  // The form that wrote this path may hold more than the path does: conditions that are not complete yet.
  const written = asked === path && opened === undefined;
  opened = undefined;
  path = asked;
  if (!isStatic && !written) readForm();
  showUrl(problemsOf(path));
  void run();
}

/** Once it is known who asks; by then something else may be wanted. */
async function openWrites(asked: Exclude<Method, 'GET'>, to: string): Promise<void> {
  await accountKnown;
  if (method === asked && opened === to) await writes.open(asked, to);
}

/** Browsers differ in what they encode of a hash: what the address bar encoded is encoded as we do. */
function decodedHash(): string {
  return location.hash.replaceAll('%5B', '[').replaceAll('%5D', ']');
}

function firstPath(): string {
  const [query] = schema.staticQueries;
  const type = schema.types.find((known) => known.count > 0) ?? schema.types[0];
  if (isStatic) return (query && pathOf(query.url)) ?? `/${type?.entityType}/${type?.bundle}.json`;
  return `/${type?.entityType}/${type?.bundle}`;
}

/** Reads the URL box while it is typed in: into the form where it fits, with what does not fit beneath. */
function paste(): void {
  fitUrlBox();
  const found = pathOf(urlBoxText());
  if (found === undefined) {
    showUrlProblems([
      { parameter: '', message: `Only URLs under ${location.origin}${prefix} can be run here.` },
    ]);
    return;
  }
  path = found;
  showOpen();
  if (method !== 'GET') {
    showUrlProblems([]);
    return;
  }
  if (!isStatic) readForm();
  showUrlProblems(problemsOf(path));
  showCode();
}

function readForm(): void {
  const read = readPath(schema, path);
  inputs = read.inputs;
  form = read.form ?? (form.type === '' ? emptyForm(schema.types[0]?.name ?? '') : form);
  drawForm();
}

function submit(): void {
  if (pathOf(urlBoxText()) === undefined) {
    urlBox.focus();
    return;
  }
  if (method !== 'GET' && path === opened) {
    void writes.send();
    return;
  }
  // Where the panes are stacked, the answer is below the fold.
  if (byId('answer').getBoundingClientRect().top > innerHeight * 0.7) byId('answer').scrollIntoView();
  const hash = writeHash({ method, path, view });
  if (decodedHash() === hash) void run();
  else go(hash);
}

function go(hash: string): void {
  location.hash = hash;
}

async function run(): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const asked = path;
  answered = asked;
  document.title = `${asked.replace(/\?.*/, '')} · Query explorer`;
  pane.wait();
  clearErrorMarks();
  showCode();
  try {
    const answer = await ask(urlOf(asked), signal);
    pane.show(answer);
    pane.stale(path !== answered);
    if (path === asked) markErrors(answer, keyOf);
    await explain(asked, answer, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function explain(asked: string, answer: Answer, signal: AbortSignal): Promise<void> {
  if (isStatic) return;
  if (answer.status !== 200 || readPath(schema, asked).form === undefined) {
    pane.explain(undefined);
    return;
  }
  const url = `${config.base}/jsonapi-explorer/explain.json?url=${encodeURIComponent(asked)}`;
  const explained = await ask(url, signal);
  pane.explain(explained.status === 200 ? readExplained(explained.document) : undefined);
}

function problemsOf(apiPathname: string): readonly UrlProblem[] {
  if (!isStatic) return readPath(schema, apiPathname).problems;
  if (apiPathname === '/' || /^[^?]*\.json$/.test(apiPathname)) return [];
  const message =
    'This site has no server, only files that end in .json: those listed here, and what they link.';
  return [{ parameter: '', message }];
}

function drawForm(): void {
  replaceChildren(byId('builder'), ...formSections(host));
}

function drawStatic(): void {
  replaceChildren(byId('builder'), ...staticLists(schema, pathOf));
}

/** The path in the URL box, with what is wrong with it beneath. */
function showUrl(problems: readonly UrlProblem[]): void {
  showInUrlBox(urlOf(path));
  showUrlProblems(problems);
  showCode();
  showOpen();
  pane.stale(path !== answered);
}

function showCode(): void {
  const listed = schema.staticQueries.find((query) => pathOf(query.url) === path);
  const read = readPath(schema, isStatic ? (listed?.query ?? path.replace(/\.json$/, '')) : path);
  showCall(read.form === undefined || read.problems.length > 0 ? undefined : writeCode(schema, read.form));
}

function showOpen(): void {
  byId('open').setAttribute('href', urlOf(path));
}

import type { Overview, ProblemOverview, QueryOverview, TypeOverview } from '../dev/overview.ts';

/** The app of Astro's dev toolbar: queries of the page, problems of the content, and entities. All text is escaped. */
export function startToolbar(canvas: ShadowRoot, app: ToolbarApp, server: ToolbarServer): void {
  const view = document.createElement('astro-dev-toolbar-window');
  const style = make('style', STYLES);
  canvas.append(style, view);
  let open = false;
  let rendered = '';

  /** Keeps the focus and open plans if nothing has changed. */
  function render(overview: Overview): void {
    const text = JSON.stringify(overview);
    if (text === rendered) return;
    rendered = text;
    const opened = new Set([...view.querySelectorAll('details[open]')].map((plan) => plan.ariaLabel));
    view.replaceChildren(...sections(overview));
    for (const plan of view.querySelectorAll('details')) plan.open = opened.has(plan.ariaLabel);
  }

  const requestOverview = (): void =>
    server.send('astro-jsonapi:ask', { url: location.pathname + location.search, whole: open });
  server.on<Overview>('astro-jsonapi:overview', (overview) => {
    const hasErrors = overview.problems.some(({ severity }) => severity === 'error');
    const isBroken = hasErrors || overview.fault !== undefined;
    app.toggleNotification(isBroken ? { state: true, level: 'error' } : { state: false });
    if (open) render(overview);
  });
  server.on('astro-jsonapi:changed', requestOverview);
  document.addEventListener('astro:page-load', requestOverview);
  app.onToggled(({ state }) => {
    open = state;
    if (open) requestOverview();
  });
  app.onToolbarPlacementUpdated(({ placement }) => view.setAttribute('placement', placement));
  document.addEventListener(
    'click',
    ({ target }) => {
      const inside = target instanceof Element && target.closest('astro-dev-toolbar') !== null;
      if (open && !inside) app.toggleState({ state: false });
    },
    true,
  );
  requestOverview();
}

function sections({ fault, queries, problems, types }: Overview): readonly HTMLElement[] {
  const title = make('h1', 'JSON:API');
  if (fault !== undefined) return [title, make('p', fault, 'error')];
  return [
    title,
    section(
      'Queries of this page',
      queries === undefined ? 'Reload the page to list its queries.' : 'This page runs no queries.',
      (queries ?? []).map(queryItem),
    ),
    section('Problems', 'None.', problems.map(problemItem)),
    section('Entities', 'The site has no content.', types.map(typeItem)),
  ];
}

function section(name: string, emptyText: string, items: readonly HTMLElement[]): HTMLElement {
  const element = make('section');
  const title = make('h2', items.length === 0 ? name : `${name} (${items.length})`);
  title.id = `astro-jsonapi-${name.replaceAll(' ', '-')}`;
  element.setAttribute('aria-labelledby', title.id);
  const list = make('ul');
  list.append(...items);
  element.append(title, items.length === 0 ? make('p', emptyText) : list);
  return element;
}

function queryItem(query: QueryOverview): HTMLElement {
  const item = make('li');
  const { code, count, ms, failed, actor, plan, files, explorer } = query;
  const facts = [failed ? 'failed' : `${count} found`, `${ms.toFixed(1)} ms`];
  if (actor !== undefined) facts.push(`as ${actor}`);
  item.append(make('code', code), make('p', facts.join(' · '), failed ? 'error' : 'facts'));
  if (plan !== undefined) {
    const details = make('details');
    details.ariaLabel = `Plan of ${code}`;
    details.append(make('summary', 'Plan'), make('pre', plan));
    item.append(details);
  }
  item.append(links(explorer, files));
  return item;
}

function problemItem({ severity, label, message, hint, file }: ProblemOverview): HTMLElement {
  const item = make('li');
  item.append(make('strong', severity, severity), ' ', file === undefined ? label : editorLink(label, file));
  item.append(make('p', hint === undefined ? message : `${message} (${hint})`));
  return item;
}

function typeItem({ name, count, unseen, explorer }: TypeOverview): HTMLElement {
  const item = make('li');
  const unpublished = unseen === 0 ? '' : `, ${unseen} not published`;
  item.append(make('strong', name), ` ${count}${unpublished} `, links(explorer, []));
  return item;
}

function links(explorer: string | undefined, files: QueryOverview['files']): HTMLElement {
  const line = make('span', '', 'links');
  if (explorer !== undefined) {
    const link = make('a', 'Explorer');
    link.href = explorer;
    link.target = '_blank';
    line.append(link);
  }
  line.append(...files.map(({ label, file }) => editorLink(label, file)));
  return line;
}

function editorLink(label: string, file: string): HTMLElement {
  const button = make('button', label);
  button.type = 'button';
  button.title = 'Open in the editor';
  button.addEventListener('click', () => void fetch(`/__open-in-editor?file=${encodeURIComponent(file)}`));
  return button;
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  className = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

const STYLES = `
astro-dev-toolbar-window { overflow: auto; }
section { margin-top: 16px; }
h1 { margin: 0; }
h2 { margin: 0 0 8px; font-size: 16px; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 12px; }
p { margin: 4px 0; line-height: 1.5; overflow-wrap: anywhere; }
code, pre { font: 13px/1.5 ui-monospace, monospace; color: #fff; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: 4px 0; padding: 8px; background: #1b1e24; border-radius: 4px; }
summary, a, button { cursor: pointer; }
.links { display: inline-flex; flex-wrap: wrap; gap: 4px 12px; }
a, button { color: #b0a0ff; font: inherit; font-size: 14px; background: none; border: 0; padding: 0; text-align: start; text-decoration: underline; overflow-wrap: anywhere; }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 2px solid #b0a0ff; outline-offset: 2px; }
.facts { color: #bfc1c9; }
.error { color: #f5a3b0; }
.warning { color: #f3d28b; }
.info { color: #bfc1c9; }
`;

/** The part of Astro's toolbar API that is used. */
interface ToolbarApp {
  toggleNotification(
    options: { readonly state: true; readonly level: 'error' } | { readonly state: false },
  ): void;
  toggleState(options: { readonly state: boolean }): void;
  onToggled(callback: (options: { readonly state: boolean }) => void): void;
  onToolbarPlacementUpdated(callback: (options: { readonly placement: string }) => void): void;
}

interface ToolbarServer {
  send<T>(event: string, payload: T): void;
  on<T>(event: string, callback: (data: T) => void): void;
}

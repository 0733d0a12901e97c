import { Idiomorph } from 'idiomorph';
import { decodeUri } from '../../../../integration/core/util/text.ts';
import { BASE } from '../../api/config.ts';
import { type ScriptChanges, watchScripts } from './script-changes.ts';

/** What happens in a frame. */
export interface FrameEvents {
  /** Called before the listeners of the page. */
  onclick: (event: MouseEvent) => void;
  onhover: (event: MouseEvent) => void;
  onsubmit: (event: SubmitEvent) => void;
  /** The page and its pictures are loaded. */
  onload: () => void;
  /** The page was left, or loaded again, by its own scripts. */
  onleave: (path: string | undefined) => void;
}

export interface PreviewFrame {
  /** The document that is shown; undefined before the first page. */
  readonly document: Document | undefined;
  /**
   * Shows a page. The parts that differ from the shown page are replaced in place. A page with another address or other
   * scripts takes the place of the shown one as soon as it is loaded.
   */
  show(page: { readonly url: string; readonly html: string; readonly hash?: string }): Promise<void>;
  destroy(): void;
}

/** How long a page may load before it takes the place of the shown one, in milliseconds. */
const PATIENCE_MS = 1500;
const EMPTY_PAGE = `${BASE}/admin/_assets/frame.html`;

/** Marks of the preview in a page. They have these attributes. */
export const MARKS = 'data-preview-';

export function createFrame(host: HTMLElement, title: string, events: FrameEvents): PreviewFrame {
  let shown: Shown | undefined;
  return {
    get document() {
      return shown?.document;
    },
    async show({ url, html, hash = '' }) {
      const before = isIntact(shown) ? shown : undefined;
      const source = before && parse(before.document, html);
      if (before && source && before.url === url && hasSameScripts(before.source, source)) {
        replaceParts(before, source);
        shown = { ...before, source };
        return;
      }
      const element = addFrame(host, title);
      await loaded(element, PATIENCE_MS * 4);
      const { contentDocument: document, contentWindow: window } = element;
      if (document === null || window === null) return;
      // Opening a document gives it the address of the admin.
      document.open();
      window.history.replaceState(null, '', url + hash);
      const changes = watchScripts(document);
      listen(window, events);
      document.write(html);
      document.close();
      if (shown) await loaded(element, PATIENCE_MS);
      if (!element.isConnected) return;
      if (before?.url === url) window.scrollTo(scrollOf(before.document));
      else if (hash !== '') document.getElementById(decodeUri(hash.slice(1)))?.scrollIntoView();
      shown?.element.remove();
      element.style.visibility = '';
      shown = { element, document, url, source: parse(document, html), changes };
      const latest = shown;
      element.addEventListener('load', () => {
        if (shown?.element === latest.element && !isIntact(shown)) events.onleave(pathIn(element));
      });
    },
    destroy() {
      for (const element of host.querySelectorAll('iframe')) element.remove();
    },
  };
}

interface Shown {
  readonly element: HTMLIFrameElement;
  readonly document: Document;
  readonly url: string;
  /** The page as the server sent it. */
  readonly source: Document;
  readonly changes: ScriptChanges;
}

/** A new frame runs the scripts of a page as a visit does. The shown page stays until it is loaded. */
function addFrame(host: HTMLElement, title: string): HTMLIFrameElement {
  const element = host.ownerDocument.createElement('iframe');
  element.title = title;
  element.src = EMPTY_PAGE;
  Object.assign(element.style, {
    position: 'absolute',
    inset: '0',
    width: '100%',
    height: '100%',
    border: '0',
    background: 'Canvas',
    visibility: host.querySelector('iframe') ? 'hidden' : '',
  });
  host.append(element);
  return element;
}

function loaded(element: HTMLIFrameElement, patience: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, patience);
    // A document that is opened during this event has no such event of its own.
    element.addEventListener('load', () => setTimeout(resolve), { once: true });
  });
}

function listen(window: Window, { onclick, onhover, onsubmit, onload }: FrameEvents): void {
  window.addEventListener('click', onclick, { capture: true });
  window.addEventListener('mouseover', onhover, { capture: true });
  window.addEventListener('submit', onsubmit, { capture: true });
  window.addEventListener('load', onload);
}

/** False if the frame shows another document than the one written into it. */
function isIntact(shown: Shown | undefined): shown is Shown {
  return shown !== undefined && shown.element.contentDocument === shown.document;
}

/** Undefined for a page of another site. */
function pathIn({ contentDocument }: HTMLIFrameElement): string | undefined {
  const { pathname, search, protocol } = contentDocument?.location ?? {};
  return protocol?.startsWith('http') ? `${pathname}${search}` : undefined;
}

function scrollOf({ defaultView }: Document): ScrollToOptions {
  return { left: defaultView?.scrollX ?? 0, top: defaultView?.scrollY ?? 0, behavior: 'instant' };
}

/** The parser of the frame: that of the admin has the content security policy of the admin. */
function parse({ defaultView }: Document, html: string): Document {
  return new (defaultView ?? window).DOMParser().parseFromString(html, 'text/html');
}

function hasSameScripts(one: Document, other: Document): boolean {
  return one.doctype?.publicId === other.doctype?.publicId && scriptsIn(one) === scriptsIn(other);
}

function scriptsIn(document: Document): string {
  const scripts = [...document.scripts].filter(({ type }) => !/json|speculationrules/.test(type));
  return scripts.map(({ outerHTML }) => outerHTML).join('\n');
}

/** Replaces what the server has changed. What scripts and readers have changed stays. */
function replaceParts({ document, source, changes }: Shown, next: Document): void {
  const islands = [...source.querySelectorAll('astro-island')];
  changes.pause(() => {
    Idiomorph.morph(document.documentElement, next.documentElement, {
      head: { style: 'merge', shouldPreserve: changes.isAdded },
      callbacks: {
        beforeNodeMorphed: (old, node) =>
          old.nodeName !== 'ASTRO-ISLAND' || !islands.some((island) => island.isEqualNode(node)),
        beforeNodeRemoved: (node) => !changes.isAdded(node),
        beforeAttributeUpdated: (name, element) =>
          !name.startsWith(MARKS) && !changes.isChanged(element, name),
      },
    });
  });
}

import { type Answer, addressOf, readAnswer, type Term } from './answer.ts';
import { element, magnifier } from './dom.ts';
import { linkTo, resultPage } from './links.ts';
import {
  answerContent,
  failureContent,
  note,
  type PanelBox,
  type PanelContent,
  recentContent,
} from './panel.ts';
import { createRecent, type Recent } from './recent.ts';
import { ariaKey, isShortcut, keyName, shortcutKeys } from './shortcut.ts';
import { STYLES } from './styles.ts';
import { english, loadTexts, type Texts } from './texts.ts';

const TYPING_PAUSE_MS = 120;
/** An answer that takes longer is announced. */
const PATIENCE_MS = 400;
const DEFAULT_LIMIT = 8;
const DEFAULT_RECENT = 5;
const MAX_WORDS_LENGTH = 200;
/** Space between the box, its panel and the edges of the window, in pixels. */
const GAP = 6;
const PANEL_WIDTH = 620;
const MIN_PANEL_HEIGHT = 220;

// Astro renders pages without a DOM.
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

/**
 * `<jsonapi-search>`: a search field with results while typing, as an editable combobox with a listbox. The form between its
 * tags is shown without JavaScript, and its `action` is the page of all results.
 */
export abstract class SearchBox extends Base {
  #root: ShadowRoot | undefined;
  #input = element('input');
  #panel = element('div');
  #list = element('div');
  #status = element('p');
  #listeners: AbortController | undefined;
  #texts: Texts = english;
  #send: Promise<typeof fetch> | undefined;
  #recent: Recent | undefined;
  #timer = 0;
  #sent = 0;
  #request: AbortController | undefined;
  #chosen: readonly string[] = [];
  #terms: readonly Term[] = [];

  /** Returns what sends requests. It is called when the box gets the focus. */
  protected abstract loadFetch(base: string): Promise<typeof fetch>;
  /** The address of the API if the attribute `base` does not set it. */
  protected abstract readonly defaultBase: string;

  connectedCallback(): void {
    this.#root ??= this.#build();
    this.#recent = createRecent(
      `jsonapi-search ${this.#base}`,
      Number(this.getAttribute('recent') ?? DEFAULT_RECENT) || 0,
    );
    this.#listeners = new AbortController();
    const { signal } = this.#listeners;
    const input = this.#input;
    input.addEventListener('focus', () => this.#show(), { signal });
    input.addEventListener('input', () => this.#typed(), { signal });
    input.addEventListener('keydown', (event) => this.#key(event), { signal });
    input.addEventListener('click', () => this.#show(), { signal });
    input.form?.addEventListener('submit', (event) => void this.#submit(event), { signal });
    this.#panel.addEventListener('click', (event) => this.#clicked(event), { signal });
    this.#panel.addEventListener('keydown', (event) => this.#panelKey(event), { signal });
    this.#root.addEventListener('focusout', (event) => this.#left(event as FocusEvent), { signal });
    // A press in the panel keeps the focus in the input; buttons take it with the Tab key.
    this.#panel.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
    document.addEventListener('keydown', (event) => this.#shortcut(event), { signal });
    for (const event of ['scroll', 'resize']) {
      window.addEventListener(event, () => this.#place(), { signal, capture: true, passive: true });
    }
  }

  disconnectedCallback(): void {
    this.#listeners?.abort();
    this.#request?.abort();
    window.clearTimeout(this.#timer);
  }

  /** Moves the focus into the field, and opens the panel. */
  override focus(options?: FocusOptions): void {
    this.#input.focus(options);
    this.#show();
  }

  get #base(): string {
    return this.getAttribute('base') ?? this.defaultBase;
  }

  get #words(): string {
    return this.#input.value.trim();
  }

  get #form(): HTMLFormElement | null {
    return this.querySelector('form');
  }

  /** Types in the order of the attribute `groups`, with their labels. */
  get #groups(): ReadonlyMap<string, string> {
    const groups: unknown = JSON.parse(this.getAttribute('groups') ?? '{}');
    if (typeof groups !== 'object' || groups === null) return new Map();
    return new Map(
      Object.entries(groups).map(([name, label]) => [
        name.includes('--') ? name : `node--${name}`,
        String(label),
      ]),
    );
  }

  #build(): ShadowRoot {
    const root = this.attachShadow({ mode: 'open' });
    const styles = new CSSStyleSheet();
    styles.replaceSync(STYLES);
    root.adoptedStyleSheets = [styles];
    const plain = this.querySelector('input');
    const label = plain?.getAttribute('aria-label') ?? this.#box.text('label');
    const keys = shortcutKeys(this);
    this.#input = element('input', {
      part: 'input',
      type: 'search',
      role: 'combobox',
      name: plain?.name ?? 'q',
      'aria-label': label,
      placeholder: plain?.placeholder || label,
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-controls': 'list',
      'aria-keyshortcuts': keys.length > 0 && keys.map(ariaKey).join(' '),
      autocomplete: 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
      enterkeyhint: 'search',
      maxlength: String(MAX_WORDS_LENGTH),
    });
    this.#panel = element('div', { part: 'panel', class: 'panel', popover: 'manual' });
    this.#list = element('div', {
      id: 'list',
      part: 'list',
      role: 'listbox',
      'aria-label': label,
      hidden: true,
    });
    this.#panel.append(this.#list);
    this.#status = element('p', { class: 'status', role: 'status' });
    const [key] = keys;
    const hint =
      key === undefined ? [] : [element('kbd', { part: 'shortcut', 'aria-hidden': 'true' }, [keyName(key)])];
    const form = element('form', { role: 'search', part: 'form', class: hint.length > 0 && 'hinted' }, [
      magnifier(),
      this.#input,
      ...hint,
    ]);
    root.append(form, this.#panel, this.#status);
    // What the visitor has typed before the script has loaded.
    this.#input.value = plain?.value ?? '';
    if (plain !== null && plain === document.activeElement) this.#input.focus();
    return root;
  }

  /** Loads the texts of the page's language and, on a static site, the engine. */
  #prepare(): Promise<typeof fetch> {
    const language = this.closest('[lang]')?.getAttribute('lang') ?? 'en';
    this.#send ??= Promise.all([loadTexts(language), this.loadFetch(this.#base)]).then(([texts, send]) => {
      this.#texts = texts;
      return send;
    });
    const preparing = this.#send;
    preparing.catch(() => {
      this.#send = undefined;
    });
    return preparing;
  }

  #typed(): void {
    this.#select(undefined);
    window.clearTimeout(this.#timer);
    this.#request?.abort();
    this.#sent += 1;
    this.#chosen = [];
    this.#wait(isSearch(this.#words));
    if (isSearch(this.#words)) {
      this.#timer = window.setTimeout(() => void this.#search(), TYPING_PAUSE_MS);
      return;
    }
    this.#terms = [];
    this.#say('');
    this.#clear();
    this.#hide();
    this.#show();
  }

  /** Results of older words are shown until those of newer ones are there, and cannot be opened. */
  #wait(isWaiting: boolean): void {
    this.#panel.setAttribute('aria-busy', String(isWaiting));
    this.#list.inert = isWaiting;
  }

  async #search(): Promise<void> {
    const number = ++this.#sent;
    const words = this.#words;
    this.#request?.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    this.#wait(true);
    const slow = window.setTimeout(() => {
      const spoken = this.#box.text('searching');
      this.#say(spoken);
      if (this.#options.length === 0) this.#fillPanel({ above: [note(spoken)], options: [] });
    }, PATIENCE_MS);
    const facet = this.getAttribute('facet');
    const answer = await this.#ask(words, facet, signal).catch(() => undefined);
    window.clearTimeout(slow);
    // The answer to older words.
    if (number !== this.#sent) return;
    this.#wait(false);
    this.#select(undefined);
    if (answer !== undefined) this.#terms = answer.terms;
    const box = this.#box;
    this.#fillPanel(answer === undefined ? failureContent(box) : answerContent(answer, words, box));
  }

  async #ask(words: string, facet: string | null, signal: AbortSignal): Promise<Answer> {
    const send = await this.#prepare();
    const response = await send(
      addressOf({
        api: this.#base,
        index: this.getAttribute('index') ?? '_all',
        words,
        limit: Number(this.getAttribute('limit')) || DEFAULT_LIMIT,
        langcode: this.getAttribute('langcode'),
        types: [...this.#groups.keys()],
        facet,
        isReference: this.#terms.some(({ isReference }) => isReference),
        chosen: this.#chosen,
      }),
      { signal, headers: { accept: 'application/vnd.api+json' } },
    );
    if (!response.ok) throw new Error(`The search answered with status ${response.status}.`);
    return readAnswer(await response.json(), facet);
  }

  /** What the content of the panel needs. */
  get #box(): PanelBox {
    return {
      text: (name) => this.getAttribute(`text-${name}`) ?? this.#texts[name],
      number: (value) => this.#number(value),
      linkTo: (entry) => linkTo(entry, this),
      resultPage: (words) => resultPage(this.#form, this.#input.name, words),
      groups: this.#groups,
      facetLabel: this.getAttribute('facet-label'),
      chosen: this.#chosen,
    };
  }

  #fillPanel({ above, options, spoken }: PanelContent): void {
    const focused = this.#root?.activeElement;
    const term = focused instanceof HTMLElement ? focused.dataset.term : undefined;
    const hadFocus = this.#panel.contains(focused ?? null);
    // A focused button that is removed would close the panel.
    if (hadFocus) this.#input.focus();
    const list = this.#list;
    list.replaceChildren(...options);
    for (const [at, option] of this.#options.entries()) option.id = `option-${at}`;
    list.hidden = options.length === 0;
    this.#panel.replaceChildren(...above, list);
    if (hadFocus) {
      const buttons = [...this.#panel.querySelectorAll('button')];
      buttons.find(({ dataset }) => dataset.term === term && term !== undefined)?.focus();
    }
    list.scrollTop = 0;
    this.#show();
    if (spoken !== undefined) this.#say(spoken);
  }

  #clear(): void {
    this.#list.replaceChildren();
    this.#panel.replaceChildren(this.#list);
  }

  get #options(): readonly HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>('[role=option]')];
  }

  #show(): void {
    if (this.#root?.activeElement == null) return;
    const preparing = this.#prepare();
    if (this.#panel.matches(':popover-open')) {
      this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
      return;
    }
    if (this.#words === '' && this.#options.length === 0) {
      // Texts in the language of the page come first.
      void preparing.then(
        () => {
          const recent = this.#recent?.all() ?? [];
          const isEmpty = this.#words === '' && this.#options.length === 0;
          if (isEmpty && recent.length > 0) this.#fillPanel(recentContent(recent, this.#box));
        },
        () => undefined,
      );
      return;
    }
    if (this.#panel.textContent === '') return;
    this.#panel.showPopover();
    this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
    this.#place();
  }

  #hide(): void {
    this.#select(undefined);
    if (this.#panel.matches(':popover-open')) this.#panel.hidePopover();
    this.#input.setAttribute('aria-expanded', 'false');
  }

  /** Below the field, inside of the window, and as wide as the window allows. */
  #place(): void {
    if (!this.#panel.matches(':popover-open')) return;
    const field = this.#input.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    const room = clientWidth - 2 * GAP;
    const wanted =
      Number.parseFloat(getComputedStyle(this).getPropertyValue('--search-width')) || PANEL_WIDTH;
    const width = Math.min(room, Math.max(field.width, wanted));
    const isEnd = field.left + field.width / 2 > clientWidth / 2;
    const start = isEnd ? field.right - width : field.left;
    const left = Math.min(Math.max(start, GAP), clientWidth - GAP - width);
    const top = field.bottom + GAP;
    const height = window.visualViewport?.height ?? window.innerHeight;
    const { style } = this.#panel;
    style.left = `${left}px`;
    style.top = `${top}px`;
    style.width = `${width}px`;
    style.maxHeight = `${Math.max(height - top - 2 * GAP, MIN_PANEL_HEIGHT)}px`;
  }

  #select(option: HTMLElement | undefined): void {
    for (const each of this.#options) each.setAttribute('aria-selected', String(each === option));
    if (option === undefined) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
  }

  get #selected(): HTMLElement | undefined {
    return this.#options.find((option) => option.getAttribute('aria-selected') === 'true');
  }

  #key(event: KeyboardEvent): void {
    // Enter and arrows belong to the input method.
    if (event.isComposing) return;
    const isOpen = this.#panel.matches(':popover-open');
    const options = this.#options;
    const at = this.#selected === undefined ? -1 : options.indexOf(this.#selected);
    const last = options.length - 1;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault();
        if (!isOpen) this.#show();
        else if (this.#list.inert) return;
        else if (event.key === 'ArrowDown') this.#select(options[at === last ? 0 : at + 1]);
        else this.#select(options[at <= 0 ? last : at - 1]);
        return;
      case 'Home':
      case 'End':
        // Without an option, these keys move in the text.
        if (at === -1) return;
        event.preventDefault();
        this.#select(options[event.key === 'Home' ? 0 : last]);
        return;
      case 'Enter':
        if (at === -1) return;
        event.preventDefault();
        options[at]?.click();
        return;
      case 'Escape':
        if (!isOpen && this.#input.value === '') return;
        event.preventDefault();
        if (isOpen) this.#hide();
        else {
          this.#input.value = '';
          this.#typed();
        }
        return;
      default:
    }
  }

  #panelKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#input.focus();
    this.#hide();
  }

  #shortcut(event: KeyboardEvent): void {
    if (!isShortcut(event, shortcutKeys(this))) return;
    event.preventDefault();
    this.focus();
    this.#input.select();
  }

  #clicked(event: MouseEvent): void {
    const target =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option], button') : null;
    if (target === null) return;
    const { words, term, retry, clear } = target.dataset;
    if (words !== undefined) {
      this.#input.value = words;
      this.#typed();
      this.#input.focus();
    } else if (term !== undefined) {
      this.#chosen = this.#chosen.includes(term)
        ? this.#chosen.filter((each) => each !== term)
        : [...this.#chosen, term];
      void this.#search();
    } else if (retry !== undefined) void this.#search();
    else if (clear !== undefined) {
      this.#recent?.clear();
      this.#input.focus();
      this.#clear();
      this.#hide();
    } else {
      this.#recent?.add(this.#words);
      // The link may lead to another place of the same page.
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.#hide();
    }
  }

  /** Without a page of results, the first one opens. */
  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const words = this.#words;
    if (words === '') return;
    this.#recent?.add(words);
    const page = resultPage(this.#form, this.#input.name, words);
    if (page !== undefined) {
      location.assign(page);
      return;
    }
    window.clearTimeout(this.#timer);
    if (this.#list.inert) await this.#search();
    if (this.#list.inert || words !== this.#words) return;
    this.#options.find((option) => option.hasAttribute('href'))?.click();
  }

  #left({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof Node && this.#root?.contains(relatedTarget)) return;
    this.#hide();
  }

  #say(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #number(value: number): string {
    const language = this.closest('[lang]')?.getAttribute('lang') ?? 'en';
    return new Intl.NumberFormat(language).format(value);
  }
}

/** Two letters, or one of a script whose words can be one character. */
function isSearch(words: string): boolean {
  return /[\p{L}\p{N}]{2}|\p{Lo}/u.test(words);
}

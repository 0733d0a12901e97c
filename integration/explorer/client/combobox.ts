import { type Attributes, h } from './dom.ts';
import type { PathOption } from './field-paths.ts';

/** What a path input needs; called anew whenever it matters, so that it may change. */
export interface PathInput {
  readonly label: string;
  readonly value: string;
  /** Options for what is typed. Those that come late are shown unless something else was asked for since. */
  options(typed: string): readonly PathOption[] | Promise<readonly PathOption[]>;
  /** Whether a value is one name, not steps with dots between them. */
  readonly whole?: boolean;
  /** With every keystroke and choice. */
  onchange(path: string): void;
  readonly attributes: Attributes;
}

let listNumber = 0;

/**
 * A text input with a list of paths under it. A path that opens further ones is chosen by steps: its fields
 * are listed when it is. Keys as in the ARIA combobox pattern: Down and Up walk, Enter and Tab choose, Right
 * opens, Escape closes.
 */
export function pathInput(options: PathInput): HTMLElement {
  const listId = `paths-${++listNumber}`;
  let shown: readonly PathOption[] = [];
  let active = -1;
  let typed = false;
  let asking = 0;

  const input = h('input', {
    type: 'text',
    role: 'combobox',
    class: 'path',
    'aria-label': options.label,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: 'field',
    value: options.value,
    onclick: () => open(),
    oninput: () => {
      typed = true;
      options.onchange(input.value);
      open();
    },
    onkeydown: (event) => {
      if (event instanceof KeyboardEvent) onKey(event);
    },
    onblur: () => close(),
    ...options.attributes,
  });
  // A pointer on the list must not take the focus from the input, or the list would close first.
  const list = h('ul', {
    id: listId,
    role: 'listbox',
    // A list that scrolls would be a stop of the Tab key of its own.
    tabindex: '-1',
    class: 'options',
    'aria-label': options.label,
    hidden: true,
    onmousedown: (event) => event.preventDefault(),
  });
  return h('div', { class: 'combobox' }, input, list);

  /** Until something is typed, the list offers everything beside the chosen path, not only the path itself. */
  function open(): void {
    const opened = options.whole === true ? 0 : input.value.lastIndexOf('.') + 1;
    const found = options.options(typed ? input.value : input.value.slice(0, opened));
    const number = ++asking;
    if (!(found instanceof Promise)) offer(found);
    else {
      void found.then((late) => {
        if (number === asking) offer(late);
      });
    }
  }

  function offer(found: readonly PathOption[]): void {
    shown = found;
    active = shown.findIndex((option) => option.path === input.value);
    if (active < 0 && typed && input.value !== '' && shown.length > 0) active = 0;
    draw();
  }

  function close(): void {
    asking++;
    shown = [];
    active = -1;
    typed = false;
    draw();
  }

  function choose(option: PathOption): void {
    input.value = option.path;
    options.onchange(option.path);
    typed = false;
    if (option.opens) open();
    else close();
  }

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const option = shown[active];
    const isOpen = shown.length > 0;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        event.preventDefault();
        if (!isOpen) {
          open();
          return;
        }
        const by = event.key === 'ArrowDown' ? 1 : -1;
        active = active < 0 && by < 0 ? shown.length - 1 : (active + by + shown.length) % shown.length;
        draw();
        return;
      }
      case 'Enter':
        if (option !== undefined) {
          event.preventDefault();
          choose(option);
        }
        return;
      case 'Tab':
        if (option !== undefined && option.path !== input.value && !event.shiftKey) {
          if (option.opens) event.preventDefault();
          choose(option);
        }
        return;
      case 'ArrowRight': {
        const opening = shown.find(
          (other) => other.opens && other.path === `${option?.path.replace(/\.$/, '')}.`,
        );
        if (opening !== undefined && input.selectionStart === input.value.length) {
          event.preventDefault();
          choose(opening);
        }
        return;
      }
      case 'Escape':
        if (isOpen) {
          event.preventDefault();
          event.stopPropagation();
          close();
        }
    }
  }

  function draw(): void {
    const isOpen = shown.length > 0;
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
    list.replaceChildren(
      ...shown.map((option, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${listId}-${index}`,
            'aria-selected': String(index === active),
            onclick: () => choose(option),
          },
          h('span', { class: 'option-name' }, option.name),
          h('span', { class: 'option-hint' }, option.opens ? 'open ›' : option.hint),
        ),
      ),
    );
    if (active < 0) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', `${listId}-${active}`);
      list.children[active]?.scrollIntoView({ block: 'nearest' });
    }
  }
}

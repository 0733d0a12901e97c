/** Attributes by name; `on…` functions listen, `false` and undefined leave an attribute out. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | ((event: Event) => void) | undefined;
}

export type Child = Node | string | null | undefined;

/** An element with attributes and children. Texts become text nodes: nothing is ever parsed as HTML. */
export function h<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** A button that does not submit. `label` is read out where the text alone says too little. */
export function button(text: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', onclick, ...attributes }, text);
}

/** A small button with a sign for a text; `label` names it. */
export function iconButton(
  sign: string,
  label: string,
  onclick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const face = h('span', { 'aria-hidden': 'true' }, sign);
  return h(
    'button',
    { type: 'button', class: 'icon', 'aria-label': label, title: label, onclick, ...attributes },
    face,
  );
}

export function select(
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onchange: (value: string) => void,
  attributes: Attributes = {},
): HTMLSelectElement {
  const element = h(
    'select',
    { onchange: () => onchange(element.value), ...attributes },
    ...options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
  return element;
}

export function replaceChildren(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/** The element of the page with this id; the page is made together with this script, so it is there. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element "${id}".`);
  return element;
}

/** Copies a text and says so on the button for a moment. */
export async function copyText(text: string, from: HTMLElement): Promise<void> {
  const before = from.textContent;
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = 'Copied';
  } catch {
    from.textContent = 'Not allowed';
  }
  setTimeout(() => {
    from.textContent = before;
  }, 1500);
}

import type { Field } from '../../api/schema.ts';
import type { Editor } from '../edit/editor.svelte.ts';
import { MARKS } from './frame.ts';
import { cursorIn } from './input-places.ts';
import { elementsOf, markedElements, type Place, placesIn } from './places.ts';

const HOVER = `${MARKS}hover`;
const FOCUS = `${MARKS}focus`;
/** The page of the site has colors of its own. */
const STYLE = `
[${HOVER}] { outline: 2px dashed #3b6fd4 !important; outline-offset: 3px !important; cursor: text !important; }
[${FOCUS}] { outline: 2px solid #3b6fd4 !important; outline-offset: 3px !important; }
`;

/** Marks the elements of a page that show texts of the form. */
export function createMarks(editor: Editor, document: () => Document | undefined) {
  let places: readonly Place[] = [];
  let elements: ReadonlyMap<Element, Place> = new Map();
  let focused = '';
  const styled = new WeakSet<Document>();

  /** Also while the page is still loading. */
  function placeOf(element: Element | undefined): Place | undefined {
    update();
    return placedAt(element)?.[1];
  }

  function placedAt(element: Element | undefined): readonly [Element, Place] | undefined {
    for (let each: Element | null = element ?? null; each !== null; each = each.parentElement) {
      const place = elements.get(each);
      if (place !== undefined) return [each, place];
    }
    return undefined;
  }

  function mark(attribute: string, marked: readonly Element[]): void {
    for (const each of document()?.querySelectorAll(`[${attribute}]`) ?? []) {
      if (!marked.includes(each)) each.removeAttribute(attribute);
    }
    for (const each of marked) each.setAttribute(attribute, '');
  }

  /** Marks what shows the input with this id: of a long text, the paragraph with the cursor. */
  async function focus(id: string): Promise<void> {
    focused = id;
    const own = places.filter((place) => place.id === id);
    const cursor = own.length > 1 ? await cursorIn(id) : Number.POSITIVE_INFINITY;
    if (focused !== id) return;
    const current = own.findLast(({ from }) => from <= cursor);
    const shown = [...elements].filter(([, { id: of, from }]) => of === id && from === current?.from);
    mark(
      FOCUS,
      shown.map(([element]) => element),
    );
  }

  /** To be called when the page shows the values of the form. */
  function update(): void {
    const page = document();
    if (page?.defaultView == null || page.body === null) return;
    const { title, body, own } = editor.layout;
    const fields = [title, body, ...own].filter((field): field is Field => field !== undefined);
    const texts = placesIn(fields, editor.values, (field) => editor.idOf(field));
    const { bundle, id } = editor.target;
    const marked = markedElements(page.body, { type: bundle.name, id }, fields, (field) =>
      editor.idOf(field),
    );
    places = [...texts.values(), ...marked.values()];
    elements = new Map([...elementsOf(page.body, texts), ...marked]);
    if (!styled.has(page)) {
      const sheet = new page.defaultView.CSSStyleSheet();
      sheet.replaceSync(STYLE);
      page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
      styled.add(page);
    }
    void focus(focused);
  }

  return {
    placeOf,
    focus,
    hover(element: Element | undefined): void {
      const placed = placedAt(element);
      mark(HOVER, placed ? [placed[0]] : []);
    },
    update,
  };
}

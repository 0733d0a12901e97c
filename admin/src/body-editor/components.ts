import type { Completion } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view';
import { mount, unmount } from 'svelte';
import { readMarkup, type SiteComponent } from '../api/markup.ts';
import { markupText } from '../texts/markup.ts';
import { insertBlock } from './commands.ts';
import { componentNamed, importComponent } from './component-imports.ts';
import {
  type ComponentTag,
  componentTagAt,
  type PropValue,
  propChanges,
  writeProp,
} from './component-tags.ts';
import { sourceView } from './nodes.ts';
import { inPlace } from './slash-menu.ts';
import { element } from './widgets.ts';

/** Inserts a component after the current block, and imports it if the text does not do so yet. */
export function insertComponent(
  { state }: Pick<EditorView, 'state'>,
  component: SiteComponent,
  values: Readonly<Record<string, PropValue | undefined>>,
) {
  const { name, change } = importComponent(state.doc.toString(), component);
  const props = Object.entries(values).flatMap(([prop, value]) =>
    value === undefined ? [] : ` ${writeProp(prop, value)}`,
  );
  const opening = `<${name}${props.join('')}`;
  const block = component.content ? `${opening}>\n\n\n\n</${name}>` : `${opening} />`;
  const at = component.content ? opening.length + 3 : block.length;
  const changes = state.changes(change ?? []);
  const imported = state.update({
    changes,
    selection: { anchor: changes.mapPos(state.selection.main.to, 1) },
  });
  let inserted = imported;
  insertBlock(block, { from: at, to: at })({
    state: imported.state,
    dispatch: (transaction) => {
      inserted = transaction;
    },
  });
  return {
    changes: changes.compose(inserted.changes),
    selection: inserted.newSelection,
    scrollIntoView: true,
    userEvent: 'input.format',
  };
}

/** Opens the form for a new component, or inserts it at once if there is nothing to fill in. */
export function addComponent(view: EditorView, component: SiteComponent): void {
  if (component.props.length > 0) void openForm(view, component, undefined);
  else view.dispatch(insertComponent(view, component, {}));
}

/** A choice of the slash menu for each component of the site. */
export async function componentChoices(): Promise<readonly Completion[]> {
  const { components: known } = await readMarkup();
  return known.map((component, at) => ({
    label: `${component.name} ${markupText('component.kind')}`,
    displayLabel: component.name,
    detail: markupText('component.kind'),
    boost: -50 - Math.min(at, 49),
    apply: inPlace((view) => addComponent(view, component)),
  }));
}

/** Shows a card for each component of the text. It opens the form for its properties. */
export const components = [
  ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update(update) {
        const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        const isSame = !update.docChanged && !update.viewportChanged && !update.selectionSet && !isParsed;
        const isReconfigured = update.transactions.some(({ reconfigured }) => reconfigured);
        if (!isSame || update.focusChanged || isReconfigured) this.decorations = decorate(update.view);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.theme({
    '.md-component': {
      display: 'inline-flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: '4px 12px',
      maxWidth: '100%',
      margin: '2px 0',
      padding: '6px 10px',
      border: '1px solid var(--line)',
      borderRadius: '8px',
      background: 'var(--sunk)',
      color: 'var(--muted)',
      font: '14px var(--sans)',
      verticalAlign: 'middle',
      overflowWrap: 'anywhere',
    },
    '.md-component b': { color: 'var(--ink)', fontWeight: '650' },
    '.md-component button': { minHeight: '28px', padding: '0 8px' },
  }),
];

/** The tags that open components in a part of a text. */
export function componentTagsIn(
  state: EditorState,
  from = 0,
  to = state.doc.length,
): readonly ComponentTag[] {
  const text = state.sliceDoc(from, Math.min(state.doc.length, to + MAX_UNITS));
  return [...text.slice(0, to - from).matchAll(/<[A-Z]/g)].flatMap(({ index }) => {
    const { name } = syntaxTree(state).resolveInner(from + index, 1);
    const tag = /Code|Comment/.test(name) ? undefined : componentTagAt(text, index);
    return tag === undefined ? [] : shift(tag, from);
  });
}

/** Of a tag that begins before the end of the visible part. */
const MAX_UNITS = 10_000;
const MAX_SHOWN_PROPS = 3;

function shift({ attributes, ...tag }: ComponentTag, by: number): ComponentTag {
  return {
    ...tag,
    from: tag.from + by,
    to: tag.to + by,
    nameEnd: tag.nameEnd + by,
    attributes: attributes.map((each) => ({
      ...each,
      from: each.from + by,
      start: each.start + by,
      to: each.to + by,
    })),
  };
}

function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  if (state.facet(sourceView)) return Decoration.none;
  const { main } = state.selection;
  const ranges = view.visibleRanges.flatMap(({ from, to }) =>
    componentTagsIn(state, from, to).map((tag): Range<Decoration> => {
      const isTouched = view.hasFocus && main.from <= tag.to && main.to >= tag.from;
      const isLine = state.doc.lineAt(tag.from).to >= tag.to;
      const isInPlace = isLine && !isTouched;
      const widget = new ComponentWidget(tag, isInPlace, state.readOnly);
      return isInPlace
        ? Decoration.replace({ widget }).range(tag.from, tag.to)
        : Decoration.widget({ widget, side: 1 }).range(tag.to);
    }),
  );
  return Decoration.set(ranges, true);
}

class ComponentWidget extends WidgetType {
  readonly tag: ComponentTag;
  /** True if it stands in place of the tag, false if behind it. */
  readonly isInPlace: boolean;
  readonly isReadOnly: boolean;
  readonly title: string;

  constructor(tag: ComponentTag, isInPlace: boolean, isReadOnly: boolean) {
    super();
    this.tag = tag;
    this.isInPlace = isInPlace;
    this.isReadOnly = isReadOnly;
    this.title = tag.attributes
      .filter(({ value }) => value !== undefined && value !== '')
      .slice(0, MAX_SHOWN_PROPS)
      .map(({ name, value }) => (value === true ? name : `${name}: ${value}`))
      .join(' · ');
  }
  override eq({ tag, title, isInPlace, isReadOnly }: ComponentWidget): boolean {
    return (
      tag.name === this.tag.name &&
      title === this.title &&
      isInPlace === this.isInPlace &&
      isReadOnly === this.isReadOnly
    );
  }
  override toDOM(view: EditorView): HTMLElement {
    const card = element('span', { class: 'md-component' });
    card.append(element('b', {}, this.tag.name));
    if (this.title !== '') card.append(element('span', {}, this.title));
    if (this.isReadOnly) return card;
    const label = markupText('component.edit', { name: this.tag.name });
    const button = element('button', { type: 'button' }, label);
    button.addEventListener('click', () => {
      const at = view.posAtDOM(card);
      const line = view.state.doc.lineAt(at);
      const start = Math.max(0, line.from - MAX_UNITS);
      const tag = componentTagsIn(view.state, start, line.to).find(({ from, to }) =>
        this.isInPlace ? from === at : to === at,
      );
      if (tag !== undefined) void editComponent(view, tag);
    });
    card.append(button);
    return card;
  }
}

/** The same key as in tables. */
export const componentKey: KeyBinding = {
  key: 'Alt-F10',
  run(view) {
    const { head } = view.state.selection.main;
    const tag = componentTagsIn(view.state, Math.max(0, head - MAX_UNITS), head).findLast(
      ({ from, to }) => from <= head && to >= head,
    );
    if (tag === undefined || view.state.readOnly) return false;
    void editComponent(view, tag);
    return true;
  },
};

export const componentKeys = keymap.of([componentKey]);

async function editComponent(view: EditorView, tag: ComponentTag): Promise<void> {
  const known = (await readMarkup()).components;
  await openForm(view, componentNamed(view.state.doc.toString(), tag.name, known), tag);
}

async function openForm(
  view: EditorView,
  component: SiteComponent | undefined,
  tag: ComponentTag | undefined,
): Promise<void> {
  const { default: ComponentDialog } = await import('../components/ComponentDialog.svelte');
  const dialog = mount(ComponentDialog, {
    target: document.body,
    props: {
      component,
      tag,
      onapply: (values) => apply(view, component, tag, values),
      onclosed() {
        view.focus();
        void unmount(dialog);
      },
    },
  });
}

/** Returns false if the text no longer has the tag. */
function apply(
  view: EditorView,
  component: SiteComponent | undefined,
  tag: ComponentTag | undefined,
  values: Readonly<Record<string, PropValue | undefined>>,
): boolean {
  if (tag === undefined) {
    if (component !== undefined) view.dispatch(insertComponent(view, component, values));
    return true;
  }
  const present = componentTagsIn(view.state, tag.from, Math.min(tag.to, view.state.doc.length))[0];
  if (present?.from !== tag.from || present.name !== tag.name) return false;
  view.dispatch({ changes: propChanges(present, values), userEvent: 'input.format' });
  return true;
}

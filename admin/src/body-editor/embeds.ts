import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from '@codemirror/view';
import { embedText } from '../texts/embeds.ts';
import { toolsText } from '../texts/tools.ts';
import { cardIn, cardMarkup, type Embed, mediaIn, mediaMarkup } from './media.ts';
import { MediaWidget } from './media-widget.ts';
import { sourceView, textPlace } from './nodes.ts';
import { EMBED_EVENT, element } from './widgets.ts';

/** What to insert into a text, or to change there. */
export interface EmbedRequest {
  readonly kind: Embed['kind'];
  /** What the text has at `from` to `to`. */
  readonly present?: { readonly embed: Embed; readonly from: number; readonly to: number };
}

/** Opens the dialog of the text. */
export function requestEmbed(view: EditorView, detail: EmbedRequest): void {
  view.dom.dispatchEvent(new CustomEvent(EMBED_EVENT, { detail, bubbles: true }));
}

export interface Video {
  readonly host: 'YouTube' | 'Vimeo';
  readonly id: string;
}

/** The video at an address of YouTube or Vimeo. */
export function videoAt(address: string): Video | undefined {
  if (!/^https?:\/\/\S+$/.test(address) || !URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams } = new URL(address);
  const host = hostname.replace(/^(?:www|m|player)\./, '');
  const [first = '', second = ''] = pathname.split('/').filter(Boolean);
  if (host === 'vimeo.com') {
    const id = first === 'video' ? second : first;
    return /^\d{1,20}$/.test(id) ? { host: 'Vimeo', id } : undefined;
  }
  const isYouTube = host === 'youtube.com' || host === 'youtube-nocookie.com';
  const inPath = ['embed', 'shorts', 'live'].includes(first) ? second : '';
  const id = host === 'youtu.be' ? first : isYouTube ? (searchParams.get('v') ?? inPath) : '';
  return /^[\w-]{6,20}$/.test(id) ? { host: 'YouTube', id } : undefined;
}

/** Shows videos, sounds and cards of links on lines of their own. Nothing is loaded from other sites. */
export const embeds = [
  ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update({ docChanged, viewportChanged, selectionSet, focusChanged, state, startState, ...others }) {
        const isParsed = syntaxTree(state) !== syntaxTree(startState);
        const isReconfigured = others.transactions.some(({ reconfigured }) => reconfigured);
        const isMoved = viewportChanged || selectionSet || focusChanged;
        if (docChanged || isMoved || isParsed || isReconfigured) this.decorations = decorate(others.view);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.theme({
    '.md-video': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: '4px 12px',
      width: 'fit-content',
      maxWidth: '100%',
      padding: '10px 14px',
      border: '1px solid var(--line)',
      borderRadius: '8px',
      background: 'var(--sunk)',
      color: 'var(--ink)',
      fontSize: '14px',
    },
    '.md-video a': { color: 'var(--accent)' },
    '.md-media': { display: 'inline-grid', gap: '6px', justifyItems: 'start', width: '100%' },
    '.md-media :is(video, audio)': { display: 'block', maxWidth: '100%', borderRadius: '8px' },
    // Else it has the size of its poster until it is played.
    '.md-media video': { width: 'min(100%, 640px)', maxHeight: '360px', background: 'var(--sunk)' },
    '.md-card': {
      border: '1px solid var(--line)',
      borderRadius: '8px',
      background: 'var(--sunk)',
      padding: '10px 14px !important',
    },
    '.md-card .md-image img': { maxHeight: '96px' },
    '.md-embed-edit': { marginInlineStart: '12px' },
  }),
];

function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  if (state.facet(sourceView)) return Decoration.none;
  const ranges: Range<Decoration>[] = [];
  for (const range of view.visibleRanges) {
    syntaxTree(state).iterate({
      ...range,
      enter({ name, from, to }) {
        if (name !== 'Paragraph') return;
        const line = state.doc.lineAt(from);
        if (to > line.to) return false;
        const written = state.sliceDoc(from, to);
        const media = mediaIn(written);
        const embed = media ?? cardIn(written);
        if (embed !== undefined) {
          const isTouched =
            view.hasFocus && state.selection.ranges.some((each) => each.from <= to && each.to >= from);
          const markup = embed.kind === 'card' ? cardMarkup(embed) : mediaMarkup(embed);
          // Markup with more than the dialog supports is edited as text.
          const isEditable = !state.readOnly && markup === written;
          if (media === undefined) ranges.push(Decoration.line({ class: 'md-card' }).range(line.from));
          else {
            const fileUrls = state.facet(textPlace)?.fileUrls ?? (() => []);
            const widget = new MediaWidget(
              media,
              fileUrls(media.src),
              media.poster === '' ? [] : fileUrls(media.poster),
            );
            ranges.push(
              isTouched
                ? Decoration.widget({ widget, side: 1 }).range(to)
                : Decoration.replace({ widget }).range(from, to),
            );
          }
          if (isEditable)
            ranges.push(Decoration.widget({ widget: new EditWidget(embed), side: 2 }).range(to));
          return false;
        }
        const video = videoIn(state, from, to);
        if (video !== undefined) {
          const widget = new VideoWidget(video.host, video.address);
          ranges.push(Decoration.widget({ widget, side: 1 }).range(line.to));
        }
        return false;
      },
    });
  }
  return Decoration.set(ranges, true);
}

function videoIn(state: EditorState, from: number, to: number) {
  const address = state
    .sliceDoc(from, to)
    .trim()
    .replace(/^<(\S*)>$/, '$1');
  const video = videoAt(address);
  return video && { ...video, address };
}

/** A button that opens the dialog of a video, a sound or a card. */
class EditWidget extends WidgetType {
  readonly embed: Embed;

  constructor(embed: Embed) {
    super();
    this.embed = embed;
  }
  override eq({ embed }: EditWidget): boolean {
    return JSON.stringify(embed) === JSON.stringify(this.embed);
  }
  override toDOM(view: EditorView): HTMLElement {
    const { embed } = this;
    const name = embed.kind === 'card' ? embed.title : embed.label;
    const button = element('button', { type: 'button', class: 'md-embed-edit small' }, embedText('edit'));
    button.append(element('span', { class: 'hidden' }, ` ${name}`));
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => {
      const { from, to } = view.state.doc.lineAt(view.posAtDOM(button));
      const line = view.state.sliceDoc(from, to);
      const markup = embed.kind === 'card' ? cardMarkup(embed) : mediaMarkup(embed);
      const start = from + line.lastIndexOf(markup);
      if (start >= from)
        requestEmbed(view, { kind: embed.kind, present: { embed, from: start, to: start + markup.length } });
    });
    return button;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

class VideoWidget extends WidgetType {
  readonly host: string;
  readonly address: string;

  constructor(host: string, address: string) {
    super();
    this.host = host;
    this.address = address;
  }
  override eq({ address }: VideoWidget): boolean {
    return address === this.address;
  }
  override toDOM(): HTMLElement {
    const card = element('span', { class: 'md-video' });
    card.append(
      element('span', {}, `▶ ${toolsText('body.videoOn', { host: this.host })}`),
      element(
        'a',
        { href: this.address, target: '_blank', rel: 'noopener noreferrer' },
        toolsText('body.openVideo'),
      ),
    );
    return card;
  }
}

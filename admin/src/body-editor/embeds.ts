import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from '@codemirror/view';
import { toolsText } from '../texts/tools.ts';
import { sourceView } from './nodes.ts';
import { element } from './widgets.ts';

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

/** Shows a card at an address of a video on a line of its own, which loads nothing. */
export const embeds = [
  ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update({ docChanged, viewportChanged, state, startState, transactions, view: present }) {
        const isParsed = syntaxTree(state) !== syntaxTree(startState);
        const isReconfigured = transactions.some(({ reconfigured }) => reconfigured);
        if (docChanged || viewportChanged || isParsed || isReconfigured) this.decorations = decorate(present);
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
        const video = to > line.to ? undefined : videoIn(state, from, to);
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

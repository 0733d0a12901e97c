import { type EditorView, WidgetType } from '@codemirror/view';
import { embedText } from '../texts/embeds.ts';
import { text } from '../texts/texts.ts';
import type { Media } from './media.ts';
import { element } from './widgets.ts';

/** A player, or a link to a file of another site, from which nothing is loaded. */
export class MediaWidget extends WidgetType {
  readonly media: Media;
  readonly urls: readonly string[];
  readonly posters: readonly string[];

  constructor(media: Media, urls: readonly string[], posters: readonly string[]) {
    super();
    this.media = media;
    this.urls = urls;
    this.posters = posters;
  }

  override eq(other: MediaWidget): boolean {
    const parts = ({ media, urls, posters }: MediaWidget) => JSON.stringify([media, urls, posters]);
    return parts(other) === parts(this);
  }

  override toDOM(view: EditorView): HTMLElement {
    const { kind, label, src } = this.media;
    const frame = element('span', { class: 'md-media' });
    const [first = ''] = this.urls;
    if (!isOwn(first)) {
      const card = element('span', { class: 'md-video' });
      card.append(
        element('span', {}, `▶ ${label || src} · ${embedText('elsewhere', { host: hostOf(src) })}`),
      );
      frame.append(card);
      return frame;
    }
    const show = ([url, ...others]: readonly string[]): void => {
      if (url === undefined) {
        frame.replaceChildren(
          element('span', { class: 'md-missing' }, text('body.noPreview', { image: src })),
        );
        return;
      }
      const player = element(kind, { src: url, 'aria-label': label || src, preload: 'metadata' });
      player.controls = true;
      player.addEventListener('loadedmetadata', () => view.requestMeasure());
      player.addEventListener('error', () => {
        show(others);
        view.requestMeasure();
      });
      if (player instanceof HTMLVideoElement) showPoster(player, this.posters.filter(isOwn));
      frame.replaceChildren(player);
    };
    show(this.urls.filter(isOwn));
    return frame;
  }

  /** The player has the keys and clicks. */
  override ignoreEvent(): boolean {
    return true;
  }
}

/** The first picture that exists. */
function showPoster(video: HTMLVideoElement, urls: readonly string[]): void {
  const [url, ...others] = urls;
  if (url === undefined) return;
  const picture = new Image();
  picture.addEventListener('load', () => (video.poster = url));
  picture.addEventListener('error', () => showPoster(video, others));
  picture.src = url;
}

/** True for an address of this site, or of a file that was uploaded just now. */
function isOwn(url: string): boolean {
  return URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
}

function hostOf(address: string): string {
  return URL.canParse(address, location.href) ? new URL(address, location.href).host : address;
}

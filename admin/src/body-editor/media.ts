import { decodeEntities, readMediaTag } from '../../../integration/core/source/image-tag.ts';
import { destinationOf, escapeLabel } from './nodes.ts';

/** A video or a sound of the text. */
export interface Media {
  readonly kind: 'video' | 'audio';
  /** As the text names it. */
  readonly src: string;
  /** The picture before the video starts; empty without one. */
  readonly poster: string;
  /** A description, for people who cannot see or hear it. */
  readonly label: string;
}

/** A link that is shown as a card, with a picture of the site. */
export interface LinkCard {
  readonly kind: 'card';
  readonly address: string;
  readonly title: string;
  readonly description: string;
  /** Empty without one. */
  readonly picture: string;
}

export type Embed = Media | LinkCard;

/** HTML that needs no script. With a poster, nothing is loaded before someone plays the video. */
export function mediaMarkup({ kind, src, poster, label }: Media): string {
  const written = { src, ...(poster !== '' && { poster }) };
  const attributes = Object.entries(written).map(([name, value]) => `${name}="${inQuotes(value)}"`);
  const preload = poster === '' ? 'metadata' : 'none';
  return `<${kind} ${attributes.join(' ')} controls preload="${preload}" aria-label="${inQuotes(oneLine(label))}"></${kind}>`;
}

/** The video or sound that a line consists of. */
export function mediaIn(line: string): Media | undefined {
  const [, kind] = MEDIA.exec(line) ?? [];
  const end = readMediaTag(line, 0)?.end;
  if ((kind !== 'video' && kind !== 'audio') || end === undefined) return undefined;
  // Another element may follow the first.
  if (line.indexOf(`</${kind}>`, end) !== line.length - `</${kind}>`.length) return undefined;
  const attribute = (name: string, at = 0) =>
    decodeEntities((at === -1 ? undefined : readMediaTag(line, at)?.attributes.get(name)?.source) ?? '');
  const src = attribute('src') || attribute('src', line.search(/<source\s/));
  if (src === '') return undefined;
  return { kind, src, poster: attribute('poster'), label: attribute('aria-label') };
}

const MEDIA = /^<(video|audio)\s.*<\/(?:video|audio)>$/;

/** A link whose text is a picture, a title in bold and a description: all of it optional but the title. */
export function cardMarkup({ address, title, description, picture }: LinkCard): string {
  const image = picture === '' ? '' : `![](${destinationOf(picture)}) `;
  const text = description.trim() === '' ? '' : ` ${escapeText(description)}`;
  return `[${image}**${escapeText(title)}**${text}](${destinationOf(address)})`;
}

/** The card that a line consists of. */
export function cardIn(line: string): LinkCard | undefined {
  const [, picture = '', title, description = '', address] = CARD.exec(line) ?? [];
  if (title === undefined || address === undefined) return undefined;
  return {
    kind: 'card',
    address: destination(address),
    title: unescaped(title),
    description: unescaped(description),
    picture: destination(picture),
  };
}

/** True for an address that a card can lead to: a page of the web, or a path of the site. */
export function isCardAddress(address: string): boolean {
  if (/^\/(?![/\\])\S*$/.test(address)) return true;
  return /^https?:\/\/\S+$/i.test(address) && URL.canParse(address);
}

const CARD =
  /^\[(?:!\[\]\((<[^<>]*>|[^\s()<>]+)\) )?\*\*((?:\\.|[^\\*[\]])+)\*\*(?: ((?:\\.|[^\\[\]])+))?\]\((<[^<>]*>|[^\s()<>]+)\)$/;

function destination(written: string): string {
  return written.replace(/^<(.*)>$/, '$1');
}

/** Braces are code in MDX. */
function escapeText(text: string): string {
  return escapeLabel(text).replace(/[{}]/g, '\\$&');
}

function unescaped(text: string): string {
  return text.replace(/\\([\\[\]*_`<{}])/g, '$1');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function inQuotes(value: string): string {
  return value.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

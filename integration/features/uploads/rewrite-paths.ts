import { locationsOf, urlOf, writtenAs } from '../../core/content/file-location.ts';
import { scanBody } from '../../core/source/body-images.ts';
import { lastSegment } from '../../core/storage/key.ts';
import { decodeUri } from '../../core/util/text.ts';

/** New keys of files by their old ones. */
export type Moves = ReadonlyMap<string, string>;

/** A text with the paths of moved files. `from` is the file that has the text, and `base` the path of the site. */
export interface PathText {
  readonly from: string;
  readonly base: string;
  /** True for Markdown, in which an address with spaces or brackets is encoded. */
  readonly isBody: boolean;
}

/** Finds the paths of moved files in texts. */
export interface PathRewriter {
  /** The text with the new paths. Everything else stays, byte for byte. */
  rewrite(text: string, place: PathText): string;
}

/**
 * Paths are found by the names of the files, in places for paths: a whole value of frontmatter, the address of a link or an
 * image, and a quoted attribute or import. Names in sentences stay, and paths that lead to another file with the same name.
 */
export function createPathRewriter(moves: Moves): PathRewriter {
  const names = new Set([...moves.keys()].map(lastSegment));
  // A path ends with a name, so a name with spaces or brackets has to be looked for.
  const unusual = [...names]
    .filter((name) => !USUAL.test(name))
    .flatMap((name) => [...new Set([name, encodeURI(name), encodeURIComponent(name)])]);

  /** Where names of moved files are in a text, in order. */
  function placesIn(text: string): readonly Place[] {
    const places: Place[] = [];
    for (const { 0: name, index: start } of text.matchAll(NAME)) {
      if (names.has(name) || names.has(decodeUri(name))) places.push({ start, end: start + name.length });
    }
    for (const name of unusual) {
      for (let start = text.indexOf(name); start !== -1; start = text.indexOf(name, start + name.length)) {
        places.push({ start, end: start + name.length });
      }
    }
    return places.sort((one, other) => one.start - other.start);
  }

  return {
    rewrite(text, place) {
      const places = placesIn(text);
      if (places.length === 0) return text;
      const addresses = place.isBody ? addressesIn(text) : undefined;
      let result = '';
      let done = 0;
      for (const { start: name, end } of places) {
        if (name < done) continue;
        for (const start of startsOf(text, name, done)) {
          const isPath = addresses
            ? addresses.has(start) || isAttribute(text, start, end)
            : isValue(text, start, end);
          if (!isPath) continue;
          const next = movedPath(text.slice(start, end), place, moves);
          if (next === undefined) continue;
          result += text.slice(done, start) + next;
          done = end;
          break;
        }
      }
      return result + text.slice(done);
    },
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The last segment of a path, except in unusual names. */
const NAME = /[^\s/"'`()<>[\]{}|,;=:!?#\\]{1,255}/g;
const USUAL = /^[^\s/"'`()<>[\]{}|,;=:!?#\\]{1,255}$/;
/** Before a path in Markdown, HTML and code. */
const DELIMITER = /[\s"'`()<>[\]{}|,;=]/;
/** Before a path with spaces. */
const QUOTE = /["'`<\n]/;
/** Characters. */
const MAX_PATH = 1000;

/** Where addresses of images and links start in Markdown. */
function addressesIn(body: string): ReadonlySet<number> {
  const { images, links } = scanBody(body);
  return new Set([...images, ...links].map(({ offset }) => offset));
}

/** True for a quoted text of HTML or code, but not for one that describes an image. */
function isAttribute(text: string, start: number, end: number): boolean {
  const quote = text.charAt(start - 1);
  if (!/["'`]/.test(quote) || QUOTE_AFTER.exec(text.slice(end, end + MAX_PATH))?.[1] !== quote) return false;
  const mark = beforeSpaces(text, text.charAt(start - 2) === '{' ? start - 2 : start - 1);
  const before = text.slice(Math.max(0, mark - 10), mark);
  return /[=([{,:]$|\b(?:from|import)$/.test(before) && !/\b(?:alt|title)=$/i.test(before);
}

/** True for a whole value of frontmatter, with or without quotes. */
function isValue(text: string, start: number, end: number): boolean {
  const own = /["']/.test(text.charAt(start - 1)) ? start - 1 : start;
  const mark = beforeSpaces(text, own);
  const isAssigned = text.charAt(mark - 1) === '=' && mark < start;
  return (
    (mark === 0 || isAssigned || /[\n:,[{-]/.test(text.charAt(mark - 1))) &&
    END.test(text.slice(end, end + MAX_PATH))
  );
}

const QUOTE_AFTER = /^(?:[#?][^\s"'`]*)?(["'`])/;
const END = /^(?:[#?][^\s"']*)?["']?[ \t]*(?:$|[\r\n,}\]#])/;

function beforeSpaces(text: string, end: number): number {
  let at = end;
  while (/[ \t]/.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** Possible offsets of the start of a path before a name, the nearest first. */
function startsOf(text: string, name: number, done: number): readonly number[] {
  const before = (pattern: RegExp) => {
    let start = name;
    while (start > done && name - start < MAX_PATH && !pattern.test(text.charAt(start - 1))) start -= 1;
    return start;
  };
  return [...new Set([before(DELIMITER), before(QUOTE)])];
}

function movedPath(written: string, { from, base, isBody }: PathText, moves: Moves): string | undefined {
  const path = decodeUri(written);
  const served = `${base}/content-files/`;
  if (path.startsWith(served)) {
    const to = moves.get(path.slice(served.length));
    return to && urlOf({ source: 'content', key: to }, base);
  }
  const [place] = locationsOf(from, path);
  const to = place?.source === 'content' ? moves.get(place.key) : undefined;
  if (to === undefined) return undefined;
  const next = writtenAs({ source: 'content', key: to }, from);
  const spelled = written.startsWith('.') || !next.startsWith('./') ? next : next.slice(2);
  return written !== path || (isBody && UNSAFE.test(spelled)) ? encodeURI(spelled) : spelled;
}

/** Ends an address in Markdown. */
const UNSAFE = /[\s()<>]/;

import { imagesInBody } from '../../source/body-images.ts';
import type { Position } from '../../source/diagnostic.ts';
import { positionIn } from '../../source/parsed-data.ts';
import type { ProblemList } from '../../source/problem-list.ts';
import { readBytes } from '../../storage/stored-bytes.ts';
import type { ContentFile } from '../content-file.ts';
import type { FileCatalog } from '../file-catalog.ts';
import { uriOf, urlOf } from '../file-place.ts';
import { type BodyImage, bodyText } from '../model.ts';
import { findFile, tooManyPixels } from './decode-file.ts';
import { relativeImagePath } from './image-path.ts';

/**
 * The images of a file's body that are files, each path once; a path to nothing is a problem, as of an image field. Adds to
 * `uris` the files that decide about them.
 */
export function decodeImages(
  { key, body, bytes, mayHoldImages }: ContentFile,
  { files, base }: { readonly files: FileCatalog; readonly base: string },
  list: ProblemList,
  uris: string[],
): readonly BodyImage[] {
  if (body === null || !mayHoldImages) return NO_IMAGES;
  const text = bodyText(body);
  const images = new Map<string, BodyImage>();
  for (const { src, offset, certain } of imagesInBody(text)) {
    const path = relativeImagePath(src)?.path;
    if (path === undefined || images.has(path)) continue;
    const { found, problem: absence, uris: asked } = findFile(path, key, files);
    uris.push(...asked);
    if (found !== undefined) {
      images.set(path, { path, uri: uriOf(found.place), url: urlOf(found.place, base) });
    }
    const problem = found === undefined ? absence : tooManyPixels(path, found);
    if (problem !== undefined && certain) {
      const { severity, code, message, hint } = problem;
      list.add(
        severity,
        code,
        message,
        () => placeInFile(readBytes(bytes, 0, body.end), text.length - offset),
        hint,
        ['body'],
      );
    }
  }
  return [...images.values()];
}

const NO_IMAGES: readonly BodyImage[] = [];
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The place of what begins `left` units before the end of the bytes. */
function placeInFile(bytes: Uint8Array, left: number): Position {
  const text = decoder.decode(bytes);
  return positionIn(text, text.length - left);
}

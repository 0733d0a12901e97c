import type { FieldKind } from '../../core/content/model.ts';
import { measureImage } from '../../core/storage/file-source.ts';
import { InvalidEntityError } from '../../core/util/errors.ts';
import { decodeUtf8 } from '../../core/util/text.ts';
import { FILES, IMAGES, TEXT } from '../../core/write/file-types.ts';
import type { ContentChecks } from '../../core/write/writer.ts';

/**
 * Throws InvalidEntityError if fields of this kind cannot have files with this extension, or only those of trusted users.
 * `name` is that of the field.
 */
export function checkExtension(
  extension: string,
  kind: FieldKind,
  mayUseRawHtml: boolean,
  name?: string,
): void {
  if (extension === 'svg' && !mayUseRawHtml) {
    throw refuseUpload('An SVG can contain scripts. To upload one, you need the permission `use raw html`.');
  }
  const valid = kind === 'image' ? IMAGES : FILES;
  if (Object.hasOwn(valid, extension)) return;
  const subject = name === undefined ? 'Content' : `\`${name}\``;
  throw refuseUpload(
    `${subject} accepts files of type ${Object.keys(valid).join(', ')}, not \`.${extension}\`.`,
  );
}

/** Throws InvalidEntityError if the content does not match the extension, or for a damaged image. */
export async function checkContent(
  bytes: Uint8Array,
  extension: string,
  { imageProblem }: Pick<ContentChecks, 'imageProblem'>,
): Promise<void> {
  if (bytes.byteLength === 0) throw refuseUpload('The file is empty.');
  const expected = FILES[extension] ?? [];
  const matches =
    expected === TEXT
      ? isText(bytes)
      : extension === 'svg'
        ? isText(bytes) && SVG.test(decoder.decode(bytes))
        : expected.includes(await detect(bytes));
  if (!matches) throw refuseUpload(`The content of the file does not match its extension \`.${extension}\`.`);
  if (!hasPixels(extension)) return;
  if (measureImage(bytes).width === null) throw refuseUpload('The image is damaged: it has no size.');
  const problem = await imageProblem(bytes);
  if (problem === undefined) return;
  throw refuseUpload(
    `The image cannot be shown on pages: ${problem} Save it again, smaller or in another format.`,
  );
}

/** Throws InvalidEntityError for an image with more than `max` pixels. An SVG has no pixels. */
export function checkPixels(bytes: Uint8Array, extension: string, max: number): void {
  if (!hasPixels(extension)) return;
  const { width, height } = measureImage(bytes);
  if (width === null || height === null || width * height <= max) return;
  throw refuseUpload(`The image has ${width} × ${height} pixels. The limit is ${max} pixels.`);
}

/** The error for an upload whose name or content cannot be stored. */
export function refuseUpload(detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { header: 'Content-Disposition' } }]);
}

function hasPixels(extension: string): boolean {
  return Object.hasOwn(IMAGES, extension) && extension !== 'svg';
}

/** The extension that the library detects; empty for an unknown format. */
async function detect(bytes: Uint8Array): Promise<string> {
  // A large module that only uploads need.
  const { fileTypeFromBuffer } = await import('file-type');
  const detected = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return detected?.ext ?? '';
}

/** True for UTF-8 without control characters other than white space. */
function isText(bytes: Uint8Array): boolean {
  const text = decodeUtf8(bytes);
  return text !== undefined && !CONTROL.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters.
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/;
const SVG = /<svg[\s>]/i;
const decoder = new TextDecoder();

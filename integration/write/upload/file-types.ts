import type { FieldDefinition } from '../../content/model.ts';
import { measureImage } from '../../storage/file-source.ts';
import type { ContentChecks } from '../content-checks.ts';
import { refuseUpload } from './upload-name.ts';

/** Throws a 422 where files with this ending are not for a field of this kind, or run as code in browsers. */
export function checkExtension(extension: string, { kind, name }: FieldDefinition, mayCode: boolean): void {
  if (extension === 'svg' && !mayCode) {
    throw refuseUpload('An SVG can hold scripts: it needs the permission `use raw html`.');
  }
  const endings = Object.keys(kind === 'image' ? IMAGES : FILES);
  if (Object.hasOwn(kind === 'image' ? IMAGES : FILES, extension)) return;
  throw refuseUpload(`\`${name}\` takes files that end with ${endings.join(', ')}, not \`.${extension}\`.`);
}

/** Throws a 422 where the bytes are not what the ending says, and for a damaged image. */
export async function checkContent(
  bytes: Uint8Array,
  extension: string,
  { imageProblem }: Pick<ContentChecks, 'imageProblem'>,
): Promise<void> {
  if (bytes.byteLength === 0) throw refuseUpload('The file is empty.');
  const expected = FILES[extension] ?? [];
  const isSo =
    expected === TEXT
      ? isText(bytes)
      : extension === 'svg'
        ? isText(bytes) && SVG.test(decoder.decode(bytes))
        : expected.includes(await detect(bytes));
  if (!isSo) throw refuseUpload(`What is in the file is not what its ending says: \`.${extension}\`.`);
  if (!hasPixels(extension)) return;
  if (measureImage(bytes).width === null) {
    throw refuseUpload('The image is broken: it does not say how large it is.');
  }
  const problem = await imageProblem(bytes);
  if (problem === undefined) return;
  throw refuseUpload(
    `The image cannot be shown on pages: ${problem} Save it again, smaller or in another format.`,
  );
}

/** Throws a 422 for an image with more pixels than that. SVGs have none. */
export function checkPixels(bytes: Uint8Array, extension: string, most: number): void {
  if (!hasPixels(extension)) return;
  const { width, height } = measureImage(bytes);
  if (width === null || height === null || width * height <= most) return;
  throw refuseUpload(
    `The image has ${width} × ${height} pixels, and may have ${most} in all (limits.imagePixels).`,
  );
}

function hasPixels(extension: string): boolean {
  return Object.hasOwn(IMAGES, extension) && extension !== 'svg';
}

/** The ending that the library gives to files of this kind; empty where it knows none. */
async function detect(bytes: Uint8Array): Promise<string> {
  // Much code, which who only reads never needs.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return found?.ext ?? '';
}

/** Whether it is text in UTF-8, without control characters but those that set it. */
function isText(bytes: Uint8Array): boolean {
  try {
    return !CONTROL.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/;
const SVG = /<svg[\s>]/i;
const decoder = new TextDecoder();

type Endings = Readonly<Record<string, readonly string[]>>;

/** By ending, what the library calls what may be in such a file. */
const IMAGES: Endings = {
  png: ['png', 'apng'],
  jpg: ['jpg'],
  jpeg: ['jpg'],
  gif: ['gif'],
  webp: ['webp'],
  avif: ['avif'],
  svg: [],
};
const TEXT: readonly string[] = ['text'];
const FILES: Endings = {
  ...IMAGES,
  pdf: ['pdf'],
  txt: TEXT,
  csv: TEXT,
  tsv: TEXT,
  vtt: TEXT,
  srt: TEXT,
  ics: TEXT,
  docx: ['docx'],
  xlsx: ['xlsx'],
  pptx: ['pptx'],
  odt: ['odt'],
  ods: ['ods'],
  odp: ['odp'],
  epub: ['epub'],
  zip: ['zip'],
  gz: ['gz'],
  mp3: ['mp3'],
  m4a: ['m4a', 'mp4'],
  ogg: ['ogg', 'oga', 'opus'],
  oga: ['ogg', 'oga', 'opus'],
  opus: ['opus'],
  flac: ['flac'],
  wav: ['wav'],
  mp4: ['mp4', 'm4v'],
  m4v: ['m4v', 'mp4'],
  mov: ['mov'],
  webm: ['webm'],
  ogv: ['ogv'],
};

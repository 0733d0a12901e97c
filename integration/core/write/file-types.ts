/** True if the file has the extension of an image that can be uploaded. */
export function isImage(key: string): boolean {
  return Object.hasOwn(IMAGES, extensionOf(key));
}

/** The names of videos, sounds and their captions that can be uploaded. */
export const PLAYABLE = /\.(?:mp3|m4a|ogg|oga|opus|flac|wav|mp4|m4v|mov|webm|ogv|vtt)$/i;

/** True if the file has the extension of an image or document that can be uploaded. */
export function isUploadable(key: string): boolean {
  return Object.hasOwn(FILES, extensionOf(key));
}

/** Without the dot, in lower case. */
export function extensionOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1).toLowerCase();
}

type DetectedTypes = Readonly<Record<string, readonly string[]>>;

/** By extension: the types that the library may detect in such a file. */
export const IMAGES: DetectedTypes = {
  png: ['png', 'apng'],
  jpg: ['jpg'],
  jpeg: ['jpg'],
  gif: ['gif'],
  webp: ['webp'],
  avif: ['avif'],
  svg: [],
};
export const TEXT: readonly string[] = ['text'];
export const FILES: DetectedTypes = {
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

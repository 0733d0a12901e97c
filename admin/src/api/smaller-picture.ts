/** Pixels of the longer side, and bytes: larger pictures are made smaller before they are uploaded. */
const MAX_SIDE = 2560;
const MAX_BYTES = 4_000_000;
const QUALITY = 0.85;
/** Bytes at the start of a file that say if it is animated. */
const HEAD = 262_144;

/** The type that a canvas writes for each type. SVGs and GIFs stay as they are. */
const WRITTEN: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/webp',
  'image/webp': 'image/webp',
  'image/avif': 'image/webp',
};
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/**
 * Makes a large picture smaller, without its metadata such as the position. Returns the file itself if it is not large, is
 * animated, cannot be read, or would not become smaller. `keepsType`: for a file whose name stays.
 */
export async function smallerPicture(file: File, { keepsType = false } = {}): Promise<File> {
  const type = keepsType && file.type in EXTENSIONS ? file.type : WRITTEN[file.type];
  if (type === undefined || (keepsType && type !== file.type)) return file;
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  if (isAnimated(head)) return file;
  // The server describes the error of a picture that the browser cannot read.
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return file;
  try {
    const factor = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    if (factor === 1 && file.size <= MAX_BYTES) return file;
    const blob = await drawn(bitmap, factor, type);
    const extension = blob && EXTENSIONS[blob.type];
    if (!blob || blob.size >= file.size || extension === undefined || (keepsType && blob.type !== type)) {
      return file;
    }
    const name = blob.type === file.type ? file.name : `${file.name.replace(/\.[^.]*$/, '')}.${extension}`;
    return new File([blob], name, { type: blob.type });
  } finally {
    bitmap.close();
  }
}

function drawn(bitmap: ImageBitmap, factor: number, type: string): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * factor));
  canvas.height = Math.max(1, Math.round(bitmap.height * factor));
  const context = canvas.getContext('2d');
  if (context === null) return Promise.resolve(null);
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}

/**
 * True for an animated PNG, WebP or AVIF, of which a canvas would keep one frame. Sources: PNG, "acTL"; WebP Container
 * Specification, "Extended File Format"; AVIF, "Image sequence brand".
 */
export function isAnimated(head: Uint8Array): boolean {
  const text = (start: number, end: number) => String.fromCharCode(...head.subarray(start, end));
  if (text(1, 4) === 'PNG') {
    const data = indexOf(head, 'IDAT');
    const control = indexOf(head, 'acTL');
    return control !== -1 && (data === -1 || control < data);
  }
  if (text(0, 4) === 'RIFF' && text(8, 16) === 'WEBPVP8X') return ((head[20] ?? 0) & 2) !== 0;
  return text(4, 12) === 'ftypavis';
}

function indexOf(bytes: Uint8Array, name: string): number {
  const codes = [...name].map((letter) => letter.charCodeAt(0));
  for (let at = 0; at <= bytes.length - codes.length; at += 1) {
    if (codes.every((code, offset) => bytes[at + offset] === code)) return at;
  }
  return -1;
}

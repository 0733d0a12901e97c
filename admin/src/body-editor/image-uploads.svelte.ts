import type { EditorView } from '@codemirror/view';
import { SvelteMap } from 'svelte/reactivity';
import { track } from '../api/running.ts';
import { notices } from '../components/notices.svelte.ts';
import { altOf } from '../model/descriptions.ts';
import type { MediaFile } from '../model/media.ts';
import { text } from '../texts/texts.ts';
import { imageMarkup } from './nodes.ts';
import { addPlaceholder, advancePlaceholder, fillPlaceholder, removePlaceholder } from './placeholders.ts';

/** An image that is uploaded while its alternative text is written. */
export interface ImageUpload {
  readonly id: number;
  readonly name: string;
  /** The image as the browser has it. */
  readonly url: string;
  alt: string;
  isDecorative: boolean;
  caption: string;
  /** Bytes before and after, if it was made smaller. */
  smaller?: { readonly before: number; readonly after: number } | undefined;
}

/** An image that the site has. */
export interface PlacedImage {
  readonly alt: string;
  /** As the text names it. */
  readonly address: string;
  readonly url: string;
  readonly caption?: string | undefined;
}

export interface ImageUploads {
  /** The images whose alternative text is still to be written. */
  readonly open: readonly ImageUpload[];
  /** Puts images of the library into the text, each as a paragraph. */
  place(images: readonly PlacedImage[], at: number): void;
  /** Uploads images and keeps a place for them in the text. */
  start(files: readonly File[], at: number): void;
  /** Puts the open images into the text, each as soon as it is uploaded. */
  insert(): void;
  /** Uploads the original of an open image that was made smaller. */
  keepOriginal(image: ImageUpload): void;
  /** Stops the uploads of the open images. */
  cancel(): void;
  /** The image that was uploaded for an address: the site does not show it before the entity is saved. */
  localUrl(address: string): string | undefined;
  destroy(): void;
}

/** What the text says about an image. */
interface Finished {
  readonly alt: string;
  readonly address: string;
  readonly caption: string;
}

let lastId = 0;

export function createImageUploads(view: () => EditorView | undefined, beside: () => string): ImageUploads {
  const open = new SvelteMap<number, ImageUpload>();
  const aborts = new Map<number, AbortController>();
  const done = new Map<number, Partial<Finished>>();

  const localUrls = new Map<string, string>();
  const originals = new Map<number, { readonly file: File; readonly stored: MediaFile }>();

  /** `smaller`: the stored picture whose place the original takes. */
  async function upload(image: ImageUpload, file: File, smaller?: MediaFile): Promise<void> {
    const abort = new AbortController();
    aborts.set(image.id, abort);
    try {
      const { uploadBeside, uploadOriginal } = await import('../api/uploads.ts');
      const options = {
        signal: abort.signal,
        onprogress: (progress: number) => view()?.dispatch(advancePlaceholder(image.id, progress)),
      };
      const { originalSize, ...stored } =
        smaller === undefined
          ? await uploadBeside(beside(), file, options)
          : { originalSize: undefined, ...(await uploadOriginal(beside(), file, smaller, options)) };
      if (originalSize !== undefined) {
        originals.set(image.id, { file, stored });
        image.smaller = { before: originalSize, after: stored.size };
      }
      const address = stored.src;
      localUrls.set(address, image.url);
      finish(image.id, { address });
    } catch (error) {
      if (abort.signal.aborted) return;
      open.delete(image.id);
      view()?.dispatch(removePlaceholder(image.id));
      const reason = error instanceof Error ? error.message : String(error);
      notices.add('error', text('body.uploadFailed', { name: file.name, reason }));
    } finally {
      aborts.delete(image.id);
    }
  }

  /** An image is inserted when it is uploaded and its alternative text is written. */
  function finish(id: number, part: Partial<Finished>): void {
    const known = { ...done.get(id), ...part };
    const { alt, address, caption } = known;
    const editor = view();
    if (alt === undefined || address === undefined || editor === undefined) {
      done.set(id, known);
      return;
    }
    done.delete(id);
    editor.dispatch(fillPlaceholder(editor.state, id, imageMarkup(alt, address, caption)));
  }

  return {
    get open() {
      return [...open.values()];
    },
    place(images, at) {
      const placed = images.map((image) => ({ ...image, id: ++lastId }));
      for (const { id, alt, address, url } of placed) {
        localUrls.set(address, url);
        const editor = view();
        editor?.dispatch(addPlaceholder(editor.state, id, at, alt));
      }
      for (const { id, alt, address, caption = '' } of placed) finish(id, { alt, address, caption });
    },
    start(files, at) {
      for (const file of files) {
        if (!file.type.startsWith('image/')) {
          notices.add('error', text('body.onlyImages', { name: file.name }));
          continue;
        }
        const image = $state({
          id: ++lastId,
          name: file.name,
          url: URL.createObjectURL(file),
          alt: '',
          isDecorative: false,
          caption: '',
        });
        open.set(image.id, image);
        const editor = view();
        editor?.dispatch(addPlaceholder(editor.state, image.id, at, file.name));
        void track(upload(image, file));
      }
    },
    insert() {
      for (const image of open.values()) finish(image.id, { alt: altOf(image), caption: image.caption });
      open.clear();
    },
    keepOriginal(image) {
      const { file, stored } = originals.get(image.id) ?? {};
      if (file === undefined) return;
      done.delete(image.id);
      image.smaller = undefined;
      void track(upload(image, file, stored));
    },
    cancel() {
      for (const { id } of open.values()) {
        aborts.get(id)?.abort();
        done.delete(id);
        view()?.dispatch(removePlaceholder(id));
      }
      open.clear();
    },
    localUrl: (address) => localUrls.get(address),
    destroy() {
      for (const url of localUrls.values()) URL.revokeObjectURL(url);
      for (const abort of aborts.values()) abort.abort();
    },
  };
}

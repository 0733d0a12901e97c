import { failureOf } from '../../api/failure.ts';
import { type Uploaded, uploadBeside, uploadOriginal } from '../../api/uploads.ts';
import type { MediaFile } from '../../model/media.ts';

/** A file that is being uploaded, or that was not accepted. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the file was not stored. */
  readonly failure?: string;
  /** A stored picture that was made smaller. */
  readonly smaller?: Uploaded | undefined;
  /** The chosen picture, and its place. */
  readonly file?: File;
  readonly beside?: string;
}

/** Uploads files one after the other. */
export class MediaUploads {
  all = $state.raw<readonly Upload[]>([]);
  #last: Promise<void> = Promise.resolve();
  #next = 0;

  /** Stores files beside those of a bundle or an entity: `node--article` or `node--article/moon`. Returns the stored files. */
  async add(files: Iterable<File>, beside: string): Promise<readonly MediaFile[]> {
    const started = Array.from(files, (file) => ({ file, id: ++this.#next }));
    this.all = [...this.all, ...started.map(({ file, id }) => ({ id, name: file.name, progress: 0 }))];
    const stored: MediaFile[] = [];
    const before = this.#last;
    const work = async () => {
      await before;
      for (const { file, id } of started) {
        try {
          const onprogress = (progress: number) => this.#change(id, { progress });
          const smaller = await uploadBeside(beside, file, { onprogress });
          stored.push(smaller);
          if (smaller.originalSize === undefined) this.remove(id);
          else this.#change(id, { smaller, file, beside });
        } catch (error) {
          this.#change(id, { failure: failureOf(error) });
        }
      }
    };
    this.#last = work();
    await this.#last;
    return stored;
  }

  /** Uploads the original of a picture that was made smaller. Returns the new file, or undefined if that failed. */
  async keepOriginal({ id, smaller, file, beside = '' }: Upload): Promise<MediaFile | undefined> {
    if (smaller === undefined || file === undefined) return undefined;
    this.#change(id, { smaller: undefined, progress: 0 });
    try {
      const onprogress = (progress: number) => this.#change(id, { progress });
      const stored = await uploadOriginal(beside, file, smaller, { onprogress });
      this.remove(id);
      return stored;
    } catch (error) {
      this.#change(id, { failure: failureOf(error) });
      return undefined;
    }
  }

  remove(id: number): void {
    this.all = this.all.filter((upload) => upload.id !== id);
  }

  #change(id: number, changes: Partial<Upload>): void {
    this.all = this.all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
  }
}

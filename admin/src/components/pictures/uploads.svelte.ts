import { failureOf } from '../../api/failure.ts';
import { uploadBeside } from '../../api/uploads.ts';
import type { MediaFile } from '../../model/media.ts';

/** A file that is being uploaded, or that was not accepted. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the file was not stored. */
  readonly failure?: string;
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
          stored.push(await uploadBeside(beside, file, { onprogress }));
          this.remove(id);
        } catch (error) {
          this.#change(id, { failure: failureOf(error) });
        }
      }
    };
    this.#last = work();
    await this.#last;
    return stored;
  }

  remove(id: number): void {
    this.all = this.all.filter((upload) => upload.id !== id);
  }

  #change(id: number, changes: Partial<Upload>): void {
    this.all = this.all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
  }
}

import { type PublishedEntry, readEntry } from '../../api/deploy.ts';
import { translationLanguage } from '../../model/translations.ts';
import type { Editor } from './editor.svelte.ts';

const FIRST_MS = 1500;
const MOST_MS = 60_000;

/** How far the stored entry of a form is. It is read again until that will not change without a save. */
class LiveEntry {
  entry = $state.raw<PublishedEntry>();
  #key = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Reads the stored version of a form, unless it is the one that is known. */
  follow({ resource, target }: Editor): void {
    if (resource === undefined) return;
    const language = target.language ?? translationLanguage(resource);
    const key = JSON.stringify([resource.type, resource.id, language, resource.meta.revision]);
    if (key === this.#key) return;
    this.#key = key;
    this.entry = undefined;
    void this.#read(resource, language, key, FIRST_MS);
  }

  /** Reads it again, for example after a build. */
  again(editor: Editor): void {
    this.#key = '';
    const { entry } = this;
    this.follow(editor);
    this.entry = entry;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#key = '';
    this.entry = undefined;
  }

  async #read(
    resource: { readonly type: string; readonly id: string },
    language: string | undefined,
    key: string,
    pause: number,
  ): Promise<void> {
    clearTimeout(this.#timer);
    const found = document.hidden ? undefined : await readEntry(resource, language).catch(() => undefined);
    if (key !== this.#key) return;
    this.entry = found ?? this.entry;
    if (found?.isLive === true || (found && isHidden(found))) return;
    const next = Math.min(MOST_MS, pause * 2);
    this.#timer = setTimeout(() => void this.#read(resource, language, key, next), pause);
  }
}

/** Visitors do not see it, before and after a build. */
function isHidden({ isPublished, isVisible, isCommitted }: PublishedEntry): boolean {
  return !isPublished && isVisible === false && isCommitted !== false;
}

export const liveEntry = new LiveEntry();

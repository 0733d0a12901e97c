/** The searches of a visitor that led to a page, in the storage of the browser. */
export interface Recent {
  all(): readonly string[];
  add(words: string): void;
  clear(): void;
}

/** `limit` 0 stores nothing. */
export function createRecent(key: string, limit: number): Recent {
  const recent: Recent = {
    all() {
      const text = limit === 0 ? null : stored(() => localStorage.getItem(key));
      return text ? readList(text).slice(0, limit) : [];
    },
    add(words) {
      if (limit === 0 || words === '') return;
      const others = recent.all().filter((each) => each.toLowerCase() !== words.toLowerCase());
      stored(() => localStorage.setItem(key, JSON.stringify([words, ...others].slice(0, limit))));
    },
    clear() {
      stored(() => localStorage.removeItem(key));
    },
  };
  return recent;
}

/** Browsers refuse storage in private windows, in frames, and if it is full. The search works without it. */
function stored<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Empty for what another script has stored. */
function readList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

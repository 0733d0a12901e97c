/** Texts kept from one start to the next, by a key that names all they are made of. */
export interface HtmlCache {
  get(key: string): Promise<string | undefined>;
  set(key: string, html: string): void;
  /** Resolves when what was set is written. Never rejects. */
  save(): Promise<void>;
}

/** A file that a person has chosen for an entity. */
export interface ChosenFile {
  /** Such as `content://article/moon.png`. */
  readonly uri: string;
  /** The path as the author of the entity writes it. */
  readonly src: string;
  /** An address that shows the file now. */
  readonly url: string;
  /** Empty for decoration; null for a file that is not shown as a picture. */
  readonly alt: string | null;
  /** Only for the text of an entity. */
  readonly caption?: string | undefined;
}

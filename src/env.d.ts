/// <reference types="astro/client" />

interface ImportMetaEnv {
  /** Path of the JSON:API entry point without Astro's `base`. */
  readonly API_ENTRY: string;
  /** Path of the front page's list as a document: a query to a server, or the file that was prebuilt for it. */
  readonly API_LATEST: string;
}

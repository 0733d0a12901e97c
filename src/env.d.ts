/// <reference types="astro/client" />

interface ImportMetaEnv {
  /** Path of the JSON:API entry point without Astro's `base`. */
  readonly API_ENTRY: string;
}

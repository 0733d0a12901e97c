/** Made by `server-modules.ts` for code that runs on the server. */
declare module 'astro-jsonapi:runtime' {
  export const served: import('./served-paths.ts').ServedPaths & import('./http/front.ts').FrontSettings;
  export function runtime(): Promise<import('./runtime.ts').Runtime>;
  /** The query explorer's HTML. */
  export function explorerPage(): Promise<string>;
}

/** Made by `server-modules.ts` for code that runs on the server. */
declare module 'astro-jsonapi:runtime' {
  export const served: import('../api/served-paths.ts').ServedPaths &
    import('../server/front.ts').FrontSettings & {
      /** Name of the cookie of sessions; null where the site keeps none. */
      readonly sessionCookie: string | null;
      /** Whether the site says at which addresses it is, so that a proxy may tell which one was asked. */
      readonly trustsProxy: boolean;
    };
  export function runtime(): Promise<import('../runtime/runtime.ts').Runtime>;
  /** The query explorer's HTML. */
  export function explorerPage(): Promise<string>;
}

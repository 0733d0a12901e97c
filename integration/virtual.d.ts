/** Made by `index.ts` for the server: see `vite.ts`. */
declare module 'astro-jsonapi:runtime' {
  /** Whether a path (Astro's `base` included) is answered by the integration. */
  export function ownsPath(pathname: string): boolean;
  export function runtime(): Promise<import('./runtime.ts').Runtime>;
}

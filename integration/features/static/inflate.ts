import type { DeflatedFile } from './format.ts';

/** Returns the JSON of a compressed file. */
export function inflate({ deflated }: DeflatedFile): Promise<unknown> {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
}

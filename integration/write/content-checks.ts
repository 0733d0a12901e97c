/** Checks of bodies and uploads that take long for some of them. A server that writes runs them in another process. */
export interface ContentChecks {
  /** As `unsafeParts` of `html/safe-html.ts`. Rejects with a TooMuchHtmlError. */
  unsafeParts(html: string): Promise<readonly string[]>;
  /** Why an image cannot be shown on pages. Undefined if it can be shown, or if this site cannot decode images. */
  imageProblem(bytes: Uint8Array): Promise<string | undefined>;
}

/** Checks HTML in this process. Does not decode images, because nothing limits the memory that a decoder takes here. */
export const ownChecks: ContentChecks = {
  async unsafeParts(html) {
    // A large parser, which a server that only answers reads does not need.
    const { unsafeParts } = await import('./html/safe-html.ts');
    return unsafeParts(html);
  },
  imageProblem: async () => undefined,
};

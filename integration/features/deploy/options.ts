import { z } from 'zod';
import { VARIABLE } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** The published site: the admin says which changes are on it, and starts its builds. Default: none. */
    readonly deploy?: DeployOptions | undefined;
  }
  interface Options {
    deploy?: DeployOptions | undefined;
  }
}

export interface DeployOptions {
  /** The origin of the published site, such as `https://example.com`. Default: the origin of Astro's `site`. */
  readonly url?: string | undefined;
  /** `env:` and the name of an environment variable with the deploy hook of the host, such as `'env:DEPLOY_HOOK'`. Default: none. */
  readonly hook?: string | undefined;
  /** A command that builds and publishes the site, in the folder of the project, such as `'npm run build'`. Default: none. */
  readonly command?: string | undefined;
}

export const DEPLOY_OPTIONS = {
  deploy: z
    .strictObject({
      url: z
        .string()
        .refine(isOrigin)
        .describe("the origin of a site, without a path, such as 'https://example.com'")
        .optional(),
      // The address of a hook is a secret. A literal one would be in the repository and in the build.
      hook: z
        .string()
        .regex(VARIABLE)
        .meta({ description: "a variable such as 'env:DEPLOY_HOOK'", secret: true })
        .optional(),
      command: z.string().trim().min(1).describe("a command such as 'npm run build'").optional(),
    })
    .describe("{ url, hook, command }, such as { url: 'https://example.com', hook: 'env:DEPLOY_HOOK' }")
    .optional(),
} satisfies OptionFields<'deploy'>;

function isOrigin(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  return href === `${origin}/`;
}

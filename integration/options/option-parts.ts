import { z } from 'zod';
import { API_PATHS, EXPLORER_PATH } from '../api/served-paths.ts';
import { SIGN_IN_PATHS } from '../api/sign-in-paths.ts';
import type { Limits } from '../engine/limits.ts';
import { DEFAULT_LIMITS } from '../engine/limits.ts';
import { MAX_IMAGE_PIXELS } from '../storage/file-source.ts';

/** The least and the greatest that each limit may be set to. */
const LIMIT_BOUNDS: Readonly<Record<keyof Limits, readonly [least: number, greatest: number]>> = {
  queryLength: [256, 65_536],
  parameters: [10, 10_000],
  conditions: [1, 1000],
  groupDepth: [1, 64],
  listValues: [1, 10_000],
  pathDepth: [1, 32],
  sortKeys: [1, 64],
  includePaths: [1, 500],
  includeDepth: [1, 32],
  included: [1, 1_000_000],
  includeReferences: [1, 10_000_000],
  joins: [1, 4096],
  textComparisons: [1, 1000],
  searchWords: [1, 1000],
  subrequests: [1, 1000],
  subrequestsBytes: [1024, 10_485_760],
  subrequestsAnswerBytes: [1024, 268_435_456],
  answerBytes: [1_000_000, 1_000_000_000_000],
  bodyBytes: [1024, 104_857_600],
  uploadBytes: [1024, 268_435_456],
  imagePixels: [1, MAX_IMAGE_PIXELS],
  uploadBytesPerDay: [1024, 1_000_000_000_000],
  unusedUploads: [1, 1_000_000],
  writesPerMinute: [1, 1_000_000],
};

export const limitsSchema = z.strictObject({
  queryLength: limit('queryLength'),
  parameters: limit('parameters'),
  conditions: limit('conditions'),
  groupDepth: limit('groupDepth'),
  listValues: limit('listValues'),
  pathDepth: limit('pathDepth'),
  sortKeys: limit('sortKeys'),
  includePaths: limit('includePaths'),
  includeDepth: limit('includeDepth'),
  included: limit('included'),
  includeReferences: limit('includeReferences'),
  joins: limit('joins'),
  textComparisons: limit('textComparisons'),
  searchWords: limit('searchWords'),
  subrequests: limit('subrequests'),
  subrequestsBytes: limit('subrequestsBytes'),
  subrequestsAnswerBytes: limit('subrequestsAnswerBytes'),
  answerBytes: limit('answerBytes'),
  bodyBytes: limit('bodyBytes'),
  uploadBytes: limit('uploadBytes'),
  imagePixels: limit('imagePixels'),
  uploadBytesPerDay: limit('uploadBytesPerDay'),
  unusedUploads: limit('unusedUploads'),
  writesPerMinute: limit('writesPerMinute'),
} satisfies Record<keyof Limits, z.ZodType>);

function limit(name: keyof Limits) {
  const [least, greatest] = LIMIT_BOUNDS[name];
  return z
    .int()
    .min(least)
    .max(greatest)
    .default(DEFAULT_LIMITS[name])
    .describe(`a whole number from ${least} to ${greatest}`);
}

export const corsSchema = z
  .strictObject({
    origins: z.union([z.literal('*'), z.array(z.string().refine(isOrigin)).min(1)]),
    credentials: z.boolean().default(false),
    maxAge: z.int().min(0).max(86_400).default(600),
    exposeHeaders: z.array(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/)).default(['Allow', 'ETag', 'Location']),
  })
  // A browser refuses the two together, and every site could act for its visitors.
  .refine(({ origins, credentials }) => origins !== '*' || !credentials);

/** Names of branches and remotes that git could take for something else are none. Source: git-check-ref-format. */
const gitName = z
  .string()
  .regex(/^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\/\.))[^\s~^:?*[\\\p{Cc}]+(?<![/.])(?<!\.lock)$/u);

export const gitSchema = z.strictObject({
  commit: z
    .union([z.literal('each'), z.strictObject({ quiet: z.number().min(1).max(86_400) })])
    .default('each'),
  branch: gitName.optional(),
  push: z
    .union([z.boolean(), z.strictObject({ remote: gitName.optional(), branch: gitName.optional() })])
    .default(false),
  acknowledge: z.enum(['file', 'commit']).default('file'),
  message: z
    .strictObject({ one: z.string().regex(/\S/).optional(), many: z.string().regex(/\S/).optional() })
    .default({}),
  committer: z.strictObject({ name: z.string().regex(/[\p{L}\p{N}]/u), mail: z.email() }).optional(),
});

/** Option `git` where it is on. */
export type GitOptions = z.output<typeof gitSchema>;
export type GitInput = z.input<typeof gitSchema>;

/** As a browser writes it: no path, no default port, lower case. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

export function isHealthPlace(path: string): boolean {
  const taken = [...API_PATHS, EXPLORER_PATH, ...SIGN_IN_PATHS].some((prefix) =>
    `${path}/`.startsWith(`${prefix}/`),
  );
  return /^(\/[a-z0-9._~-]+)+$/.test(path) && !taken;
}

import { z } from 'zod';
import { isHidden } from '../storage/file-name.ts';
import { normalizeKey } from '../storage/key.ts';

// Fields of several options. Every description completes the sentence "Valid: …" of an error message.
export const BOOLEAN = z.boolean().describe('true or false');

export const BUNDLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
/** Safe as a file name, a URL segment and an object key. */
export const QUERY_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
/** A value that names an environment variable. */
export const VARIABLE = /^env:[A-Za-z_]\w*$/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of an option, which may name a variable. Undefined if the variable is not set, or empty. */
export function optionValue(option: string, environment: Environment): string | undefined {
  const variable = variableIn(option);
  return variable === undefined ? option : environment[variable] || undefined;
}

/** The name of the variable in the value of an option; undefined for another value. */
export function variableIn(option: string): string | undefined {
  return VARIABLE.test(option) ? option.slice('env:'.length) : undefined;
}

/** A folder of a bundle without `./` and the last slash; empty for `.`. */
export const folderSchema = z
  .string()
  .transform((folder) => folder.replace(/^\.\//, '').replace(/(?:^\.|\/)$/, ''))
  .refine((folder) => folder === '' || (normalizeKey(folder) === folder && !isHidden(folder)))
  .describe(
    "a folder in the content folder, such as '_posts', '.' for files in no folder, or '**' for all files of no other bundle",
  );

/** A branch or remote name that git cannot mistake for an option or a revision. Source: git-check-ref-format. */
export const gitName = z
  .string()
  .regex(/^(?![-/.]|refs\/)(?!.*(?:\.\.|\/\/|@\{|\/\.))[^\s~^:?*[\\\p{Cc}]+(?<![/.])(?<!\.lock)$/u)
  .describe("a git name, without 'refs/heads/'");

export function wholeNumber(min: number, max: number) {
  return z.int().min(min).max(max).describe(`a whole number from ${min} to ${max}`);
}

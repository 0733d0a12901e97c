import type { Feature } from '../../core/runtime/site.ts';
import { editToml } from './edit-toml.ts';
import { createTomlLocator, readToml } from './toml.ts';

/** Frontmatter in TOML, between lines of `+++`. */
export const toml: Feature = {
  name: 'toml',
  formats: [
    {
      language: 'toml',
      // Its parser takes longer, and fails for very long strings.
      maxLength: 64 * 1024,
      read: readToml,
      createLocator: createTomlLocator,
      edit: editToml,
    },
  ],
};

import type { Feature } from '../../core/runtime/site.ts';
import { editToml } from './edit-toml.ts';
import { createTomlLocator, readToml } from './toml.ts';

/** Frontmatter in TOML, between lines of `+++`, and files in TOML. */
export const toml: Feature = {
  name: 'toml',
  formats: [
    {
      language: 'toml',
      extension: '.toml',
      fence: '+++',
      hasNull: false,
      // Its parser takes longer, and fails for very long strings.
      maxLength: 64 * 1024,
      read: readToml,
      createLocator: createTomlLocator,
      edit: editToml,
    },
  ],
};

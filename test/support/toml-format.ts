import { addDataFormat } from '../../integration/core/source/formats.ts';
import { toml } from '../../integration/features/toml/feature.ts';

/** Characters that TOML may have. */
export const MAX_TOML_LENGTH = 64 * 1024;

// Tests of parts that no runtime opens read TOML too.
for (const format of toml.formats ?? []) addDataFormat(format);

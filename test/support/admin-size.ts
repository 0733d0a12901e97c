import { statSync } from 'node:fs';
import path from 'node:path';
import { builtAdmin } from '../../integration/features/admin/admin-app.ts';

const APP = path.resolve(import.meta.dirname, '../../dist/admin/app');

/** Bytes in Brotli of all files that a browser loads for a screen, by the first segment of its address below `/admin`. */
export function adminSizes(): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(builtAdmin().screens).map(([screen, { scripts, styles }]) => [
      screen,
      [...scripts, ...styles].reduce((sum, file) => sum + statSync(path.join(APP, `${file}.br`)).size, 0),
    ]),
  );
}

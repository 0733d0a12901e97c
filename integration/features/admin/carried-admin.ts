import { fromBase64 } from '../../core/util/base64.ts';
import type { AdminApp } from './shell.ts';

/** The admin in a build. Its files are modules with base64. */
export interface CarriedAdmin extends Pick<AdminApp, 'script' | 'styles'> {
  readonly files: Readonly<Record<string, () => Promise<{ readonly default: string }>>>;
}

export function openCarriedAdmin({ files, ...entry }: CarriedAdmin): AdminApp {
  return {
    ...entry,
    async read(name) {
      const file = Object.hasOwn(files, name) ? await files[name]?.() : undefined;
      return file && fromBase64(file.default);
    },
  };
}

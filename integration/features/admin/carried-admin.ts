import { fromBase64 } from '../../core/util/base64.ts';
import type { Coding } from './content-coding.ts';
import type { AdminApp } from './shell.ts';

type Module = () => Promise<{ readonly default: string }>;

/** The admin in a build. Its files are modules with base64. */
export interface CarriedAdmin extends Omit<AdminApp, 'read'> {
  readonly files: Readonly<Record<string, Readonly<Record<Coding, Module>>>>;
}

export function openCarriedAdmin({ files, ...entry }: CarriedAdmin): AdminApp {
  return {
    ...entry,
    async read(name, coding) {
      const file = Object.hasOwn(files, name) ? await files[name]?.[coding]() : undefined;
      return file && fromBase64(file.default);
    },
  };
}

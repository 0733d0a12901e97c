import { type Diagnostic, FILE_START } from '../../source/diagnostic.ts';
import { locatorOf } from '../content-file.ts';
import type { ContentIndex } from '../content-index.ts';
import { addressOf, aliasOf, compareHolders } from '../decode/alias.ts';
import type { DecodedFile } from '../decode/decode.ts';
import type { Entity } from '../model.ts';
import { shortTypeName } from '../resource-type.ts';

/** Published entities with the alias of another, which had it before. */
export function reportAliases(decoded: Iterable<DecodedFile>, index: ContentIndex): readonly Diagnostic[] {
  const byAlias = new Map<string, Entity[]>();
  for (const { entity } of decoded) {
    const alias = entity.published ? aliasOf(entity) : null;
    if (alias === null) continue;
    const others = byAlias.get(addressOf(alias));
    if (others === undefined) byAlias.set(addressOf(alias), [entity]);
    else others.push(entity);
  }
  return [...byAlias].flatMap(([alias, entities]) => {
    if (entities.length === 1) return [];
    const [first, ...others] = entities.sort(compareHolders);
    return others.map(({ type, key }): Diagnostic => {
      const file = index.bundles.get(type)?.files.get(key);
      const written = file !== undefined && file.base.alias !== null;
      const position = written ? locatorOf(file)(['path']) : FILE_START;
      const hint = written
        ? 'Give one of them another `path`.'
        : `Give it a \`path\`, or change option bundles.${shortTypeName(type)}.alias.`;
      const message = `\`${first?.key}\` has the alias \`${alias}\` already: the path leads to that one.`;
      return { severity: 'warning', code: 'alias/duplicate', key, ...position, message, hint };
    });
  });
}

/** The words of a change for its commit message. */
export interface ChangeWords {
  readonly action: 'create' | 'update' | 'remove' | 'upload' | 'move';
  /** Without the entity type `node`. */
  readonly type: string;
  readonly id: string;
  readonly title: string;
  /** Code of the language; empty for a file without an entity. */
  readonly langcode: string;
  readonly isTranslation: boolean;
  readonly account: string;
}

/**
 * The message of one change. Tokens: `[action]`, `[Action]`, `[type]`, `[id]`, `[title]`, `[langcode]`, `[account]`. By
 * default, only messages about translations name the language.
 */
export function changeMessage(
  template: string | undefined,
  { isTranslation, ...words }: ChangeWords,
): string {
  const { action } = words;
  const usual = isTranslation ? '[Action] [type] "[title]" ([langcode])' : '[Action] [type] "[title]"';
  return filled(template ?? usual, { ...words, Action: action.slice(0, 1).toUpperCase() + action.slice(1) });
}

/** The message of several changes, with a list of their messages. Tokens of the first line: `[count]`, `[account]`. */
export function listMessage(
  template = 'Change content ([count] changes)',
  messages: readonly string[],
  account: string,
): string {
  const lines = messages.map((message) => `- ${message.split('\n', 1)[0]}`);
  return `${filled(template, { count: String(messages.length), account })}\n\n${lines.join('\n')}`;
}

/** Other words in brackets stay, for example `[skip ci]`. */
function filled(template: string, tokens: Readonly<Record<string, string>>): string {
  return template.replace(/\[([A-Za-z]+)\]/g, (token, name: string) =>
    Object.hasOwn(tokens, name) ? oneLine(tokens[name] ?? '') : token,
  );
}

/** Content must not add lines to a message, such as `Signed-off-by`. */
function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return line.length > MAX_VALUE_LENGTH ? `${line.slice(0, MAX_VALUE_LENGTH - 1).trimEnd()}…` : line;
}

const MAX_VALUE_LENGTH = 100;

/** Templates of commit messages. Tokens in brackets are replaced. */
export interface MessageTemplates {
  /** For one change. Tokens: `[action]`, `[Action]`, `[type]`, `[id]`, `[title]`, `[account]`. */
  readonly one: string;
  /** The first line for several changes, which are listed below it. Tokens: `[count]`, `[account]`. */
  readonly many: string;
}

export const DEFAULT_MESSAGES: MessageTemplates = {
  one: '[Action] [type] "[title]"',
  many: 'Change content ([count] changes)',
};

export interface ChangeWords {
  readonly action: 'create' | 'update' | 'remove' | 'upload';
  /** Without the entity type `node`. */
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly account: string;
}

export function changeMessage({ one }: Pick<MessageTemplates, 'one'>, words: ChangeWords): string {
  const { action } = words;
  const tokens = { ...words, Action: action.slice(0, 1).toUpperCase() + action.slice(1) };
  return filled(one, tokens);
}

/** Combines the messages of several changes. */
export function listMessage(
  { many }: Pick<MessageTemplates, 'many'>,
  messages: readonly string[],
  account: string,
): string {
  const lines = messages.map((message) => `- ${message.split('\n', 1)[0]}`);
  return `${filled(many, { count: String(messages.length), account })}\n\n${lines.join('\n')}`;
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

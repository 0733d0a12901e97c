/** Templates of the messages of commits; words in brackets are filled in. */
export interface MessageTemplates {
  /** Of one change. Tokens: `[action]`, `[Action]`, `[type]`, `[id]`, `[title]`, `[account]`. */
  readonly one: string;
  /** The first line of a commit of several changes, which are listed below it. Tokens: `[count]`, `[account]`. */
  readonly many: string;
}

export const DEFAULT_MESSAGES: MessageTemplates = {
  one: '[Action] [type] "[title]"',
  many: 'Change content ([count] changes)',
};

export interface ChangeWords {
  readonly action: 'create' | 'update' | 'remove' | 'upload';
  /** Without its entity type where that is `node`. */
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

/** The messages of several changes as one. */
export function listMessage(
  { many }: Pick<MessageTemplates, 'many'>,
  messages: readonly string[],
  account: string,
): string {
  const lines = messages.map((message) => `- ${message.split('\n', 1)[0]}`);
  return `${filled(many, { count: String(messages.length), account })}\n\n${lines.join('\n')}`;
}

/** Other words in brackets stay: `[skip ci]` means something to others. */
function filled(template: string, tokens: Readonly<Record<string, string>>): string {
  return template.replace(/\[([A-Za-z]+)\]/g, (written, name: string) =>
    Object.hasOwn(tokens, name) ? oneLine(tokens[name] ?? '') : written,
  );
}

/** What an author has written adds no lines to a message, such as `Signed-off-by`. */
function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1).trimEnd()}…` : line;
}

const LONGEST_VALUE = 100;

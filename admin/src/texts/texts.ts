import type { en } from './en.ts';
import * as english from './en.ts';

/** A text, or its forms by plural category, selected by the parameter `count`. */
export type Message = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type MessageKey = keyof typeof en;
/** The texts of one language. */
export type Catalogue = Readonly<Record<MessageKey, Message>>;

/** Languages of the user interface, each named in itself. */
export const UI_LANGUAGES = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const;
/** Those that are written from right to left. */
const RIGHT_TO_LEFT: readonly string[] = ['ar'];
export type UiLanguage = keyof typeof UI_LANGUAGES;

const STORED = 'astro-jsonapi:language';
const LOADERS: Readonly<Record<UiLanguage, () => Promise<Catalogue>>> = {
  en: async () => english.en,
  de: async () => (await import('./de.ts')).de,
  ar: async () => (await import('./ar.ts')).ar,
};

let catalogue: Catalogue = english.en;
let language: UiLanguage = 'en';
let formats = formatsIn(language);

/** Loads the texts of the chosen language, else of the browser's first language that there is. */
export async function loadTexts(): Promise<void> {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))];
  language = wanted.find(isUiLanguage) ?? 'en';
  formats = formatsIn(language);
  catalogue = await LOADERS[language]();
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
}

export function uiLanguage(): UiLanguage {
  return language;
}

/** Stores the language and loads the application again in it. */
export function chooseLanguage(chosen: UiLanguage): void {
  localStorage.setItem(STORED, chosen);
  location.reload();
}

/** The text with `{name}` replaced by the parameters. Numbers are written as the language writes them. */
export function text(key: MessageKey, parameters: Parameters = {}): string {
  return format(catalogue[key], parameters);
}

/** The same for texts that are loaded later. */
export function textsOf<Key extends string>(
  catalogues: Readonly<Record<UiLanguage, Readonly<Record<Key, Message>>>>,
): (key: Key, parameters?: Parameters) => string {
  return (key, parameters = {}) => format(catalogues[language][key], parameters);
}

type Parameters = Readonly<Record<string, string | number>>;

function format(message: Message, parameters: Parameters): string {
  const template = typeof message === 'string' ? message : pluralOf(message, Number(parameters.count ?? 0));
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = parameters[name];
    if (value === undefined) return placeholder;
    return typeof value === 'number' ? formats.number.format(value) : value;
  });
}

/** `German` for `de`; the code if it has no name. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code;
  } catch (error) {
    if (error instanceof RangeError) return code;
    throw error;
  }
}

/** `English, German` for `en` and `de`. */
export function languageNames(codes: readonly string[]): string {
  return codes.map(languageName).join(', ');
}

/** A point in time as people read it, in the browser's time zone. */
export function dateTime(instant: string | Date): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return String(instant);
  return formats.dateTime.format(date);
}

/** Such as `3 minutes ago` or `in 2 days`. */
export function relativeTime(instant: string | Date, now = Date.now()): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return formats.relativeTime.format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit);
}

/** Such as `48 kB`. */
export function fileSize(bytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log10(bytes) / 3)), SIZE_UNITS.length - 1);
  const unit = SIZE_UNITS[power] ?? 'byte';
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(bytes / 1000 ** power);
}

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Creating a format takes longer than using it for all rows of a list. */
function formatsIn(code: UiLanguage) {
  return {
    number: new Intl.NumberFormat(code),
    dateTime: new Intl.DateTimeFormat(code, { dateStyle: 'medium', timeStyle: 'short' }),
    relativeTime: new Intl.RelativeTimeFormat(code, { numeric: 'auto' }),
    plural: new Intl.PluralRules(code),
  };
}

function pluralOf(message: Exclude<Message, string>, count: number): string {
  return message[formats.plural.select(count)] ?? message.other;
}

function isUiLanguage(name: string): name is UiLanguage {
  return Object.hasOwn(UI_LANGUAGES, name);
}

import { textsOf } from './texts.ts';

/** Texts of translations. Their language is chosen before. */
export const translateText = textsOf({
  en: {
    'translate.languages': 'Languages',
    'translate.state.source': 'Source',
    'translate.state.missing': 'Missing',
    'translate.state.outdated': 'Outdated',
    'translate.newTitle': '“{title}” in {language}',
    'translate.none': 'This entry has no translation into {language} yet, and you cannot create one.',
    'translate.new': 'This entry has no translation into {language} yet. Save to create it.',
    'translate.outdated': 'The source has changed since this translation was last changed.',
    'translate.outdatedWhere': 'The changes of the source are marked below.',
    'translate.source': '{field} ({language})',
    'translate.copy': 'Copy {field} from the source',
    'translate.shared': 'The same in all languages, so these are edited in the source: {fields}.',
  },
  de: {
    'translate.languages': 'Sprachen',
    'translate.state.source': 'Original',
    'translate.state.missing': 'Fehlt',
    'translate.state.outdated': 'Veraltet',
    'translate.newTitle': '„{title}“ auf {language}',
    'translate.none': 'Es gibt noch keine Übersetzung ({language}), und du kannst keine anlegen.',
    'translate.new': 'Es gibt noch keine Übersetzung ({language}). Speichere, um sie anzulegen.',
    'translate.outdated': 'Das Original wurde geändert, nachdem diese Übersetzung zuletzt geändert wurde.',
    'translate.outdatedWhere': 'Die Änderungen des Originals sind unten markiert.',
    'translate.source': '{field} ({language})',
    'translate.copy': '{field} aus dem Original übernehmen',
    'translate.shared': 'In allen Sprachen gleich, im Original zu ändern: {fields}.',
  },
  ar: {},
});

import { textsOf } from './texts.ts';

/** Texts of files with errors. Their language is chosen before. */
export const faultyText = textsOf({
  en: {
    'faulty.errors': 'Errors in the file',
    'faulty.line': 'Line {line}',
    'faulty.view': 'View',
    'faulty.text': 'Text of the file',
    'faulty.fields': 'Form',
    'faulty.textOf': 'Text of the file: {title}',
    'faulty.saved': { one: 'Saved. {count} error is left.', other: 'Saved. {count} errors are left.' },
    'faulty.corrected': '“{title}” has no errors any more.',
    'faulty.refused': 'Not saved. With this text, the file has:',
    'faulty.outdated': 'Someone has changed this file since you opened it. Your text is not saved.',
    'faulty.reload': 'Discard my text and read the file again',
    'faulty.none': 'There is no file with errors here that you may correct. It may be correct now.',
    'faulty.isFaulty': 'The file of this entry has errors.',
    'faulty.open': 'Correct the file',
    'draft.isDraft': 'This entry is a draft that is not complete.',
    'draft.open': 'Open the draft',
  },
  de: {
    'faulty.errors': 'Fehler in der Datei',
    'faulty.line': 'Zeile {line}',
    'faulty.view': 'Ansicht',
    'faulty.text': 'Text der Datei',
    'faulty.fields': 'Formular',
    'faulty.textOf': 'Text der Datei: {title}',
    'faulty.saved': {
      one: 'Gespeichert. {count} Fehler bleibt.',
      other: 'Gespeichert. {count} Fehler bleiben.',
    },
    'faulty.corrected': '„{title}“ hat keine Fehler mehr.',
    'faulty.refused': 'Nicht gespeichert. Mit diesem Text hat die Datei:',
    'faulty.outdated':
      'Jemand hat diese Datei geändert, seit Sie sie geöffnet haben. Ihr Text ist nicht gespeichert.',
    'faulty.reload': 'Meinen Text verwerfen und die Datei neu lesen',
    'faulty.none':
      'Hier ist keine Datei mit Fehlern, die Sie korrigieren dürfen. Vielleicht ist sie schon korrekt.',
    'faulty.isFaulty': 'Die Datei dieses Eintrags hat Fehler.',
    'faulty.open': 'Datei korrigieren',
    'draft.isDraft': 'Dieser Eintrag ist ein Entwurf, der noch nicht vollständig ist.',
    'draft.open': 'Entwurf öffnen',
  },
  ar: {},
});

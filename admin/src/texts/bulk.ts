import { textsOf } from './texts.ts';

/** Texts of deletions and bulk changes. Their language is chosen before. */
export const bulkText = textsOf({
  en: {
    'delete.bin': {
      one: 'The entry is taken off the site. It goes to the bin, where you can restore it.',
      other: 'The entries are taken off the site. They go to the bin, where you can restore them.',
    },
    'delete.gone': {
      one: 'The entry and its file are removed. You cannot undo this here.',
      other: 'The entries and their files are removed. You cannot undo this here.',
    },
    'delete.translation.bin':
      'This translation goes to the bin, where you can restore it. The other languages stay.',
    'delete.translation.gone':
      'This translation and its file are removed. You cannot undo this here. The other languages stay.',
    'delete.partly': 'Only some of the entries were deleted.',
    'delete.mayNot': 'You may not delete “{title}”.',
    'delete.referrersOfAll': {
      one: '{count} other entry refers to them',
      other: '{count} other entries refer to them',
    },
    'delete.translations': {
      one: 'The translation is deleted too: {languages}.',
      other: 'The translations are deleted too: {languages}.',
    },
    'delete.looking': 'Looking for entries that refer to it …',
    'delete.referrers': { one: '{count} entry refers to it', other: '{count} entries refer to it' },
    'delete.more': { one: 'and {count} more', other: 'and {count} more' },
    'delete.references': 'What happens to the references',
    'delete.remove': 'Remove the references too',
    'delete.replace': 'Point them to …',
    'delete.replacement': 'The entry that the references point to from now on',
    'delete.notDeleted': 'Nothing was deleted.',
    'delete.required':
      '“{title}” needs a value in the field {field}. Point the references to another entry, or change “{title}” first.',
    'delete.forbidden': 'You may not change “{title}”.',
    'delete.changed': 'Someone else has just changed “{title}”. Try again.',
    'delete.hidden': 'Other entries, which you may not see, refer to “{title}”.',
    'bulk.publish': 'Publish',
    'bulk.unpublish': 'Unpublish',
    'bulk.delete': 'Delete',
    'bulk.set': 'Set a field',
    'bulk.field': 'Field',
    'bulk.mode': 'Change',
    'bulk.modeSet': 'Replace the value',
    'bulk.modeAdd': 'Add to the list',
    'bulk.apply': 'Apply',
    'bulk.confirm.publish': { one: 'Publish {count} entry?', other: 'Publish {count} entries?' },
    'bulk.confirm.unpublish': { one: 'Unpublish {count} entry?', other: 'Unpublish {count} entries?' },
    'bulk.confirm.delete': { one: 'Delete {count} entry?', other: 'Delete {count} entries?' },
    'bulk.confirm.set': { one: 'Change {count} entry?', other: 'Change {count} entries?' },
    'bulk.allOrNone': 'Either all of them are changed or none.',
    'bulk.requests': 'They are sent in {count} requests. Each one changes all of its entries or none.',
    'bulk.forbidden': 'You may not change all of these entries.',
    'bulk.collecting': 'Collecting the entries …',
    'bulk.progress': '{done} of {count} changed …',
    'bulk.done': { one: '{count} entry changed.', other: '{count} entries changed.' },
    'bulk.deleted': { one: '{count} entry deleted.', other: '{count} entries deleted.' },
    'bulk.undoing': 'Undoing the change …',
    'bulk.undone': {
      one: 'The change of {count} entry is undone.',
      other: 'The change of {count} entries is undone.',
    },
    'bulk.undoneSome': {
      one: 'The change of {count} entry is undone. Not undone, because they have changed since: {skipped}.',
      other:
        'The change of {count} entries is undone. Not undone, because they have changed since: {skipped}.',
    },
    'bulk.notUndone': 'The change was not undone: {reason}',
    'bulk.unchanged': 'Nothing had to be changed.',
    'bulk.failed': 'Nothing was changed: {reason}',
    'bulk.partly': '{done} of {count} were changed. The others were not: {reason}',
  },
  de: {
    'delete.bin': {
      one: 'Der Eintrag wird von der Website genommen. Er kommt in den Papierkorb, wo du ihn wiederherstellen kannst.',
      other:
        'Die Einträge werden von der Website genommen. Sie kommen in den Papierkorb, wo du sie wiederherstellen kannst.',
    },
    'delete.gone': {
      one: 'Der Eintrag und seine Datei werden entfernt. Hier kannst du das nicht rückgängig machen.',
      other: 'Die Einträge und ihre Dateien werden entfernt. Hier kannst du das nicht rückgängig machen.',
    },
    'delete.translation.bin':
      'Diese Übersetzung kommt in den Papierkorb, wo du sie wiederherstellen kannst. Die anderen Sprachen bleiben.',
    'delete.translation.gone':
      'Diese Übersetzung und ihre Datei werden entfernt. Hier kannst du das nicht rückgängig machen. Die anderen Sprachen bleiben.',
    'delete.partly': 'Nur ein Teil der Einträge wurde gelöscht.',
    'delete.mayNot': 'Du darfst „{title}“ nicht löschen.',
    'delete.referrersOfAll': {
      one: '{count} anderer Eintrag verweist darauf',
      other: '{count} andere Einträge verweisen darauf',
    },
    'delete.translations': {
      one: 'Die Übersetzung wird mit gelöscht: {languages}.',
      other: 'Die Übersetzungen werden mit gelöscht: {languages}.',
    },
    'delete.looking': 'Einträge, die darauf verweisen, werden gesucht …',
    'delete.referrers': {
      one: '{count} Eintrag verweist darauf',
      other: '{count} Einträge verweisen darauf',
    },
    'delete.more': { one: 'und {count} weiterer', other: 'und {count} weitere' },
    'delete.references': 'Was mit den Verweisen geschieht',
    'delete.remove': 'Verweise auch entfernen',
    'delete.replace': 'Verweise ändern auf …',
    'delete.replacement': 'Der Eintrag, auf den künftig verwiesen wird',
    'delete.notDeleted': 'Es wurde nichts gelöscht.',
    'delete.required':
      '„{title}“ braucht einen Wert im Feld {field}. Lass die Verweise auf einen anderen Eintrag zeigen, oder ändere zuerst „{title}“.',
    'delete.forbidden': 'Du darfst „{title}“ nicht ändern.',
    'delete.changed': 'Jemand anderes hat „{title}“ gerade geändert. Versuche es noch einmal.',
    'delete.hidden': 'Andere Einträge, die du nicht sehen darfst, verweisen auf „{title}“.',
    'bulk.publish': 'Veröffentlichen',
    'bulk.unpublish': 'Zurückziehen',
    'bulk.delete': 'Löschen',
    'bulk.set': 'Feld setzen',
    'bulk.field': 'Feld',
    'bulk.mode': 'Änderung',
    'bulk.modeSet': 'Wert ersetzen',
    'bulk.modeAdd': 'Zur Liste hinzufügen',
    'bulk.apply': 'Anwenden',
    'bulk.confirm.publish': {
      one: '{count} Eintrag veröffentlichen?',
      other: '{count} Einträge veröffentlichen?',
    },
    'bulk.confirm.unpublish': {
      one: '{count} Eintrag zurückziehen?',
      other: '{count} Einträge zurückziehen?',
    },
    'bulk.confirm.delete': { one: '{count} Eintrag löschen?', other: '{count} Einträge löschen?' },
    'bulk.confirm.set': { one: '{count} Eintrag ändern?', other: '{count} Einträge ändern?' },
    'bulk.allOrNone': 'Entweder werden alle geändert oder keiner.',
    'bulk.requests': 'Sie werden in {count} Anfragen gesendet. Jede ändert alle ihre Einträge oder keinen.',
    'bulk.forbidden': 'Du darfst nicht alle diese Einträge ändern.',
    'bulk.collecting': 'Einträge werden gesammelt …',
    'bulk.progress': '{done} von {count} geändert …',
    'bulk.done': { one: '{count} Eintrag geändert.', other: '{count} Einträge geändert.' },
    'bulk.deleted': { one: '{count} Eintrag gelöscht.', other: '{count} Einträge gelöscht.' },
    'bulk.undoing': 'Die Änderung wird rückgängig gemacht …',
    'bulk.undone': {
      one: 'Die Änderung an {count} Eintrag ist rückgängig gemacht.',
      other: 'Die Änderung an {count} Einträgen ist rückgängig gemacht.',
    },
    'bulk.undoneSome': {
      one: 'Die Änderung an {count} Eintrag ist rückgängig gemacht. Nicht rückgängig gemacht, weil seither geändert: {skipped}.',
      other:
        'Die Änderung an {count} Einträgen ist rückgängig gemacht. Nicht rückgängig gemacht, weil seither geändert: {skipped}.',
    },
    'bulk.notUndone': 'Die Änderung wurde nicht rückgängig gemacht: {reason}',
    'bulk.unchanged': 'Es gab nichts zu ändern.',
    'bulk.failed': 'Nichts wurde geändert: {reason}',
    'bulk.partly': '{done} von {count} wurden geändert, die anderen nicht: {reason}',
  },
  ar: {
    'bulk.publish': 'نشر',
    'bulk.unpublish': 'إلغاء النشر',
    'bulk.delete': 'حذف',
    'bulk.set': 'تعيين حقل',
  },
});

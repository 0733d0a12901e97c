import { textsOf } from './texts.ts';

/** Texts of menus and trees. Their language is chosen before. */
export const menusText = textsOf({
  en: {
    'menus.none': 'The site has no menus.',
    'menus.empty': 'This menu has no links yet. Add the first one.',
    'menus.help':
      'Drag a row to move it, also to the side to put it below another one. Or press Alt and an arrow key on a row.',
    'menus.helpFlat': 'Drag a row to move it, or press Alt and the up or down arrow key on a row.',
    'menus.add': 'Add link',
    'menus.edit': 'Edit “{title}”',
    'menus.delete': 'Delete “{title}”',
    'menus.move': 'Move “{title}”',
    'menus.moveHint': 'Drag, or press Alt and an arrow key',
    'menus.level': 'Level {level}:',
    'menus.moved': '“{title}” is now {position} of {count} below “{parent}”.',
    'menus.movedTop': '“{title}” is now {position} of {count} at the top level.',
    'menus.cannotMove': '“{title}” cannot go there.',
    'menus.save': 'Save order',
    'menus.saved': {
      one: 'The order is saved. {count} entry changed.',
      other: 'The order is saved. {count} entries changed.',
    },
    'menus.conflict':
      'Nothing was saved, because someone else has changed the order meanwhile: {titles}. The tree shows their order now.',
    'menus.hasChildren': 'There are entries below “{title}”. Move or delete these first.',
    'menus.shown': 'Visible in the menu',
    'menus.hidden': 'Hidden',
    'menus.addressHint': 'Type words of a title to link to a page of the site, or type an address.',
    'menus.incomplete': 'A link needs a title and an address.',
    'menus.translates': 'This link has no translation into {language} yet. Save to create it.',
  },
  de: {
    'menus.none': 'Die Website hat keine Menüs.',
    'menus.empty': 'Dieses Menü hat noch keine Links. Füge den ersten hinzu.',
    'menus.help':
      'Ziehe eine Zeile, um sie zu verschieben, auch zur Seite, um sie einer anderen unterzuordnen. Oder drücke auf einer Zeile Alt und eine Pfeiltaste.',
    'menus.helpFlat':
      'Ziehe eine Zeile, um sie zu verschieben, oder drücke auf einer Zeile Alt und die Pfeiltaste nach oben oder unten.',
    'menus.add': 'Link hinzufügen',
    'menus.edit': '„{title}“ bearbeiten',
    'menus.delete': '„{title}“ löschen',
    'menus.move': '„{title}“ verschieben',
    'menus.moveHint': 'Ziehen, oder Alt und eine Pfeiltaste drücken',
    'menus.level': 'Ebene {level}:',
    'menus.moved': '„{title}“ ist jetzt {position} von {count} unter „{parent}“.',
    'menus.movedTop': '„{title}“ ist jetzt {position} von {count} auf der obersten Ebene.',
    'menus.cannotMove': '„{title}“ kann nicht dorthin.',
    'menus.save': 'Reihenfolge speichern',
    'menus.saved': {
      one: 'Die Reihenfolge ist gespeichert. {count} Eintrag geändert.',
      other: 'Die Reihenfolge ist gespeichert. {count} Einträge geändert.',
    },
    'menus.conflict':
      'Es wurde nichts gespeichert, weil jemand anderes inzwischen die Reihenfolge geändert hat: {titles}. Der Baum zeigt jetzt deren Reihenfolge.',
    'menus.hasChildren': 'Unter „{title}“ gibt es Einträge. Verschiebe oder lösche diese zuerst.',
    'menus.shown': 'Im Menü sichtbar',
    'menus.hidden': 'Verborgen',
    'menus.addressHint':
      'Tippe Wörter eines Titels, um auf eine Seite der Website zu verweisen, oder eine Adresse.',
    'menus.incomplete': 'Ein Link braucht einen Titel und eine Adresse.',
    'menus.translates': 'Dieser Link hat noch keine Übersetzung in {language}. Speichern legt sie an.',
  },
  ar: {
    'menus.add': 'إضافة رابط',
    'menus.edit': 'تعديل «{title}»',
    'menus.delete': 'حذف «{title}»',
    'menus.move': 'نقل «{title}»',
    'menus.save': 'حفظ الترتيب',
    'menus.hidden': 'مخفي',
    'menus.shown': 'ظاهر في القائمة',
    'menus.moved': '«{title}» الآن {position} من {count} تحت «{parent}».',
    'menus.movedTop': '«{title}» الآن {position} من {count} في المستوى الأعلى.',
  },
});

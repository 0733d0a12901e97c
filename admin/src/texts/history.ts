import { textsOf } from './texts.ts';

/** Texts of past versions. Their language is chosen before. */
export const historyText = textsOf({
  en: {
    'history.title': 'History of “{title}”',
    'history.edit': 'Edit',
    'history.versions': 'Versions',
    'history.views': 'What to compare',
    'history.view.changes': 'Changes in this version',
    'history.view.now': 'Compared with now',
    'history.view.restore': 'Restore',
    'history.by': '{author}, {time}',
    'history.none': 'There are no versions yet. A version is created when a change is committed to git.',
    'history.uncommitted': 'The entry has changes that are not committed yet. They are not in this list.',
    'history.limits': 'The newest {count} versions are listed. Git has all of them.',
    'history.oldest': 'There is no earlier version in the list to compare with, so this shows all values.',
    'history.noChanges': 'No field was changed.',
    'history.same': 'The entry is the same now as in this version.',
    'history.unreadable': 'This version cannot be compared.',
    'history.unfold': { one: 'Show {count} unchanged line', other: 'Show {count} unchanged lines' },
    'history.added': 'Added:',
    'history.removed': 'Removed:',
    'history.restore': { one: 'Restore {count} field', other: 'Restore {count} fields' },
    'history.restoreHint': 'The entry gets the values with + instead of those with −, as a new change.',
    'history.restored': '“{title}” has the values of {time} again.',
    'history.notRestored': 'Nothing was restored.',
    'history.changedMeanwhile':
      'Nothing was restored, because someone else has just changed this entry. The comparison is with their changes now.',
    'history.keptPublication':
      'Decides when and where visitors find the entry. It stays as it is unless you select it.',
    'history.keptFile':
      'This version has no file, or a file that no longer exists. The present file stays unless you select this.',
    'history.obstacle.readOnly': 'You cannot change this field, so it cannot be restored.',
    'history.obstacle.missing':
      'This version refers to content that no longer exists, so the field cannot be restored.',
  },
  de: {
    'history.title': 'Verlauf von „{title}“',
    'history.edit': 'Bearbeiten',
    'history.versions': 'Versionen',
    'history.views': 'Was verglichen wird',
    'history.view.changes': 'Änderungen in dieser Version',
    'history.view.now': 'Verglichen mit jetzt',
    'history.view.restore': 'Wiederherstellen',
    'history.by': '{author}, {time}',
    'history.none':
      'Es gibt noch keine Versionen. Eine Version entsteht, wenn eine Änderung in git gespeichert wird.',
    'history.uncommitted':
      'Der Eintrag hat Änderungen, die noch nicht in git sind. Sie fehlen in dieser Liste.',
    'history.limits': 'Die Liste zeigt die neuesten {count} Versionen. In git sind alle.',
    'history.oldest':
      'In der Liste gibt es keine frühere Version zum Vergleichen. Deshalb siehst du hier alle Werte.',
    'history.noChanges': 'Kein Feld wurde geändert.',
    'history.same': 'Der Eintrag ist jetzt genauso wie in dieser Version.',
    'history.unreadable': 'Diese Version kann nicht verglichen werden.',
    'history.unfold': {
      one: '{count} unveränderte Zeile zeigen',
      other: '{count} unveränderte Zeilen zeigen',
    },
    'history.added': 'Hinzugefügt:',
    'history.removed': 'Entfernt:',
    'history.restore': { one: '{count} Feld wiederherstellen', other: '{count} Felder wiederherstellen' },
    'history.restoreHint': 'Der Eintrag bekommt die Werte mit + statt derer mit −, als neue Änderung.',
    'history.restored': '„{title}“ hat wieder die Werte vom {time}.',
    'history.notRestored': 'Nichts wurde wiederhergestellt.',
    'history.changedMeanwhile':
      'Nichts wurde wiederhergestellt, weil jemand anderes diesen Eintrag inzwischen geändert hat. Der Vergleich ist jetzt mit diesen Änderungen.',
    'history.keptPublication':
      'Bestimmt, wann und wo Besucher den Eintrag finden. Bleibt, wie es ist, wenn du es nicht auswählst.',
    'history.keptFile':
      'Diese Version hat keine Datei, oder ihre Datei gibt es nicht mehr. Die jetzige Datei bleibt, wenn du das Feld nicht auswählst.',
    'history.obstacle.readOnly':
      'Du kannst dieses Feld nicht ändern. Deshalb kann es nicht wiederhergestellt werden.',
    'history.obstacle.missing':
      'Diese Version verweist auf Inhalte, die es nicht mehr gibt. Deshalb kann das Feld nicht wiederhergestellt werden.',
  },
  ar: {
    'history.title': 'سجل «{title}»',
    'history.edit': 'تحرير',
    'history.versions': 'النسخ',
    'history.views': 'ماذا تقارن',
    'history.view.changes': 'التغييرات في هذه النسخة',
    'history.view.now': 'مقارنة بالآن',
    'history.view.restore': 'استعادة',
    'history.by': '{author}، {time}',
    'history.none': 'لا توجد نسخ بعد. تنشأ نسخة عند تسجيل تغيير في git.',
    'history.uncommitted': 'في المدخل تغييرات لم تُسجَّل بعد. ليست في هذه القائمة.',
    'history.limits': 'تُعرض أحدث {count} نسخة. في git كلها.',
    'history.oldest': 'لا توجد في القائمة نسخة أقدم للمقارنة، لذا تُعرض كل القيم.',
    'history.noChanges': 'لم يتغير أي حقل.',
    'history.same': 'المدخل الآن كما هو في هذه النسخة.',
    'history.unreadable': 'لا يمكن مقارنة هذه النسخة.',
    'history.added': 'أُضيف:',
    'history.removed': 'أُزيل:',
    'history.restoreHint': 'يأخذ المدخل القيم ذات + بدل القيم ذات −، كتغيير جديد.',
    'history.restored': 'عادت إلى «{title}» قيم {time}.',
    'history.notRestored': 'لم يُستعد شيء.',
    'history.changedMeanwhile': 'لم يُستعد شيء، لأن شخصًا آخر غيّر هذا المدخل للتو. المقارنة الآن مع تغييراته.',
    'history.keptPublication': 'يحدد متى وأين يجد الزوار المدخل. يبقى كما هو ما لم تحدده.',
    'history.keptFile': 'ليس في هذه النسخة ملف، أو ملفها لم يعد موجودًا. يبقى الملف الحالي ما لم تحدد هذا.',
    'history.obstacle.readOnly': 'لا يمكنك تغيير هذا الحقل، لذا لا يمكن استعادته.',
    'history.obstacle.missing': 'تشير هذه النسخة إلى محتوى لم يعد موجودًا، لذا لا يمكن استعادة الحقل.',
    'history.unfold': {
      one: 'عرض سطر واحد دون تغيير',
      two: 'عرض سطرين دون تغيير',
      few: 'عرض {count} أسطر دون تغيير',
      other: 'عرض {count} سطرًا دون تغيير',
    },
    'history.restore': {
      one: 'استعادة حقل واحد',
      two: 'استعادة حقلين',
      few: 'استعادة {count} حقول',
      other: 'استعادة {count} حقلًا',
    },
  },
});

import { textsOf } from './texts.ts';

/** Texts of failed requests. Their language is chosen before. */
export const failureText = textsOf({
  en: {
    'error.quoted': '“{title}”',
    'error.others': 'others',
    'error.isReferenced': '“{title}” is used by {referrers}. Remove it there first.',
    'error.hasTranslations': 'The entry has translations: {languages}. Delete these first.',
    'error.aliasTaken': '“{title}” has the address {alias} already.',
    'error.redirectExists': 'There is a redirect from this address already.',
    'error.redirectHidden': 'A page has this address, so the redirect would not be used.',
    'error.redirectLoop': 'This leads back to the old address.',
    'error.redirectMissing': 'This entry does not exist.',
    'error.redirectsUnreadable':
      'The list of redirects cannot be read, so it cannot change. Ask a developer to correct the file _redirects.yaml.',
    'error.templateExists': 'There is a template with this name already.',
    'error.fileExists': 'The place of “{title}” is taken: there is a new entry in a file of the same name.',
    'error.deleted': 'The entry was deleted.',
  },
  de: {
    'error.quoted': '„{title}“',
    'error.others': 'weitere',
    'error.isReferenced': '„{title}“ wird verwendet von {referrers}. Entferne es dort zuerst.',
    'error.hasTranslations': 'Der Eintrag hat Übersetzungen: {languages}. Lösche diese zuerst.',
    'error.aliasTaken': '„{title}“ hat die Adresse {alias} schon.',
    'error.redirectExists': 'Von dieser Adresse gibt es schon eine Weiterleitung.',
    'error.redirectHidden': 'Eine Seite hat diese Adresse. Die Weiterleitung hätte keine Wirkung.',
    'error.redirectLoop': 'Das führt zur alten Adresse zurück.',
    'error.redirectMissing': 'Diesen Eintrag gibt es nicht.',
    'error.redirectsUnreadable':
      'Die Liste der Weiterleitungen ist nicht lesbar und kann deshalb nicht geändert werden. Bitte jemanden aus der Entwicklung, die Datei _redirects.yaml zu berichtigen.',
    'error.templateExists': 'Es gibt schon eine Vorlage mit diesem Namen.',
    'error.fileExists':
      'Der Platz von „{title}“ ist belegt: Es gibt einen neuen Eintrag in einer Datei mit demselben Namen.',
    'error.deleted': 'Der Eintrag wurde gelöscht.',
  },
  ar: {
    'error.quoted': '«{title}»',
    'error.others': 'مدخلات أخرى',
    'error.isReferenced': 'يستخدم «{title}»: {referrers}. أزله من هناك أولًا.',
    'error.hasTranslations': 'للمدخل ترجمات: {languages}. احذفها أولًا.',
    'error.aliasTaken': 'لـ «{title}» العنوان {alias} بالفعل.',
    'error.redirectExists': 'توجد إعادة توجيه من هذا العنوان بالفعل.',
    'error.redirectHidden': 'لصفحة هذا العنوان، لذا لن تُستخدم إعادة التوجيه.',
    'error.redirectLoop': 'هذا يعود إلى العنوان القديم.',
    'error.redirectMissing': 'هذا المدخل غير موجود.',
    'error.redirectsUnreadable':
      'لا يمكن قراءة قائمة إعادات التوجيه، لذا لا يمكن تغييرها. اطلب من مطوّر تصحيح الملف _redirects.yaml.',
    'error.templateExists': 'يوجد قالب بهذا الاسم بالفعل.',
    'error.fileExists': 'مكان «{title}» مشغول: يوجد مدخل جديد في ملف بالاسم نفسه.',
    'error.deleted': 'حُذف المدخل.',
  },
});

import { textsOf } from './texts.ts';

/** Texts of the dialog that deletes a draft, and of the notice that its entry is gone. Their language is chosen before. */
export const draftsText = textsOf({
  en: {
    'draft.createAgain': 'Create a new entry',
    'draft.discardTitle': 'Discard the changes of “{title}”?',
    'draft.discardText': 'The entry stays as it is stored. The changes cannot be restored.',
    'draft.discarded': 'The changes of “{title}” are discarded.',
    'draft.deleteTitle': 'Delete the draft “{title}”?',
    'draft.deleteText': 'It cannot be restored.',
  },
  de: {
    'draft.createAgain': 'Neuen Eintrag anlegen',
    'draft.discardTitle': 'Änderungen von „{title}“ verwerfen?',
    'draft.discardText':
      'Der Eintrag bleibt, wie er gespeichert ist. Die Änderungen können nicht wiederhergestellt werden.',
    'draft.discarded': 'Die Änderungen von „{title}“ sind verworfen.',
    'draft.deleteTitle': 'Entwurf „{title}“ löschen?',
    'draft.deleteText': 'Er kann nicht wiederhergestellt werden.',
  },
  ar: {
    'draft.createAgain': 'إنشاء مدخل جديد',
    'draft.discardTitle': 'هل تريد تجاهل تغييرات «{title}»؟',
    'draft.discardText': 'يبقى المدخل كما هو محفوظ. لا يمكن استعادة التغييرات.',
    'draft.discarded': 'تم تجاهل تغييرات «{title}».',
    'draft.deleteTitle': 'حذف المسودة «{title}»؟',
    'draft.deleteText': 'لا يمكن استعادتها.',
  },
});

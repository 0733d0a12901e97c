import { textsOf } from './texts.ts';

/** Texts of templates. Their language is chosen before. */
export const templatesText = textsOf({
  en: {
    'template.choose': 'Begin with an empty form, or with the values of a template.',
    'template.empty': 'Empty',
    'template.saveText':
      'New entries of this type can begin with the saved values of this one. Address, publication, owner and dates are not part of it.',
    'template.name': 'Name of the template',
    'template.saved': 'The template “{name}” is saved.',
    'template.remove': 'Delete the template “{name}”',
    'template.removeTitle': 'Delete the template “{name}”?',
    'template.removeText': 'Entries that were made with it stay as they are.',
    'template.removed': 'The template “{name}” is deleted.',
  },
  de: {
    'template.choose': 'Beginne mit einem leeren Formular oder mit den Werten einer Vorlage.',
    'template.empty': 'Leer',
    'template.saveText':
      'Neue Einträge dieser Art können mit den gespeicherten Werten von diesem beginnen. Adresse, Veröffentlichung, Besitzer und Daten gehören nicht dazu.',
    'template.name': 'Name der Vorlage',
    'template.saved': 'Die Vorlage „{name}“ ist gespeichert.',
    'template.remove': 'Vorlage „{name}“ löschen',
    'template.removeTitle': 'Vorlage „{name}“ löschen?',
    'template.removeText': 'Einträge, die mit ihr entstanden sind, bleiben, wie sie sind.',
    'template.removed': 'Die Vorlage „{name}“ ist gelöscht.',
  },
  ar: {
    'template.choose': 'ابدأ بنموذج فارغ، أو بقيم قالب.',
    'template.empty': 'فارغ',
    'template.saveText':
      'يمكن أن تبدأ المدخلات الجديدة من هذا النوع بالقيم المحفوظة لهذا المدخل. لا يشمل ذلك العنوان والنشر والمالك والتواريخ.',
    'template.name': 'اسم القالب',
    'template.saved': 'تم حفظ القالب «{name}».',
    'template.remove': 'حذف القالب «{name}»',
    'template.removeTitle': 'حذف القالب «{name}»؟',
    'template.removeText': 'تبقى المدخلات التي أُنشئت به كما هي.',
    'template.removed': 'حُذف القالب «{name}».',
  },
});

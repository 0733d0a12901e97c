import { textsOf } from './texts.ts';

/** Texts about components and callouts, which are loaded when a text has the focus. Their language is chosen before. */
export const markupText = textsOf({
  en: {
    'component.kind': 'Component',
    'component.edit': 'Edit {name}',
    'component.insert': 'Insert {name}',
    'component.apply': 'Apply',
    'component.yes': 'Yes',
    'component.no': 'No',
    'component.unset': 'Not set',
    'component.code': 'Change these in the text, because their values are code: {names}.',
    'component.required': 'Write these into the text, because their values are code: {names}.',
    'component.unknown':
      'This component is not in src/components, so its properties are not known. These are set in the text.',
    'component.nothing': 'This component has no properties to fill in.',
    'component.gone': 'The text has changed, and the component is no longer there.',
  },
  de: {
    'component.kind': 'Komponente',
    'component.edit': '{name} bearbeiten',
    'component.insert': '{name} einfügen',
    'component.apply': 'Übernehmen',
    'component.yes': 'Ja',
    'component.no': 'Nein',
    'component.unset': 'Nicht gesetzt',
    'component.code': 'Diese Werte sind Code und werden im Text geändert: {names}.',
    'component.required': 'Diese Werte sind Code und gehören noch in den Text: {names}.',
    'component.unknown':
      'Diese Komponente steht nicht in src/components. Ihre Eigenschaften sind nicht bekannt; diese sind im Text gesetzt.',
    'component.nothing': 'Diese Komponente hat keine Eigenschaften zum Ausfüllen.',
    'component.gone': 'Der Text hat sich geändert, und die Komponente steht nicht mehr da.',
  },
  ar: {
    'component.kind': 'مكوّن',
    'component.edit': 'تعديل {name}',
    'component.insert': 'إدراج {name}',
    'component.apply': 'تطبيق',
    'component.yes': 'نعم',
    'component.no': 'لا',
    'component.unset': 'غير محدد',
    'component.code': 'غيّر هذه القيم في النص لأنها شيفرة: {names}.',
    'component.required': 'اكتب هذه القيم في النص لأنها شيفرة: {names}.',
    'component.unknown': 'هذا المكوّن ليس في src/components، لذلك خصائصه غير معروفة. هذه محددة في النص.',
    'component.nothing': 'ليس لهذا المكوّن خصائص للتعبئة.',
    'component.gone': 'تغيّر النص ولم يعد المكوّن فيه.',
  },
});

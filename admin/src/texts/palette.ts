import { textsOf } from './texts.ts';

/** Texts of the command palette. Their language is chosen before. */
export const paletteText = textsOf({
  en: {
    'palette.title': 'Command palette',
    'palette.placeholder': 'Type a title or a command',
    'palette.empty': 'Nothing matches “{text}”.',
    'palette.actions': 'On this page',
    'palette.screens': 'Go to',
    'palette.create': 'Create',
    'palette.content': 'Content',
  },
  de: {
    'palette.title': 'Befehle',
    'palette.placeholder': 'Titel oder Befehl eingeben',
    'palette.empty': 'Nichts passt zu „{text}“.',
    'palette.actions': 'Auf dieser Seite',
    'palette.screens': 'Gehe zu',
    'palette.create': 'Anlegen',
    'palette.content': 'Inhalte',
  },
  ar: {
    'palette.title': 'لوحة الأوامر',
    'palette.placeholder': 'اكتب عنوانًا أو أمرًا',
    'palette.empty': 'لا نتائج لـ «{text}».',
    'palette.actions': 'في هذه الصفحة',
    'palette.screens': 'انتقل إلى',
    'palette.create': 'إنشاء',
    'palette.content': 'المحتوى',
  },
});

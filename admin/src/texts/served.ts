import { textsOf } from './texts.ts';

/** Texts about pages that this server sends. A form loads them without those of published sites. */
export const servedText = textsOf({
  en: {
    title: 'On the site',
    atOnce: 'Visitors see a change as soon as it is saved and published.',
    afterBuild:
      'The page of this entry is built in advance. Visitors see a saved change after the next build of the site.',
  },
  de: {
    title: 'Auf der Website',
    atOnce: 'Besucher sehen eine Änderung, sobald sie gespeichert und veröffentlicht ist.',
    afterBuild:
      'Die Seite dieses Eintrags wird im Voraus erstellt. Besucher sehen eine gespeicherte Änderung, sobald die Website wieder erstellt ist.',
  },
  ar: {
    title: 'على الموقع',
    atOnce: 'يرى الزوار التغيير حالما يُحفظ ويُنشر.',
    afterBuild: 'صفحة هذا المدخل مبنية مسبقًا. يرى الزوار التغيير المحفوظ بعد البناء التالي للموقع.',
  },
});
